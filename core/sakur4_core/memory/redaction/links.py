"""Passwords and tokens in front of a host's name, in any URL or connection string."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.memory.redaction.judgement import is_random, stands_in
from sakur4_core.memory.redaction.span import Span

# Up to the last @ before the path: passwords hold @ more often than hosts do.
_LOGIN = re.compile(
    r":(?:\\?/){2}(?P<user>[^\s/?#\"'`<>@:\\\[]{0,128})"
    r"(?::(?P<password>[^\s/\"'`<>\\]{1,256}))?@(?=[\w\[%{$<.-])"
)
_PORT = re.compile(r"\d{1,5}(?:[?#,;]|\Z)")
LEAST_TOKEN = 20


def find(text: str) -> Iterator[Span]:
    """The secret part of every login of a URL in ``text``."""
    for separator in ("://", ":\\/\\/"):
        at = text.find(separator)
        while at >= 0:
            if match := _LOGIN.match(text, at):
                yield from _secrets(match)
            at = text.find(separator, at + 3)


def _secrets(match: re.Match[str]) -> Iterator[Span]:
    user, password = match["user"], match["password"]
    if password is not None:
        if not stands_in(password) and not _PORT.match(password):
            yield Span(*match.span("password"), "url-password")
    elif is_random(user, LEAST_TOKEN):
        yield Span(*match.span("user"), "url-token")
