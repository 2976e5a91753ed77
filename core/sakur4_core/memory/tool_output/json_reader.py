"""One pass over JSON without building it: no recursion, numbers as they are written.

``json.loads`` would answer the question too, but fails on deep nesting and on text cut off
by a harness, needs many times the text's memory, and changes numbers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sakur4_core.memory.tool_output.finding import Findings
from sakur4_core.models import FactKind

# Sixty thousand tokens are about half a megabyte of usual JSON, and a tenth of a second.
MAX_TOKENS = 60_000
MAX_ITEMS = 20
MAX_DEPTH = 12

OBJECT = "{"
_TOKEN = re.compile(
    r"""(?xa)
    [ \t\n\r]*+ (?:
        ([{}\[\],:])
        | ("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")
        | (-?(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][+-]?\d++)?+)
        | (true|false|null)
    )
    """
)
_PLAIN_KEY = re.compile(r'"[\w-]{1,100}"$')
# What the next token may be.
_VALUE, _FIRST_ITEM, _FIRST_KEY, _KEY, _COLON, _NEXT, _END = range(7)


class NotJson(ValueError):
    """The text is something else."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What was walked over: ``size`` counts the root's own keys or items."""

    kind: str
    size: int
    complete: bool


class _Container:
    """An open object or array. Without a path its leaves are passed over."""

    __slots__ = ("key", "kind", "path", "size")

    def __init__(self, kind: str, path: str | None) -> None:
        self.kind = kind
        self.path = path
        self.size = 0
        self.key = ""

    def child(self, depth: int) -> str | None:
        """The path of the value that comes next; None where it is not recorded."""
        if self.path is None or depth > MAX_DEPTH:
            return None
        if self.kind == OBJECT:
            plain = _PLAIN_KEY.match(self.key)
            return f"{self.path}.{self.key[1:-1]}" if plain else f"{self.path}[{self.key}]"
        return f"{self.path}[{self.size}]" if self.size < MAX_ITEMS else None


def walk(text: str, root: str, findings: Findings, *, cut: bool = False) -> Walk:
    """Add every leaf of one JSON object or array to ``findings``.

    Args:
        root: The path of the document's own value.
        cut: Whether the text ends where it was cut off, so that it may be incomplete.

    Raises:
        NotJson: The text is no JSON as far as it was read, or no object or array.
    """
    reader = _Reader(root, findings)
    position = 0
    for count, match in enumerate(_TOKEN.finditer(text)):
        if match.start() != position:
            break
        if count == MAX_TOKENS:
            return reader.walked(complete=False)
        position = match.end()
        reader.take(match[match.lastindex or 0], match.lastindex or 0)
    rest = text[position : position + 100].strip()
    if reader.expects == _END and not rest:
        return reader.walked(complete=True)
    if cut and reader.first is not None and (rest.startswith('"') or len(rest) < 6):
        return reader.walked(complete=False)
    raise NotJson


class _Reader:
    """The grammar as a machine: what may come next, and which containers are open."""

    def __init__(self, root: str, findings: Findings) -> None:
        self.expects = _VALUE
        self.first: _Container | None = None
        self._open: list[_Container] = []
        self._root = root
        self._findings = findings

    def walked(self, *, complete: bool) -> Walk:
        first = self.first or _Container("", None)
        return Walk(first.kind, first.size, complete)

    def take(self, token: str, group: int) -> None:
        """Move on by one token (group 1 punctuation, 2 string, 3 number, 4 word)."""
        expects = self.expects
        if group == 2 and expects in (_KEY, _FIRST_KEY):
            self._open[-1].key = token
            self.expects = _COLON
        elif group != 1:
            self._leaf(token, group)
        elif token in "{[":
            self._start(token)
        elif token == ":" and expects == _COLON:
            self.expects = _VALUE
        elif token == "," and expects == _NEXT:
            self.expects = _KEY if self._open[-1].kind == OBJECT else _VALUE
        elif token in "}]":
            self._stop(token)
        else:
            raise NotJson

    def _path(self) -> str | None:
        if self.expects not in (_VALUE, _FIRST_ITEM):
            raise NotJson
        return self._open[-1].child(len(self._open)) if self._open else self._root

    def _leaf(self, token: str, group: int) -> None:
        path = self._path()
        if not self._open:
            raise NotJson
        if path is not None:
            value = "" if self._findings.full else _typed(token, group)
            self._findings.add(FactKind.JSON_FIELD, path, value)
        self._done()

    def _start(self, token: str) -> None:
        container = _Container(token, self._path())
        if self.first is None:
            self.first = container
        self._open.append(container)
        self.expects = _FIRST_KEY if token == OBJECT else _FIRST_ITEM

    def _stop(self, token: str) -> None:
        closes = token == "}"
        empty = _FIRST_KEY if closes else _FIRST_ITEM
        if not self._open or (self._open[-1].kind == OBJECT) != closes:
            raise NotJson
        if self.expects not in (_NEXT, empty):
            raise NotJson
        container = self._open.pop()
        if container.path is not None:
            if not closes:
                name = f"{container.path}.length"
                self._findings.add(FactKind.JSON_FIELD, name, f"number {container.size}")
            elif container.size == 0 and self._open:
                self._findings.add(FactKind.JSON_FIELD, container.path, "object {}")
        self._done()

    def _done(self) -> None:
        if self._open:
            self._open[-1].size += 1
            self.expects = _NEXT
        else:
            self.expects = _END


def _typed(token: str, group: int) -> str:
    if group == 2:
        return f"string {json.dumps(json.loads(token), ensure_ascii=False)}"
    if group == 3:
        return f"number {token}"
    return "null null" if token == "null" else f"boolean {token}"
