"""What counts as a change of a definition, language by language."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sakur4_core.cortex.extraction import parse
from sakur4_core.cortex.languages import by_name


def whole(language: str, text: str) -> str:
    """The hash of a whole file."""
    return str(parse("a/sample", text, by_name(language))["definitions"][0].body_hash)


def surface(language: str, text: str, name: str) -> str:
    """The hash of a definition's declared surface."""
    found = parse("a/sample", text, by_name(language))["definitions"]
    return str(next(one.interface_hash for one in found if one.qualified_name == name))


SAME = [
    # layout and comments
    ("python", "def f(a):\n    return a\n", "def f( a ):  # why\n\n  return a\n"),
    ("python", "x = a + b\n", "x = (\n    a  # one\n    + b\n)\n"),
    ("python", "x = a.b().c()\n", "x = (\n    a.b()\n    .c()\n)\n"),
    ("python", "if a:\n    b()\n", "if a: b()"),
    ("python", "# first\nx = 1\n", "\n\nx = 1"),
    ("python", "x = 'a' 'b'\n", 'x = (\n    "a"\n    "b"\n)\n'),
    ("typescript", "f(a, b);\n", "f(\n  a, // one\n  b,\n);\n"),
    ("rust", "fn f(a: u8) { g(a) }\n", "/// doc\nfn f(\n    a: u8,\n) {\n    g(a) // why\n}\n"),
    ("go", "func f() { g(a, b) }\n", "func f() {\n\tg(\n\t\ta,\n\t\tb, // why\n\t)\n}\n"),
    (
        "java",
        "class A { int f() { return 1; } }",
        "class A {\n  // why\n  int f() { return 1; }\n}",
    ),
    # trailing commas
    ("python", "class A(B,): pass\n", "class A(B): pass\n"),
    ("rust", "struct A { a: u8, b: u8 }\n", "struct A { a: u8, b: u8, }\n"),
    ("rust", "match a { A => { b } C => d }\n", "match a { A => { b }, C => d, }\n"),
    ("go", "var a = []int{1, 2}\n", "var a = []int{\n\t1,\n\t2,\n}\n"),
    ("typescript", "enum A { B, C }\n", "enum A {\n  B,\n  C,\n}\n"),
    # optional semicolons
    ("python", "a = 1; b = 2;\n", "a = 1\nb = 2\n"),
    ("javascript", "const a = 1;\nf(a);\nreturn_()\n", "const a = 1\nf(a)\nreturn_();\n"),
    (
        "typescript",
        "interface A { a: string; b: number }\n",
        "interface A {\n  a: string\n  b: number;\n}\n",
    ),
    ("typescript", "class A { x = 1; f() {} }\n", "class A {\n  x = 1\n  f() {}\n}\n"),
    ("go", "func f() { a(); b() }\n", "func f() {\n\ta()\n\tb()\n}\n"),
    # redundant parentheses
    ("python", "x = (a * b) + c\n", "x = a * b + c\n"),
    ("python", "return_((a), ((b)))\n", "return_(a, b)\n"),
    ("python", "f((x for x in y))\n", "f(x for x in y)\n"),
    ("python", "with (a as b, c as d,):\n    e\n", "with a as b, c as d:\n    e\n"),
    ("python", "if a := b if c else d: e\n", "if (a := (b if c else d)): e\n"),
    ("typescript", "x = (a * b) + c;\n", "x = a * b + c;\n"),
    ("typescript", "f((x) => x);\n", "f(x => (x));\n"),
    ("rust", "fn f() { (a * b) + c }\n", "fn f() { a * b + c }\n"),
    ("go", "var a = (b * c) + d\n", "var a = b*c + d\n"),
    (
        "go",
        "func f() int { switch a { case b: return (c)\ndefault: return (d)\n} }\n",
        "func f() int { switch a { case b: return c\ndefault: return d\n} }\n",
    ),
    # quotes
    ("python", "x = 'a b'\n", 'x = "a b"\n'),
    ("python", "x = u'a'\n", "x = '''a'''\n"),
    ("javascript", "f('it\\'s');\n", 'f("it\'s");\n'),
    ("tsx", "<A b='c'/>;\n", '<A b="c"/>;\n'),
    # texts of elements: white space as a browser has it
    ("tsx", "<p>a b</p>;\n", "<p>\n  a\n  b\n</p>;\n"),
]


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_layout_and_style_do_not_count(language: str, one: str, other: str) -> None:
    assert whole(language, one) == whole(language, other)


# A file's first definition, and what stands behind or at the end of it.
SAME_FIRST = [
    ("python", "def f():\n    if a:\n        b\n", "def f():\n    if a:\n        b\n    # c\n"),
    (
        "python",
        "def f():\n    if a:\n        b\n",
        "def f():\n    if a:\n        b\n        # c\n",
    ),
    ("python", "class A:\n    x: int\n", "class A:\n    x: int  # c\n"),
    ("python", "class A:\n    x = 1\n", "class A:\n    x = 1\n    # c\n\n\nb()\n"),
    ("python", "class A:\n    x = 1\n", "class A:\n    x = 1;\n"),
    ("python", "class A:\n    def f(): b\n", "class A:\n    def f():\n        b\n    # c\n"),
    ("typescript", "class A { x = 1 }\n", "class A {\n  x = 1; // c\n  // d\n}\n"),
    ("go", "type A struct { x int }\n", "type A struct {\n\tx int // c\n\t// d\n}\n"),
    ("rust", "struct A { x: u8 }\n", "struct A {\n    x: u8, // c\n    // d\n}\n"),
]


@pytest.mark.parametrize(("language", "one", "other"), SAME_FIRST)
def test_where_a_definition_ends_does_not_count(language: str, one: str, other: str) -> None:
    before, after = (
        parse("a", text, by_name(language))["definitions"][1] for text in (one, other)
    )
    assert before.qualified_name == after.qualified_name
    assert before.interface_hash == after.interface_hash
    assert before.body_hash == after.body_hash


DIFFERENT = [
    # operators and grouping
    ("python", "x = (a + b) * c\n", "x = a + b * c\n"),
    ("python", "x = -a ** b\n", "x = (-a) ** b\n"),
    ("python", "x = not a == b\n", "x = (not a) == b\n"),
    ("python", "if a := b if c else d: e\n", "if (a := b) if c else d: e\n"),
    ("python", "x = (a, b)\n", "x = [a, b]\n"),
    ("python", "f((a, b))\n", "f(a, b)\n"),
    ("typescript", "x = (a + b) * c;\n", "x = a + b * c;\n"),
    ("typescript", "x = (a, b);\n", "f(a, b);\n"),
    ("typescript", "x = a + +b;\n", "x = a ++ + b;\n"),
    ("typescript", "f(() => ({ a }));\n", "f(() => { a });\n"),
    ("typescript", "x = (a?.b).c;\n", "x = a?.b.c;\n"),
    ("rust", "fn f() { (self.a)(b) }\n", "fn f() { self.a(b) }\n"),
    ("typescript", "if (a) [b];\n", "if (a[b]);\n"),
    ("typescript", "x = new (a.b());\n", "x = new a.b();\n"),
    ("rust", "fn f() { (a + b) * c }\n", "fn f() { a + b * c }\n"),
    ("rust", "fn f() { a & &b }\n", "fn f() { a && b }\n"),
    ("rust", "fn f() { (*a).b }\n", "fn f() { *a.b }\n"),
    ("go", "func f() { a <- b }\n", "func f() { _ = a < -b }\n"),
    ("go", "func f() { _ = (*a).b }\n", "func f() { _ = *a.b }\n"),
    # where statements end
    ("python", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
    ("python", "a\n(b)\n", "a(b)\n"),
    ("python", "if a:\n  if b:\n    c\nelse:\n  d\n", "if a:\n  if b:\n    c\n  else:\n    d\n"),
    ("javascript", "a;\n(b);\n", "a(b);\n"),
    ("javascript", "return_\na\n", "return_a\n"),
    ("rust", "fn f() -> u8 { a }\n", "fn f() -> u8 { a; }\n"),
    ("go", "func f() { a; b() }\n", "func f() { ab() }\n"),
    # strings
    ("python", "x = 'a b'\n", "x = 'a  b'\n"),
    ("python", "x = 'a,)'\n", "x = 'a)'\n"),
    ("python", "x = '# a'\n", "x = ''\n"),
    ("python", "x = b'a'\n", "x = 'a'\n"),
    ("python", "x = r'\\n'\n", "x = '\\n'\n"),
    ("python", "x = f'{a} b'\n", "x = f'{a}b'\n"),
    ("python", "x = f'{a + b}'\n", "x = f'{a - b}'\n"),
    ("typescript", "x = `a b`;\n", "x = `a  b`;\n"),
    ("typescript", "x = `${a} b`;\n", "x = `${a}b`;\n"),
    ("typescript", "x = /a b/;\n", "x = /ab/;\n"),
    ("tsx", "<p>a, b</p>;\n", "<p>a , b</p>;\n"),
    ("go", "var a = 'b'\n", 'var a = "b"\n'),
    ("rust", 'const A: &str = "a b";\n', 'const A: &str = "ab";\n'),
    # commas that mean something
    ("python", "x = (1,)\n", "x = (1)\n"),
    ("python", "x = 1,\n", "x = 1\n"),
    ("python", "x = d[1,]\n", "x = d[1]\n"),
    ("rust", "const A: (u8,) = (1,);\n", "const A: (u8) = (1);\n"),
    # names
    ("python", "x = not a\n", "x = nota\n"),
    ("python", "return_ (a)\n", "return_a\n"),
    ("python", "def f():\n    '''A.'''\n", "def f():\n    '''B.'''\n"),
]


@pytest.mark.parametrize(("language", "one", "other"), DIFFERENT)
def test_what_means_something_else_counts(language: str, one: str, other: str) -> None:
    assert whole(language, one) != whole(language, other)


CHANGES = [
    # language, before, after, a definition, whether its declared surface changed
    ("typescript", "class A { f(a) { b } }", "class A { f(a) { c } }", "A.f", False),
    ("typescript", "class A { f(a) { b } }", "class A { f(c) { b } }", "A.f", True),
    ("typescript", "class A { f(a) { b } }", "class A { f(c) { b } }", "A", True),
    ("typescript", "class A { f() {} g() {} }", "class A { g() {} f() {} }", "A", False),
    ("typescript", "export function f() {}", "function f() {}", "f", True),
    ("typescript", "type A = string;", "type A = number;", "A", True),
    ("typescript", "const a = 1;", "const a = 2;", "a", False),
    ("rust", "struct A { a: u8 }", "struct A { a: u16 }", "A", True),
    ("rust", "struct A(u8);", "struct A(u16);", "A", True),
    ("rust", "fn f() { a }", "#[test]\nfn f() { a }", "f", True),
    ("rust", "trait A { fn f(); }", "trait A { fn f(a: u8); }", "A", True),
    # What stands apart from a type moves and changes apart from it.
    (
        "rust",
        "struct A;\nimpl A { fn f() {} }",
        "struct A;\nimpl A { fn f(a: u8) {} }",
        "A",
        False,
    ),
    ("go", "type A struct{}\nfunc (a A) F() {}", "type A struct{}", "A", False),
    ("go", "type A struct { a int }", "type A struct { b int }", "A", True),
    (
        "go",
        "type A struct{}\nfunc (a A) F() { b() }",
        "type A struct{}\nfunc (a A) F() { c() }",
        "A.F",
        False,
    ),
    ("go", "type A interface { F() }", "type A interface { F(a int) }", "A", True),
]


@pytest.mark.parametrize(("language", "before", "after", "name", "changed"), CHANGES)
def test_a_surface_is_what_others_can_see(
    language: str, before: str, after: str, name: str, changed: bool
) -> None:
    assert (surface(language, before, name) != surface(language, after, name)) == changed


@pytest.mark.parametrize("language", ["python", "typescript", "rust", "go"])
def test_a_definition_has_the_same_hash_wherever_it_stands(language: str) -> None:
    texts = {
        "python": "def f(a):\n    if a:\n        return (a + 1)\n",
        "typescript": "export function f(a) { if (a) return (a + 1) }\n",
        "rust": "fn f(a: u8) -> u8 { if a { return (a + 1) } }\n",
        "go": "func f(a int) int { if a { return (a + 1) } }\n",
    }
    before = {
        "python": "import os\n\n\n",
        "typescript": "let x = 1\n",
        "rust": "use a;\n",
        "go": "var x = 1\n",
    }
    text = texts[language]
    alone = parse("a", text, by_name(language))["definitions"][1]
    below = parse("b", before[language] + text + before[language], by_name(language))
    moved = next(one for one in below["definitions"] if one.name == "f")
    assert (moved.interface_hash, moved.body_hash) == (alone.interface_hash, alone.body_hash)


@pytest.mark.parametrize(
    "language", ["python", "typescript", "tsx", "javascript", "rust", "go", "ruby", "cpp", "swift"]
)
@given(
    text=st.text(
        alphabet=st.sampled_from("ab=(){}[],;:'\"`\\\n \x00\x01\x11\t<>/#${}é@."), max_size=60
    )
)
@settings(max_examples=40, deadline=None)
def test_any_text_is_read_and_twice_alike(language: str, text: str) -> None:
    assert parse("a", text, by_name(language)) == parse("a", text, by_name(language))
