"""CSV and TSV: every column with its name, its type and how many values it holds."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from sakur4_core.memory.tool_output.finding import Findings, Parsed, Parser
from sakur4_core.memory.tool_output.output import Output
from sakur4_core.models import FactKind

# Rows whose values are looked at for types; the others are only counted and measured.
TYPED_ROWS = 5_000
MAX_COLUMNS = 200
MIN_ROWS = 2
_NAME = re.compile(r"[^\W\d][\w.%#/$-]{0,60}(?: [\w.%#/$()\[\]-]{1,40}){0,4}$")
_HASH = re.compile(r"[0-9a-f]{7,64}$")
_WORD = re.compile(r"[a-z_][a-z0-9_]{0,60}$")
# The first that all values of a column match is its type.
_TYPES = (
    ("boolean", re.compile(r"(?i:true|false)$")),
    ("integer", re.compile(r"[+-]?\d{1,300}$")),
    (
        "number",
        re.compile(r"[+-]?(?:\d{1,300}+(?:\.\d{0,300}+)?+|\.\d{1,300}+)(?:[eE][+-]?\d{1,9})?$"),
    ),
    ("date", re.compile(r"\d{4}-\d\d-\d\d$")),
    (
        "time",
        re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$"),
    ),
)


def _read(output: Output) -> Parsed | None:
    """Claim rows of equal length below a header that cannot be a row itself."""
    body = output.document
    if output.omitted:
        body = body.rpartition("\n")[0]
    first = body.partition("\n")[0]
    for delimiter, name in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        if delimiter in first:
            rows = _rows(body, delimiter)
            return _parsed(rows, name) if rows and _proven(rows, delimiter) else None
    return None


def _rows(body: str, delimiter: str) -> list[list[str]] | None:
    rows: list[list[str]] = []
    width = 0
    try:
        for row in csv.reader(body.split("\n"), delimiter=delimiter, strict=True):
            width = width or len(row)
            if len(row) != width or not 2 <= width <= MAX_COLUMNS:
                return None
            rows.append(row)
    except csv.Error:
        return None
    return rows if len(rows) > MIN_ROWS else None


def _proven(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    """A header of distinct names, and values of another sort below at least one of them."""
    header = rows[0]
    if len(set(header)) < len(header) or not all(_NAME.match(name) for name in header):
        return False
    if any(_HASH.match(name) and not name.isalpha() for name in header):
        return False
    if delimiter == "," and any(value.startswith(" ") for row in rows[:20] for value in row[1:]):
        return False
    typed = any(_type(column) not in ("text", "empty") for column in _columns(rows))
    return typed or (len(header) > 2 and all(_WORD.match(name) for name in header))


def _columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [
        [value for row in rows[1 : TYPED_ROWS + 1] if (value := row[index].strip())]
        for index in range(len(rows[0]))
    ]


def _type(values: Sequence[str]) -> str:
    if not values:
        return "empty"
    for name, pattern in _TYPES:
        if all(pattern.match(value) for value in values):
            return name
    return "text"


def _parsed(rows: Sequence[Sequence[str]], name: str) -> Parsed:
    findings = Findings()
    count = len(rows) - 1
    for index, (column, values) in enumerate(zip(rows[0], _columns(rows), strict=True)):
        empty = sum(not row[index].strip() for row in rows[1:])
        value = f"{_type(values)}, {count} values" + (f", {empty} empty" if empty else "")
        findings.add(FactKind.CSV_COLUMN, column, value)
    summary = f"{name.upper()}, {count} rows, {len(rows[0])} columns"
    return findings.parsed(name, summary)


PARSER = Parser((), _read)
