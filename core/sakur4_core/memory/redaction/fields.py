"""Values beside telling names: in code, settings, forms and commands, in all their notations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.memory.redaction.judgement import is_password, is_random, is_reference
from sakur4_core.memory.redaction.names import Name, names
from sakur4_core.memory.redaction.shadow import ESCAPED_QUOTE, QUOTE
from sakur4_core.memory.redaction.span import Span

_BLANK = r"[ \t]{0,16}"
_LETTER = rf"[^\s\"'`{ESCAPED_QUOTE}<>]"
# What closes the name: its quotation mark, a bracket, the value shown as known before.
_CLOSED = rf"(?:{QUOTE}){{0,2}}\]?{_BLANK}(?:\[[^\]\n]{{0,40}}\])?{_BLANK}"
# An assignment, perhaps with a type before it, a pair, an arrow, a comparison.
_SIGN = r"(?:=>|->|:[ \t]?[&\w<>\[\]|.?' ]{1,40}(?<![<>=!]) ?=(?!=)|[?:+!]?={1,6}|:{1,6})"
# String(...), (..., b"...: what may stand between the sign and the quotation mark.
_WRAPPED = (
    r"(?P<call>(?:new )?[A-Za-z_][\w.:]{0,40}!?\(\s{0,16})?"
    r"[(\[{]?\s{0,16}(?:[bBfFrRuUlL@$]{1,2}(?=[\"']))?"
)
_QUOTED = re.compile(
    rf"{_CLOSED}(?:{_SIGN}\s{{0,64}}|(?P<loose>,\s{{0,64}}|\(\s{{0,16}}|[ \t]{{1,16}}))"
    rf"{_WRAPPED}(?P<quote>{QUOTE})(?P<value>(?:\\.|(?!(?P=quote))[^\n\\])*)(?P=quote)"
)
_BARE = re.compile(
    rf"{_CLOSED}(?P<sign>{_SIGN})(?P<blank>{_BLANK})(?:[|>][+-]?[ \t]*\n[ \t]+)?"
    rf"(?P<quote>{QUOTE})?(?P<value>{_LETTER}{{1,256}})"
)
# <password>...</password>
_TAGGED = re.compile(r">(?P<value>[^<>\s]{4,256})</")
# "name": "DB_PASSWORD", "value": "..." and its kin in YAML and XML.
_NAMED = re.compile(
    rf"(?:{QUOTE})?\s{{0,64}},?\s{{0,64}}(?:{QUOTE})?[vV]alue(?:{QUOTE})?{_BLANK}[:=]{_BLANK}"
    rf"(?:{QUOTE})?(?P<value>{_LETTER}{{1,256}})"
)
_SPACED = re.compile(rf"[ \t]{{1,16}}(?P<value>{_LETTER}{{1,256}})")
_SAID = re.compile(
    rf"[ \t](?:is|was)[ \t:]{{1,3}}(?:{QUOTE})?(?P<value>{_LETTER}{{1,256}}?)"
    r"(?=[.,;:!?)]*(?:[\s\"'`]|\Z))"
)
_REST = re.compile(rf"{_LETTER}*")
# Where a bare value ends, by what stands around its name.
_QUERY_STOPS = re.compile(r"[&#;),\]}]")
_STOPS = {"?": _QUERY_STOPS, "&": _QUERY_STOPS, ";": re.compile(";")}
_CODE_STOPS = re.compile(r"[,;&)}\]|]")
# Before a name: a line's start or a shell's words, so that what follows = is a value as it stands.
_SHELL = re.compile(
    r"(?:\A|\n|[;&][ \t]|\s-e|\s--env|\s--build-arg|\s-d)[ \t]*(?:export |set |env |arg )?\Z"
)
# Before a name that only a blank parts from its value: netrc, Dockerfile, SQL, fish.
_BLANK_FOLLOWS = re.compile(
    r"--\Z|\b(?:login|machine|user)[ \t]+\S{1,80}[ \t]+\Z|\bwith[ \t]+\Z"
    r"|(?:\A|\s)(?:env|arg|setenv|setx|set -x|set -gx|set -ux)[ \t]+\Z"
)
# What may stand right behind a name that a value follows.
_LEADS_ON = frozenset(f"\"'`{ESCAPED_QUOTE}] \t\n=:,(>?+!-[")
LEAST_LOOSE = 8


def find(text: str, lower: str) -> Iterator[Span]:
    """The values beside telling names in a shadow; ``lower`` is its lower case."""
    start = done = 0
    for name in names(text, lower):
        # Names come in order, once for each telling word; those within a value need no look.
        done = 0 if name.word < start else done
        start = name.word
        if start < done or text[name.end : name.end + 1] not in _LEADS_ON:
            continue
        place = _place(text, name)
        if place is not None:
            done = place[1]
            yield Span(*place, name.kind)


def _fits(name: Name, value: str, *, sure: bool) -> bool:
    return is_password(value, sure=sure) if name.of_password else is_random(value)


def _place(text: str, name: Name) -> tuple[int, int] | None:
    quoted = _QUOTED.match(text, name.end)
    if quoted is None:
        return _bare(text, name) or _apart(text, name)
    return _quoted(quoted, name) or (_apart(text, name) if quoted["loose"] else None)


def _quoted(match: re.Match[str], name: Name) -> tuple[int, int] | None:
    if match["loose"] is not None or match["call"]:
        # A list of names, or the argument of a call: only what was drawn by lot is a secret.
        fits = is_random(match["value"], LEAST_LOOSE)
    else:
        fits = _fits(name, match["value"], sure=True)
    return match.span("value") if fits else None


def _bare(text: str, name: Name) -> tuple[int, int] | None:
    match = _BARE.match(text, name.end)
    if match is None:
        return None
    start, end = match.span("value")
    shell = match["sign"] == "=" and not match["blank"] and bool(_SHELL.search(name.before))
    if match["quote"] is None:
        if not (shell and _ends_line(text, end)):
            end = _stop(text, start, end, name)
        if is_reference(text[start:end]):
            return None
    sure = match["quote"] is not None or (shell and text[name.begin : name.end].isupper())
    if not _fits(name, text[start:end], sure=sure):
        return None
    return start, _run_end(text, end) if end == match.end("value") else end


def _run_end(text: str, at: int) -> int:
    """Where the run of a bare value's letters ends, of which a form takes the first part."""
    rest = _REST.match(text, at)
    return at if rest is None else rest.end()


def _stop(text: str, start: int, end: int, name: Name) -> int:
    """Where a bare value ends that need not be all up to the next blank."""
    stop = _STOPS.get(name.before[-1:], _CODE_STOPS).search(text, start, end)
    return end if stop is None else stop.start()


def _ends_line(text: str, at: int) -> bool:
    return at >= len(text) or text[at] in "\r\n"


def _apart(text: str, name: Name) -> tuple[int, int] | None:
    """A value that no sign joins to its name."""
    for form in (_TAGGED, _NAMED):
        match = form.match(text, name.end)
        if match and _fits(name, match["value"], sure=True):
            return match.start("value"), _run_end(text, match.end("value"))
    match = _SPACED.match(text, name.end)
    if match and _follows_blank(text, name) and _fits(name, match["value"], sure=False):
        return match.start("value"), _run_end(text, match.end("value"))
    match = _SAID.match(text, name.end)
    if match and name.of_password and is_random(match["value"], LEAST_LOOSE):
        return match.span("value")
    return None


def _follows_blank(text: str, name: Name) -> bool:
    return text.startswith("--", name.begin) or bool(_BLANK_FOLLOWS.search(name.before))
