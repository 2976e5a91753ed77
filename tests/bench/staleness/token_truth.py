"""Definitions of Go, Rust, TypeScript and JavaScript, by tree-sitter's trees.

What counts of one stands in ``token_form``. To a definition belong its decorators or attributes,
and the ``export``, ``const`` or ``type`` that declares it alone. The form of a type of Go or Rust
is its own declaration; methods stand apart from it.
"""

from __future__ import annotations

from collections.abc import Iterator

from symbols import CLASS, FUNCTION, Symbol, hashed, words
from syntax import Node, is_comment, leaves, parse
from token_form import Form

_FUNCTIONS = words("""
    function_declaration generator_function_declaration method_definition function_signature
    method_signature abstract_method_signature method_declaration method_elem function_item
    function_signature_item macro_definition
""")
_CLASSES = words("""
    class_declaration abstract_class_declaration interface_declaration enum_declaration type_spec
    struct_item union_item enum_item trait_item
""")
_HOLD_FUNCTION = words("variable_declarator public_field_definition field_definition")
_FUNCTION_VALUES = words("arrow_function function_expression generator_function")
_SPACES = words("mod_item internal_module module impl_item")
_WRAPPERS = words("""
    export_statement ambient_declaration lexical_declaration variable_declaration type_declaration
""")
_ROOTS = words("program source_file")


def read_tokens(data: bytes, language: str) -> tuple[Symbol, ...] | None:
    """Every function and type of a file; None where the grammar finds faults in it."""
    root = parse(data, language)
    if root.has_error:
        return None
    return tuple(_Reader(Form(data, language)).symbols(root, ""))


class _Reader:
    def __init__(self, form: Form) -> None:
        self._form = form
        self._text = form.text

    def symbols(self, around: Node, prefix: str) -> Iterator[Symbol]:
        for node in around.named_children:
            named = self._named(node)
            inner = prefix
            if named is not None and node.type in _SPACES:
                own = self._text(named).strip("\"'")
                inner = own if node.type == "impl_item" or not prefix else f"{prefix}.{own}"
            kind = self._kind(node)
            if kind and named is not None:
                owner = self._receiver(node) if node.type == "method_declaration" else prefix
                own = self._text(named)
                inner = f"{owner}.{own}" if owner else own
                yield self._symbol(node, named, inner, kind)
            yield from self.symbols(node, inner)

    def _kind(self, node: Node) -> str:
        if node.type in _FUNCTIONS:
            return FUNCTION
        if node.type in _CLASSES:
            return CLASS
        if node.type in _HOLD_FUNCTION:
            value = node.child_by_field_name("value")
            if value is not None and value.type in _FUNCTION_VALUES:
                return FUNCTION
        return ""

    def _named(self, node: Node) -> Node | None:
        if node.type == "impl_item":
            given = node.child_by_field_name("type")
            while given is not None and given.type in ("generic_type", "reference_type"):
                given = given.child_by_field_name("type")
            return given
        return node.child_by_field_name("name") or node.child_by_field_name("property")

    def _receiver(self, node: Node) -> str:
        receiver = node.child_by_field_name("receiver")
        names = (leaf for leaf in leaves(receiver) if leaf.type == "type_identifier")
        return next((self._text(leaf) for leaf in names), "")

    def _symbol(self, node: Node, named: Node, name: str, kind: str) -> Symbol:
        outer, before = self._around(node)
        first = (before or [outer])[0]
        head = [part for one in before for part in self._form.parts(one)]
        while outer != node:
            inner = next(c for c in outer.children if _within(node, c))
            rest = [part for c in outer.children if c != inner for part in self._form.parts(c)]
            head += [part for part in rest if part not in (";", "")]
            outer = inner
        outer, _ = self._around(node)
        form, shape = self._form.parts(node), self._form.parts(node, named.start_byte)
        comments = [
            " ".join(self._text(one).split()) for one in self._comments(first, outer.end_byte)
        ]
        at_root = outer.parent is not None and outer.parent.type in _ROOTS
        return Symbol(
            name,
            kind,
            hashed([*head, "\2", *form]),
            hashed([*head, "\2", *shape]),
            tuple(comments),
            first.start_byte,
            outer.end_byte,
            first.start_point[0] + 1,
            outer.end_point[0] + 1,
            named.start_byte,
            at_root and first.start_point[1] == 0 and "." not in name,
        )

    def _around(self, node: Node) -> tuple[Node, list[Node]]:
        """A definition with what declares it, and the decorators before it."""
        outer = node
        while outer.parent is not None and outer.parent.type in _WRAPPERS:
            alike = [c for c in outer.parent.named_children if c.type == outer.type]
            if len(alike) > 1:
                break
            outer = outer.parent
        before: list[Node] = []
        sibling = outer.prev_sibling
        while sibling is not None and (
            sibling.type in ("decorator", "attribute_item") or is_comment(sibling)
        ):
            if not is_comment(sibling):
                before.insert(0, sibling)
            sibling = sibling.prev_sibling
        return outer, before

    def _comments(self, first: Node, end: int) -> Iterator[Node]:
        sibling = first
        while sibling is not None and sibling.start_byte < end:
            yield from (leaf for leaf in leaves(sibling) if is_comment(leaf))
            sibling = sibling.next_sibling


def _within(node: Node, outer: Node) -> bool:
    return bool(outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte)
