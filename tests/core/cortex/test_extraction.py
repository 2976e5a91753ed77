"""Python's constructs, one by one, and what counts as a change of each."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.cortex.extraction import parse
from sakur4_core.cortex.languages import by_name, language_of
from sakur4_core.cortex.model import Definition

PYTHON = by_name("python")

SAMPLE = '''\
"""A module."""

import os
import os.path as osp
from collections import OrderedDict as OD, abc
from . import sibling
from ..up import *

LIMIT: int = 3
KEY = "sk-ant-abcdefghijklmnopqrstuvwxyz"
type Pair = tuple[int, int]


@decorated
class Base(Parent, metaclass=Meta):
    """Doc."""

    field: int = 0

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, value: str) -> None:  # set
        self._name = value

    class Inner:
        async def run(self): ...


def outer(a, b=1, *rest, **more):
    def nested():
        local = 1
        return local

    return nested()


if LIMIT:

    def guarded(): ...

else:

    def guarded(): ...
'''


def definitions(text: str) -> dict[tuple[str, str, int], Definition]:
    found = parse("pkg/mod.py", text, PYTHON)["definitions"]
    return {(d.kind.value, d.qualified_name, d.ordinal): d for d in found}


def test_every_construct_is_found_with_kind_name_and_ordinal() -> None:
    assert set(definitions(SAMPLE)) == {
        ("module", "pkg.mod", 0),
        ("constant", "LIMIT", 0),
        ("constant", "KEY", 0),
        ("type", "Pair", 0),
        ("class", "Base", 0),
        ("constant", "Base.field", 0),
        ("method", "Base.name", 0),
        ("method", "Base.name", 1),
        ("class", "Base.Inner", 0),
        ("method", "Base.Inner.run", 0),
        ("function", "outer", 0),
        ("function", "outer.nested", 0),
        ("function", "guarded", 0),
        ("function", "guarded", 1),
    }


def test_signatures_lines_and_values() -> None:
    found = definitions(SAMPLE)
    setter = found["method", "Base.name", 1]
    assert setter.signature == "def name(self, value: str) -> None"
    assert (setter.line_start, setter.line_end) == (24, 26)
    assert found["class", "Base", 0].signature == "class Base(Parent, metaclass=Meta)"
    assert found["constant", "LIMIT", 0].value == "3"
    assert found["method", "Base.Inner.run", 0].signature == "async def run(self)"


def test_a_secret_in_a_constant_is_not_kept() -> None:
    parts = parse("pkg/mod.py", SAMPLE, PYTHON)
    assert "sk-ant-abc" not in repr(parts)


FUNCTION = 'def f(a, b=(1, 2)):\n    """Doc."""\n    x = (a + b) * 2\n    return g("s", x)\n'


@pytest.mark.parametrize(
    "same",
    [
        'def f(a,   b=(1, 2),):  # note\n  """Doc."""\n  x = (a + b) * 2\n  return g("s", x)\n',
        "def f(a, b=(1,2)):\n    '''Doc.'''\n    x = ((a + b)) * 2\n    return (g('s', x,))\n",
        'def f(a, b=(1, 2)):\n    """Doc."""; x = (a + b) * 2\n    # why\n'
        '    return g("s", \\\n x)\n',
        '\n\nq = 1\n\ndef f(a, b=(1, 2)):\n    """Doc."""\n    x = (a + b) * 2\n'
        '    return g("s", x)\n',
    ],
)
def test_layout_does_not_count(same: str) -> None:
    before, after = (definitions(text)["function", "f", 0] for text in (FUNCTION, same))
    assert before.interface_hash == after.interface_hash
    assert before.body_hash == after.body_hash


@pytest.mark.parametrize(
    ("changed", "surface"),
    [
        (FUNCTION.replace("Doc", "Docs"), False),
        (FUNCTION.replace("a + b", "a - b"), False),
        (FUNCTION.replace("(a + b) * 2", "a + b * 2"), False),
        (FUNCTION.replace("b=(1, 2)", "b=(1, 3)"), True),
        (FUNCTION.replace("def f", "async def f"), True),
        ("@cache\n" + FUNCTION, True),
        (FUNCTION.replace('"s"', 'b"s"'), False),
        (FUNCTION.replace("    return", "    if x:\n        pass\n    return"), False),
    ],
)
def test_what_a_reader_calls_a_change_counts(changed: str, surface: bool) -> None:
    before, after = (definitions(text)["function", "f", 0] for text in (FUNCTION, changed))
    assert before.body_hash != after.body_hash
    assert (before.interface_hash != after.interface_hash) == surface


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = (1,)", "x = (1)"),
        ("x = r'\\n'", "x = '\\n'"),
        ("if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
        ("x = d[1,]", "x = d[1]"),
        ("x = f'{a}'", "x = '{a}'"),
    ],
)
def test_near_misses_differ(one: str, other: str) -> None:
    hashes = {definitions(t)["module", "pkg.mod", 0].body_hash for t in (one, other)}
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("from a import (b, c)", "from a import b, c"),
        ("x = 1, 2", "x = (1, 2)"),
        ("for (a, b) in c: pass", "for a, b in c:\n    pass"),
        ("x = 'it\\'s'", 'x = "it\'s"'),
        ("x = [1, 2]", "x = [\n    1,\n    2,\n]"),
        ("a = 1; b = 2", "a = 1\nb = 2"),
    ],
)
def test_styles_are_equal(one: str, other: str) -> None:
    hashes = {definitions(t)["module", "pkg.mod", 0].body_hash for t in (one, other)}
    assert len(hashes) == 1


def test_reordered_members_keep_a_class_surface() -> None:
    one = "class A:\n    x: int\n    def f(self): ...\n"
    other = "class A:\n    def f(self): return 1\n    x: int\n"
    before, after = (definitions(text)["class", "A", 0] for text in (one, other))
    assert before.interface_hash == after.interface_hash
    assert before.body_hash != after.body_hash


def test_deep_nesting_is_parsed_without_recursion() -> None:
    depth = 5000
    parts = parse("deep.py", "x = " + "[" * depth + "]" * depth + "\n", PYTHON)
    assert ("constant", "x") in {(d.kind.value, d.qualified_name) for d in parts["definitions"]}


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_parses_and_gives_the_same_twice(text: str) -> None:
    assert parse("a.py", text, PYTHON) == parse("a.py", text, PYTHON)


def test_languages_are_told_by_suffix() -> None:
    assert language_of("a/b.PYI") is PYTHON
    assert language_of("a/b.py", ("go",)) is None
    assert language_of(".py") is None
