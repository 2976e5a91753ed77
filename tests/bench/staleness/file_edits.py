"""Edits of a whole file that change nothing of what it means.

Each takes the bytes of a file and returns others, or None where it finds nothing to do or where
the result would not be sound: for Python the syntax trees must be equal, for other languages the
leaves that the edit is not about. The formatters answer for themselves.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from edit_tools import (
    Insertion,
    inserted,
    line_start,
    rows_in_brackets,
    sealed_rows,
    sound,
    statements,
)
from symbols import words
from syntax import SCRIPT, Node, is_comment, is_string, leaves, nodes, parse

FileEdit = Callable[[bytes, str], bytes | None]
_LISTS = words("arguments argument_list array array_expression object list dictionary")
_UNWRAPPED = words("""
    parenthesized_expression yield assignment lambda arrow_function function_expression
    generator_function class closure_expression
""")
_WHITE = re.compile(rb"[ \t]*")


def comments(data: bytes, language: str) -> bytes | None:
    """A comment line before every statement, and one behind it where its line ends."""
    mark = b"# noted" if language == "python" else b"// noted"
    found: list[Insertion] = []
    for node in statements(data, language):
        begin = line_start(data, node.start_byte)
        found.append((begin, data[begin : node.start_byte] + mark + b"\n"))
        stop = data.find(b"\n", node.end_byte)
        if stop >= 0 and data[node.end_byte : stop].strip() in (b"", b";", b","):
            found.append((stop, b"  " + mark))
    return sound(data, inserted(data, dict(found).items()), language)


def layout(data: bytes, language: str) -> bytes | None:
    """Empty lines between statements, blanks at ends of lines, lines in brackets moved."""
    sealed, within = sealed_rows(data, language), rows_in_brackets(data, language)
    starts = {node.start_point[0] for node in statements(data, language)}
    out = []
    for row, line in enumerate(data.splitlines(keepends=True)):
        if row in starts and row:
            out.append(b"\n")
        if row not in sealed and row in within:
            out.append(b"   ")
        code = line.rstrip()
        if code and not code.endswith(b"\\") and row + 1 not in sealed and line.endswith(b"\n"):
            out += [line[:-1], b"  \n"]
        else:
            out.append(line)
    return sound(data, b"".join(out), language)


def indentation(data: bytes, language: str) -> bytes | None:
    """Every indentation twice as wide."""
    sealed, out = sealed_rows(data, language), []
    for row, line in enumerate(data.splitlines(keepends=True)):
        white = _WHITE.match(line)
        out.append(line if row in sealed or white is None else white[0] + line)
    return sound(data, b"".join(out), language)


def quotes(data: bytes, language: str) -> bytes | None:
    """The other kind of quotes around strings that hold none."""
    if language != "python" and language not in SCRIPT:
        return None
    out = bytearray(data)
    for node in leaves(parse(data, language)):
        start, end = node.start_byte, node.end_byte
        text = data[start:end]
        other = {b"'": b'"', b'"': b"'"}.get(text[:1])
        plain = not set(b"\"'\\") & set(text[1:-1]) and text[-1:] == text[:1]
        if is_string(node) and node.type == "string" and other and plain and len(text) > 1:
            out[start:end] = other + text[1:-1] + other
    return sound(data, bytes(out), language, strings=False)


def commas(data: bytes, language: str) -> bytes | None:
    """A comma behind the last element of calls and of lists."""
    found: list[Insertion] = []
    for node in nodes(parse(data, language)):
        inner = [child for child in node.children if not is_comment(child)]
        if node.type not in _LISTS or len(inner) < 3 or any(c.type == ";" for c in inner):
            continue
        if inner[-2].type != ",":
            found.append((inner[-2].end_byte, b","))
    return sound(data, inserted(data, found), language, but=",")


def parentheses(data: bytes, language: str) -> bytes | None:
    """Parentheses around what is returned or assigned."""
    found: list[Insertion] = []
    for node in nodes(parse(data, language)):
        value = _value(node)
        if value is not None and value.type not in _UNWRAPPED:
            found += [(value.start_byte, b"("), (value.end_byte, b")")]
    return sound(data, inserted(data, found), language, but="()")


def formatter(data: bytes, language: str) -> bytes | None:
    """What a formatter makes of it with narrow lines and other quotes, where there is one."""
    ruff, rustfmt = Path(sys.executable).with_name("ruff"), shutil.which("rustfmt")
    if language == "python" and ruff.exists():
        command = [str(ruff), "format", "--isolated", "--line-length", "60"]
        command += ["--config", "format.quote-style='single'", "-"]
    elif language == "rust" and rustfmt is not None:
        options = "max_width=60,hard_tabs=true,reorder_imports=false"
        command = [rustfmt, "--edition", "2021", "--config", options]
    else:
        return None
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.stdout if not done.returncode and done.stdout not in (b"", data) else None


def _value(node: Node) -> Node:
    if node.type == "return_statement" and node.named_child_count == 1:
        inner = node.named_children[0]
        if inner.type == "expression_list" and inner.named_child_count == 1:
            return inner.named_children[0]
        return inner
    if node.type == "assignment":
        return node.child_by_field_name("right")
    if node.type in ("let_declaration", "variable_declarator"):
        return node.child_by_field_name("value")
    return None


# By name: the edit, and whether it is our readers that say what is stale of it (a formatter
# indents docstrings anew, which counts); of the others nothing is.
FILE_EDITS: dict[str, tuple[FileEdit, bool]] = {
    "comments": (comments, False),
    "white space": (layout, False),
    "indentation": (indentation, False),
    "quotes": (quotes, False),
    "trailing commas": (commas, False),
    "parentheses": (parentheses, False),
    "formatter": (formatter, True),
}
