"""Python's definitions by the standard library's ``ast``.

What counts is the syntax tree: names, operators, constants (docstrings among them), decorators,
annotations. Comments, white space, quotes, trailing commas and redundant parentheses are not in
it, nor whether a string has a needless ``u`` or is written in parts or with other escapes.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from symbols import CLASS, FUNCTION, Symbol, hashed

_HEAD = re.compile(rb"(?:async\s+)?(?:def|class)\s+")
_OWN_NAME = "\1"
Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read_python(data: bytes) -> tuple[Symbol, ...] | None:
    """Every function and class of a file; None where this Python cannot read it."""
    try:
        tree = ast.parse(data)
        comments = _comments(data)
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return None
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    if b"\f" in data or b"\r" in data:  # lines are counted in other ways then
        return None
    return tuple(_symbols(tree, "", data, starts, comments, outermost=True))


def _symbols(
    around: ast.AST,
    prefix: str,
    data: bytes,
    starts: list[int],
    comments: list[tuple[int, str]],
    *,
    outermost: bool,
) -> Iterator[Symbol]:
    for node in ast.iter_child_nodes(around):
        if isinstance(node, ast.expr):
            continue
        inner, level = prefix, outermost and isinstance(around, ast.Module)
        if isinstance(node, Defined):
            inner = f"{prefix}.{node.name}" if prefix else node.name
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            last = node.end_lineno or first
            begin = starts[node.lineno - 1] + node.col_offset
            head = _HEAD.match(data, begin)
            column = node.col_offset
            yield Symbol(
                inner,
                CLASS if isinstance(node, ast.ClassDef) else FUNCTION,
                _form(node, node.name),
                _form(node, _OWN_NAME),
                tuple(text for line, text in comments if first <= line <= last),
                starts[first - 1] + column,
                starts[last - 1] + (node.end_col_offset or 0),
                first,
                last,
                head.end() if head else begin,
                level and column == 0,
            )
        yield from _symbols(node, inner, data, starts, comments, outermost=level)


def _form(node: Defined, name: str) -> str:
    own, node.name = node.name, name
    for part in ast.walk(node):
        if isinstance(part, ast.Constant):
            part.kind = None
    dumped = ast.dump(node)
    node.name = own
    return hashed([dumped])


def _comments(data: bytes) -> list[tuple[int, str]]:
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return [
        (token.start[0], " ".join(token.string.split()))
        for token in tokens
        if token.type == tokenize.COMMENT
    ]
