"""What is no structure yields nothing: prose, manuals, sources, listings, logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from sakur4_core.memory.ledger import extract
from sakur4_core.memory.tool_output import parse

ROOT = Path(__file__).parents[4]
SAMPLES = Path(__file__).parent / "samples"

TEXTS = {
    "prose": "I have looked at the three failing tests. 2 of them failed in 0.5s, one passed.\n"
    "The error: a missing import in cart.py:12, see the traceback above.",
    "answer": "Done.",
    "empty": "",
    "blank": " \n\t\n",
    "list": "- first: one\n- second: two\n- third: three\n",
    "todo": "1. add tests\n2. fix the error: it is in auth.py\n3. commit\n",
    "path list": "src/auth.py\nsrc/api.py\ntests/test_auth.py\n",
    "log": "2026-11-30 10:00:00 INFO server.py:12 started on 0.0.0.0:8080\n"
    "2026-11-30 10:00:01 ERROR request failed: timeout after 30s\n",
    "log with colons": "10:00:00: error: could not connect\n10:00:01: warning: retrying\n",
    "bracket log": "[2026/11/30 10:00:00: error: nothing\n[INFO] done\n",
    "environment": "PATH=/usr/bin:/bin\nHOME=/home/dev\nSHELL=/bin/sh\n",
    "addresses": "localhost:8080: ready\n127.0.0.1:5432: refused\n",
    "checksums": "d41d8cd98f00b204e9800998ecf8427e  a.txt\n"
    "da39a3ee5e6b4b0d3255bfef95601890afd80709  b.txt\n",
    "sizes": "1234567 a.bin\n7654321 b.bin\n",
    "hex words": "deadbeef is a word\nfeedface is another\n",
    "yaml": "name: build\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n",
    "toml": '[project]\nname = "shop"\nversion = "1.0"\n',
    "ini": "[section]\nkey = value\n",
    "headers in a mail": "From: ada@example.org\nSubject: till\n\nHello",
    "sql": "SELECT id, name\nFROM users\nWHERE id = 1;\n",
    "radio": "AM radio\nFM radio\n",
    "markdown": "# Title\n\nRun `pytest`:\n\n```console\n$ pytest -q\n"
    "1 failed, 2 passed in 0.12s\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "markdown diff": "Change it so:\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n",
    "python": 'import sys\n\nSAMPLE = """\nTraceback (most recent call last):\n'
    '  File "a.py", line 1, in f\n    x\nKeyError: 1\n"""\n\n\ndef main():\n    pass\n\n\n'
    'if __name__ == "__main__":\n    main()\n',
    "test source": "import { parse } from './parse';\n\nconst OUT = `\nTests:       1 total\n"
    "Test Suites: 1 total\n`;\n\ndescribe('parse', () => {});\n",
    "go source": 'package main\n\nimport "os"\n\nvar out = `\n--- FAIL: TestX (0.00s)\n`\n\n'
    "func main() {\n}\n",
    "page": "<!DOCTYPE html>\n<pre>\n1 failed in 0.10s\n</pre>\n",
    "css": "a:hover { color: red; }\nb:12 { x: y }\n",
    "makefile": "all: a b\n\tcc -o a a.c\n",
    "url": "https://example.org:443/path: not found\n",
    "at": "Meet at the till\n    at noon (or 12:30)\n",
    "json in prose": 'The answer is {"a": 1}, as expected.',
    "commit in prose": "commit abcdef1 fixed it\nAuthor: unknown\n",
    "branch in prose": "On branch management\n\nBranches are cheap.\n",
    "ok": "ok\n",
    "ok then": "ok then 0.5s later it failed\n",
    "fail": "FAIL\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_structure_is_detected(text: str) -> None:
    extraction = extract(text, session_id="s", call="c")
    assert (extraction.parser, extraction.facts) == ("none", ())
    assert extraction.summary == "no structure detected"


def test_nothing_is_seen_in_sources_and_documents() -> None:
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("core", "sakur4_tui", "docs", "fixtures/demo/repo"):
        for kind in ("*.py", "*.md", "*.sql", "*.tcss"):
            files += sorted((ROOT / folder).rglob(kind))
    claimed = {
        str(path.relative_to(ROOT)): parsed.parser
        for path in files
        if (parsed := parse(path.read_text(encoding="utf-8"))) is not None
    }
    assert len(files) > 100
    assert claimed == {}


@pytest.mark.parametrize("form", ["{:>6}→{}", "{:>6}\t{}", "{:05d}| {}"])
def test_a_listing_with_line_numbers_is_no_structure(form: str) -> None:
    """A file reader's output shows a file; what stands in the file did not happen."""
    for sample in sorted(SAMPLES.iterdir()):
        lines = sample.read_text(encoding="utf-8").splitlines()
        listing = "\n".join(form.format(number, line) for number, line in enumerate(lines, 1))
        assert parse(listing) is None, sample.name


def test_a_listing_of_a_directory_is_no_structure() -> None:
    assert parse((SAMPLES / "ls.txt").read_text(encoding="utf-8")) is None


def test_colours_change_nothing() -> None:
    text = (SAMPLES / "mypy_errors.txt").read_text(encoding="utf-8")
    coloured = text.replace("error:", "\x1b[1m\x1b[31merror:\x1b(B\x1b[m")
    assert parse(coloured) == parse(text)
