"""Languages by file name, bounds, secrets, encodings, and texts that do not parse."""

from __future__ import annotations

from pathlib import Path

import pytest
from sakur4_core.cortex.discovery import look
from sakur4_core.cortex.extraction import Job, extract, parse
from sakur4_core.cortex.languages import ALL, by_name, language_of
from sakur4_core.cortex.languages.declared import MAX_NAMES
from sakur4_core.cortex.model import FileStatus, ParsedFile
from sakur4_core.cortex.secrecy import looks_secret

# Put together here, so that the repository holds nothing that looks like a key.
KEY = "zQ8xK2vN" + "7bLm4Ws9" + "Rt5YpD3c"


def read(root: Path, name: str, data: bytes) -> ParsedFile:
    (root / name).write_bytes(data)
    found = look(root, name)
    assert found is not None
    language = language_of(name)
    return extract(Job(found, None if language is None else language.name, 1_000_000))


def names(parsed: ParsedFile) -> list[str]:
    return [one.qualified_name for one in parsed.definitions[1:]]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.PYI", "python"),
        ("a.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.jsx", "javascript"),
        ("a.mjs", "javascript"),
        ("a.rs", "rust"),
        ("a.go", "go"),
        ("a.h", "c"),
        ("a.cc", "cpp"),
        ("a.cs", "csharp"),
        ("Rakefile", "ruby"),
        ("a.kts", "kotlin"),
        ("deploy/.env", "environment"),
        ("deploy/.env.local", "environment"),
        ("a.yml", "yaml"),
    ],
)
def test_a_language_is_told_by_the_files_name(path: str, name: str) -> None:
    language = language_of(path)
    assert language is not None and language.name == name


@pytest.mark.parametrize("path", ["a", ".py", "py", "a.unknown", "a.py.orig"])
def test_other_files_have_no_language(path: str) -> None:
    assert language_of(path) is None


def test_names_and_suffixes_are_each_one_languages() -> None:
    ends = [end for language in ALL for end in (*language.suffixes, *language.file_names)]
    assert sorted(ends) == sorted(set(ends)) or ends.count(".env") == 2
    assert all(by_name(language.name) is language for language in ALL)


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"\xef\xbb\xbfdef f(): return '\xc3\xa9'\n", "utf-8"),
        ("\ufeffdef f(): return 'é'\n".encode("utf-16-le"), "utf-16-le"),
        ("\ufeffdef f(): return 'é'\n".encode("utf-16-be"), "utf-16-be"),
        (b"def f(): return '\xe9'\n", "latin-1"),
        (b"# coding: cp1252\ndef f(): return '\x80'\n", "cp1252"),
    ],
)
def test_encodings_are_read_and_named(tmp_path: Path, data: bytes, detail: str) -> None:
    parsed = read(tmp_path, "a.py", data)
    assert (parsed.status, parsed.detail, names(parsed)) == (FileStatus.PARSED, detail, ["f"])


def test_an_encoding_does_not_count_as_a_change(tmp_path: Path) -> None:
    text = "def f(): return 'é'\n"
    hashes = {
        read(tmp_path, "a.py", data).definitions[1].body_hash
        for data in (text.encode(), text.encode("latin-1"), ("\ufeff" + text).encode("utf-16-le"))
    }
    assert len(hashes) == 1


BROKEN = {
    "a.py": (
        "def good():\n    pass\n\n\ndef bad(:\n\n\ndef after():\n    pass\n",
        {"good", "after"},
    ),
    "a.ts": ("function good() {}\nclass { bad( ;\nfunction after() {}\n", {"good"}),
    "a.rs": ("fn good() {}\nfn bad( {\nfn after() {}\n", {"good"}),
    "a.go": ("package a\nfunc good() {}\nfunc bad( {\n}\nfunc after() {}\n", {"good"}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_degraded_and_still_useful(tmp_path: Path, name: str) -> None:
    text, kept = BROKEN[name]
    parsed = read(tmp_path, name, text.encode())
    assert parsed.status is FileStatus.DEGRADED
    assert "syntax errors" in parsed.detail
    assert kept <= set(names(parsed))


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        (".env", True),
        ("deploy/.env.production", True),
        ("config/secrets.yaml", True),
        ("aws-credentials.json", True),
        ("keys/id_rsa", True),
        ("server.pem", True),
        (".env.example", False),
        ("secret/plain.yaml", False),
        ("environment.yaml", False),
    ],
)
def test_secret_files_are_told_by_their_own_name(path: str, secret: bool) -> None:
    assert looks_secret(path) == secret


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".env", "TOKEN_X={}\n"),
        ("secrets.yaml", "db:\n  value: {}\n"),
        ("credentials.json", '{{"value": "{}"}}\n'),
        ("my_secret.toml", "value = '{}'\n"),
    ],
)
def test_nothing_of_a_secret_files_values_is_kept(tmp_path: Path, name: str, text: str) -> None:
    parsed = read(tmp_path, name, text.format(KEY).encode())
    assert names(parsed)
    assert KEY not in repr(parsed)
    assert {one.value for one in parsed.definitions} == {None}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("secrets.py", "LIMIT = '{}'\n"),
        ("a.py", "password: str = '{}'\n"),
        ("a.py", "def f(password='{}'):\n    pass\n"),
        ("a.ts", "const api_key: string = '{}';\n"),
        ("a.go", 'var password = "{}"\n'),
    ],
)
def test_no_secret_reaches_signatures_and_values(tmp_path: Path, name: str, text: str) -> None:
    parsed = read(tmp_path, name, text.format(KEY).encode())
    assert names(parsed)
    assert KEY not in repr(parsed.definitions)


def test_a_data_file_gives_a_bounded_number_of_names() -> None:
    text = "".join(f"key{number}: 1\n" for number in range(3 * MAX_NAMES))
    parts = parse("a.yaml", text, by_name("yaml"))
    assert len(parts["definitions"]) == MAX_NAMES + 1


def test_a_long_line_of_data_ends(tmp_path: Path) -> None:
    data = b'{"a": [' + b'{"b": "c"},' * 60_000 + b'0], "d": 1}'
    assert names(read(tmp_path, "a.json", data))[:1] == ["a"]


def test_a_long_chain_of_calls_does_not_explode() -> None:
    text = "x = a" + ".b(1)" * 1000 + "\n"
    parts = parse("a.py", text, by_name("python"))
    assert len(parts["references"]) == 1000
    assert max(len(one.receiver) for one in parts["references"]) < 200
