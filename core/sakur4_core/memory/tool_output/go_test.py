"""Results of ``go test``, plain, verbose and ``-json``."""

from __future__ import annotations

import json
import re

from sakur4_core.memory.tool_output.finding import Parsed, Parser
from sakur4_core.memory.tool_output.outcomes import Outcomes, tally
from sakur4_core.memory.tool_output.output import Output

_TEST = re.compile(r"(?m)^ *--- (PASS|FAIL|SKIP): (\S{1,300}) \(\d{1,9}\.\d\ds\)$")
_PACKAGE = re.compile(
    r"(?m)^(ok(?=[ \t]{2})|FAIL|\?(?=[ \t]{2}))[ \t]++([^\s\[\]]{1,300})[ \t]++"
    r"(\d{1,9}\.\d{1,3}s|\(cached\)|\[(?:no test files|build failed|setup failed)\])"
    r"(?:[ \t][^\n]*)?$"
)
# The line of a test's own message, below its heading.
_MESSAGE = re.compile(r"\n {4,}([^\s:]{1,200}\.go):(\d{1,9}): ([^\n]*)")
_WORDS = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped", "ok": "passed", "?": "no tests"}
_ACTIONS = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_EVENT_KEYS = ('"Action":"', '"Package":"')


def _read(output: Output) -> Parsed | None:
    """Claim a text that names a test or a package with its time, as go test does."""
    outcomes = Outcomes()
    counts = dict.fromkeys(("failed", "passed", "skipped"), 0)
    packages = dict.fromkeys(("failed", "passed", "no tests"), 0)
    for match in _TEST.finditer(output.text):
        word = _WORDS[match[1]]
        counts[word] += 1
        message = _MESSAGE.match(output.text, match.end())
        outcomes.note(match[2], word, message[3] if message else "", message and message[1])
    for match in _PACKAGE.finditer(output.text):
        word = _WORDS[match[1]]
        packages[word] += 1
        outcomes.note(match[2], word, match[3] if match[3].startswith("[") else "")
    return _parsed(outcomes, counts, packages)


def _read_events(output: Output) -> Parsed | None:
    """Claim a text whose lines are all events of ``go test -json``."""
    lines = [line for line in output.raw[: output.head] if line.strip()]
    if output.omitted:
        lines = lines[:-1]
    if not lines or not all(all(key in line for key in _EVENT_KEYS) for line in lines):
        return None
    outcomes = Outcomes()
    counts = dict.fromkeys(("failed", "passed", "skipped"), 0)
    packages = dict.fromkeys(("failed", "passed", "skipped"), 0)
    for line in lines:
        event = _event(line)
        if event is None:
            return None
        package, test, word = event
        if word is None:
            continue
        (counts if test else packages)[word] += 1
        outcomes.note(f"{package}.{test}" if test else package, word)
    return _parsed(outcomes, counts, packages)


def _event(line: str) -> tuple[str, str, str | None] | None:
    """Package, test (or "") and outcome, if any; None where the line is no event."""
    if '"Action":"output"' in line:
        return "", "", None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    package, test, action = event.get("Package"), event.get("Test", ""), event.get("Action")
    if not isinstance(package, str) or not isinstance(test, str) or not isinstance(action, str):
        return None
    return package, test, _ACTIONS.get(action)


def _parsed(outcomes: Outcomes, counts: dict[str, int], packages: dict[str, int]) -> Parsed | None:
    parts = []
    if any(counts.values()):
        parts.append(tally(counts))
    if total := sum(packages.values()):
        noun = "package" if total == 1 else "packages"
        parts.append(f"{total} {noun} ({tally(packages)})")
    return outcomes.parsed("go-test", "; ".join(parts)) if parts else None


PARSER = Parser(
    (
        "--- PASS: ",
        "--- FAIL: ",
        "--- SKIP: ",
        "ok  ",
        "ok\t",
        "FAIL\t",
        "FAIL ",
        "[no test files]",
    ),
    _read,
)
EVENTS = Parser(_EVENT_KEYS[:1], _read_events)
