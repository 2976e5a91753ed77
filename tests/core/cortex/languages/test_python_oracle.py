"""Python's normal form held against Python's own syntax tree, on this project's sources."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
import warnings
from functools import cache
from pathlib import Path

import sakur4_core
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.cortex.extraction import parse
from sakur4_core.cortex.languages import by_name

PYTHON = by_name("python")
LONGEST = 25
# Within strings, escapes, and numbers with underscores, have more than one spelling.
SPELLED = re.compile(r"\\|\d_\d")
PIECES = ["(", ")", ",", "+", "-", "not ", ";", "\n", "[", "]", " ", "*", ".", "    "]


@cache
def functions() -> tuple[str, ...]:
    """The text of every short function of the engine."""
    found = []
    for path in sorted(Path(sakur4_core.__file__).parent.rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                end = node.end_lineno or node.lineno
                lines = text.splitlines(keepends=True)[node.lineno - 1 : end]
                if len(lines) < LONGEST:
                    found.append(textwrap.dedent("".join(lines)))
    return tuple(found)


def form(text: str) -> str | None:
    """The hash of a text's normal form; None where the grammar does not know it."""
    parts = parse("a.py", text, PYTHON)
    return None if parts["broken"] else str(parts["definitions"][0].body_hash)


def literals(text: str) -> list[str]:
    """Numbers as they are spelled and strings' prefixes: other spellings are no layout."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    kinds = (tokenize.NUMBER, tokenize.STRING)
    return [re.split("[\"']", t.string)[0] for t in tokens if t.type in kinds]


def test_a_function_unparsed_by_python_has_the_same_form() -> None:
    compared = 0
    for text in functions()[::6]:
        plain = ast.unparse(ast.parse(text)) + "\n"
        if SPELLED.search(text) or literals(text) != literals(plain):
            continue
        compared += 1
        assert form(text) == form(plain), text
    assert compared > 150


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_texts_of_different_trees_have_different_forms(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(functions()))
    edited = _edited(text, data)
    trees = []
    for one in (text, edited):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trees.append(ast.dump(ast.parse(one)))
        except (SyntaxError, ValueError):
            return
    forms = [form(text), form(edited)]
    if None not in forms and trees[0] != trees[1]:
        assert forms[0] != forms[1]


def _edited(text: str, data: st.DataObject) -> str:
    """The text with a token left out, a piece put in, a part in parentheses, or a line moved."""
    tokens = [
        (_offset(text, t.start), _offset(text, t.end))
        for t in tokenize.generate_tokens(io.StringIO(text).readline)
        if t.type in (tokenize.OP, tokenize.NAME)
    ]
    start, end = data.draw(st.sampled_from(tokens))
    kind = data.draw(st.sampled_from(["leave out", "put in", "group", "move"]))
    if kind == "leave out":
        return text[:start] + text[end:]
    if kind == "put in":
        return text[:start] + data.draw(st.sampled_from(PIECES)) + text[start:]
    if kind == "group":
        other, stop = data.draw(st.sampled_from(tokens))
        low, high = min(start, other), max(end, stop)
        return f"{text[:low]}({text[low:high]}){text[high:]}"
    lines = text.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = data.draw(st.sampled_from([f"    {lines[at]}", lines[at].removeprefix("    ")]))
    return "".join(lines)


def _offset(text: str, place: tuple[int, int]) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: place[0] - 1])) + place[1]
