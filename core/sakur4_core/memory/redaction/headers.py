"""Secrets of HTTP headers, cookies and the options of well-known commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.memory.redaction.judgement import is_password, is_random, stands_in
from sakur4_core.memory.redaction.shadow import ESCAPED_QUOTE, QUOTE
from sakur4_core.memory.redaction.span import Span

_LETTER = rf"[^\s\"'`{ESCAPED_QUOTE},;<>]"
_AUTHORIZATION = re.compile(
    rf"authorization(?:{QUOTE})?\]?[ \t]{{0,8}}(?:=>|[:=,]{{1,6}})\s{{0,16}}"
    rf"[frb(\[]{{0,2}}(?:{QUOTE})?"
    r"(?:(?P<scheme>bearer|basic|token|bot|apikey|api-key|key|oauth|splunk|geniekey|negotiate|ntlm"
    r"|digest|aws4-hmac-sha256|hawk)[\s:=]{1,16})?"
    rf"(?P<value>{_LETTER}{{6,256}})"
)
# Schemes whose value is a list: all of it is taken.
_LISTS = ("digest", "aws4-hmac-sha256", "hawk", "oauth")
_BEARER = re.compile(rf"bearer[ \t]{{1,8}}(?P<value>{_LETTER}{{16,256}})")
_COOKIES = re.compile(
    rf"cookies?2?(?:{QUOTE})?[ \t]{{0,8}}(?:[:=]{{1,6}}|(?<=--cookie)[ \t])[ \t]{{0,8}}"
    rf"(?:{QUOTE})?"
    rf"(?P<pairs>[^\n\"'`{ESCAPED_QUOTE}]{{6,}})"
)
_PAIR = re.compile(rf"(?P<name>[\w.-]{{1,80}})=(?P<value>{_LETTER}{{8,}})")
_SESSION_ID = re.compile(rf"(?:sessid|sessionid|connect\.sid)=(?P<value>{_LETTER}{{8,256}})")
_TELLING_COOKIE = re.compile(r"sess|sid|auth|token|csrf|xsrf|jwt|login|remember|secret")
_LINE = re.compile(rf"[^\n'`{ESCAPED_QUOTE}]*")
_REST = re.compile(rf"{_LETTER}*")
LEAST_BEARER = 16

# A command, and its option that a secret follows on the same line.
_VALUE = rf"(?:{QUOTE})?(?P<value>[^\s\"'`{ESCAPED_QUOTE}]{{1,256}})"
_LOGIN = rf"(?:{QUOTE})?[^\s:\"'`]{{1,80}}:{_VALUE[len(rf'(?:{QUOTE})?') :]}"
_COMMANDS = tuple(
    (command, re.compile(rf"[^\n|]{{0,400}}?{option}"))
    for command, option in (
        ("curl", rf"\s(?:-u[ =]?|--user[ =]|--proxy-user[ =]){_LOGIN}"),
        ("mysql", rf"\s-p{_VALUE}"),
        ("sshpass", rf"\s-p[ \t]*{_VALUE}"),
        ("redis-cli", rf"\s-a[ \t]+{_VALUE}"),
        ("docker login", rf"\s-p[ \t]+{_VALUE}"),
        ("identified", rf"(?i:\sby)[ \t]+{_VALUE}"),
    )
)


def find(text: str, lower: str) -> Iterator[Span]:
    """The secrets of headers, cookies and commands in a shadow."""
    # Most texts hold none of these words, and to look for one costs less than to begin a loop.
    if "authorization" in lower:
        for at in _places(lower, "authorization"):
            yield from _authorization(text, lower, at)
    if "bearer" in lower:
        for match in _each(lower, "bearer", _BEARER):
            if is_random(_value(text, match), LEAST_BEARER):
                yield Span(match.start("value"), _run_end(text, match), "token")
    for word in ("sessid", "sessionid", "connect.sid"):
        if word in lower:
            for match in _each(lower, word, _SESSION_ID):
                if is_random(_value(text, match)):
                    yield Span(match.start("value"), _run_end(text, match), "cookie")
    if "cookie" in lower:
        yield from _cookies(text, lower)
    for command, option in _COMMANDS:
        if command in lower:
            yield from _logins(text, lower, command, option)


def _logins(text: str, lower: str, command: str, option: re.Pattern[str]) -> Iterator[Span]:
    for at in _places(lower, command):
        login = option.match(text, at + len(command))
        if login and is_password(login["value"], sure=False):
            yield Span(*login.span("value"), "password")


def _places(lower: str, word: str) -> Iterator[int]:
    at = lower.find(word)
    while at >= 0:
        yield at
        at = lower.find(word, at + len(word))


def _each(lower: str, word: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    return filter(None, (pattern.match(lower, at) for at in _places(lower, word)))


def _value(text: str, match: re.Match[str]) -> str:
    """The value as the text has it: the match is one of its lower case."""
    return text[match.start("value") : match.end("value")]


def _run_end(text: str, match: re.Match[str]) -> int:
    """Where the run of letters ends of which the value is the first part."""
    rest = _REST.match(text, match.end("value"))
    return match.end("value") if rest is None else rest.end()


def _authorization(text: str, lower: str, at: int) -> Iterator[Span]:
    match = _AUTHORIZATION.match(lower, at)
    if match is None:
        return
    value, scheme = _value(text, match), match["scheme"]
    if scheme in _LISTS:
        line = _LINE.match(text, match.start("value"))
        end = match.end("value") if line is None else max(match.end("value"), line.end())
        yield Span(match.start("value"), end, "authorization")
    elif is_random(value) or (scheme and not stands_in(value) and not value.isalpha()):
        yield Span(match.start("value"), _run_end(text, match), "authorization")


def _cookies(text: str, lower: str) -> Iterator[Span]:
    """The telling or random ones of a header's pairs."""
    at = lower.find("cookie")
    while at >= 0:
        match = _COOKIES.match(lower, at)
        for pair in _PAIR.finditer(text, *match.span("pairs")) if match else ():
            telling = _TELLING_COOKIE.search(pair["name"].lower())
            if is_random(pair["value"]) or (telling and is_password(pair["value"], sure=True)):
                yield Span(*pair.span("value"), "cookie")
        at = lower.find("cookie", match.end() if match else at + 1)
