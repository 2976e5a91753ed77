"""Setting and removing one member or element of a JSON file as text: all else stays byte for byte.

Comments and trailing commas are kept. The syntax tree gives positions only; what is written is
spliced into the original bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sakur4_core.errors import ConfigError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    pair: Node
    value: Node


def set_member(source: bytes, path: tuple[str, ...], value: Any) -> bytes:
    """``source`` with ``value`` at ``path``; unchanged if it stands there already.

    Raises:
        ConfigError: The text is no JSON object, or a step of the path is no object.
    """
    if not source.strip():
        return (json.dumps(_nest(path, value), indent=2) + "\n").encode()
    found = _root(source)
    for depth, key in enumerate(path):
        member = _find(found, key)
        if member is None:
            return _insert(source, found, key, _nest(path[depth + 1 :], value))
        if depth == len(path) - 1:
            return _replace(source, member.value, value)
        found = _object(source, member.value, key)
    raise AssertionError("an empty path")


def remove_member(source: bytes, path: tuple[str, ...]) -> bytes:
    """``source`` without the member at ``path``, and without the objects it leaves empty.

    Raises:
        ConfigError: As :func:`set_member`.
    """
    if not source.strip():
        return source
    objects = [_root(source)]
    for key in path[:-1]:
        member = _find(objects[-1], key)
        if member is None:
            return source
        objects.append(_object(source, member.value, key))
    for depth in reversed(range(len(path))):
        member = _find(objects[depth], path[depth])
        if member is None:
            return source
        if depth == 0 or len(_members(objects[depth])) > 1:
            pairs = [one.pair for one in _members(objects[depth])]
            return _cut(source, objects[depth], pairs, pairs.index(member.pair))
    raise AssertionError("unreachable")


def set_element(
    source: bytes, path: tuple[str, ...], value: Any, ours: Callable[[Any], bool]
) -> bytes:
    """``source`` with ``value`` in the list at ``path``, in place of the first that is ours.

    Raises:
        ConfigError: As :func:`set_member`, or there is something else than a list.
    """
    found = _list(source, path)
    if found is None:
        return set_member(source, path, [value])
    elements = _elements(found)
    for element in elements:
        if ours(_value(element)):
            return _replace(source, element, value)
    return _splice(
        source, found, elements, lambda indent, inline: _dump(source, value, indent, inline=inline)
    )


def remove_elements(source: bytes, path: tuple[str, ...], ours: Callable[[Any], bool]) -> bytes:
    """``source`` without what is ours in the list at ``path``, and without what that leaves empty.

    Raises:
        ConfigError: As :func:`set_element`.
    """
    while (found := _list(source, path)) is not None:
        elements = _elements(found)
        place = next((n for n, one in enumerate(elements) if ours(_value(one))), None)
        if place is None:
            return source
        if len(elements) == 1:
            return remove_member(source, path)
        source = _cut(source, found, elements, place)
    return source


def get_member(source: bytes, path: tuple[str, ...]) -> Any:
    """The value at ``path``, or None. Raises as :func:`set_member`."""
    node = _at(source, path)
    return None if node is None else _value(node)


def _at(source: bytes, path: tuple[str, ...]) -> Node | None:
    """The node of the value at ``path``, or None."""
    if not source.strip():
        return None
    node = _root(source)
    for depth, key in enumerate(path):
        member = _find(node, key)
        if member is None:
            return None
        if depth == len(path) - 1:
            return member.value
        node = _object(source, member.value, key)
    return None


def _list(source: bytes, path: tuple[str, ...]) -> Node | None:
    node = _at(source, path)
    if node is not None and node.type != "array":
        line = node.start_point[0] + 1
        raise ConfigError(f"{path[-1]!r} at line {line} is no list.", "Nothing was changed.")
    return node


@cache
def _parser() -> Parser:
    from tree_sitter_language_pack import get_parser

    return get_parser("json")


def _root(source: bytes) -> Node:
    tree = _parser().parse(source)
    broken = _first_error(tree.root_node)
    if broken is not None:
        raise ConfigError(
            f"The file is no valid JSON at line {broken.start_point[0] + 1}.",
            "Nothing was changed; correct it first.",
        )
    values = [node for node in tree.root_node.named_children if node.type != "comment"]
    if len(values) != 1 or values[0].type != "object":
        raise ConfigError("The file holds no JSON object.", "Nothing was changed.")
    return values[0]


def _first_error(node: Node) -> Node | None:
    if not node.has_error:
        return None
    for child in node.children:
        if child.is_missing or child.type == "ERROR":
            # A trailing comma is an error to the grammar and fine to the harnesses.
            if child.type == "ERROR" and child.text == b",":
                continue
            return child
        found = _first_error(child)
        if found is not None:
            return found
    return None


def _members(node: Node) -> list[_Member]:
    members = []
    for pair in node.named_children:
        if pair.type == "pair":
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            assert key is not None
            assert value is not None
            members.append(_Member(str(_value(key)), pair, value))
    return members


def _find(node: Node, key: str) -> _Member | None:
    return next((member for member in reversed(_members(node)) if member.key == key), None)


def _object(source: bytes, node: Node, key: str) -> Node:
    if node.type != "object":
        line = node.start_point[0] + 1
        raise ConfigError(f"{key!r} at line {line} is no object.", "Nothing was changed.")
    return node


def _value(node: Node) -> Any:
    """The node's value, comments and trailing commas left out."""
    if node.type == "object":
        return {member.key: _value(member.value) for member in _members(node)}
    if node.type == "array":
        return [_value(child) for child in _elements(node)]
    assert node.text is not None
    return json.loads(node.text)


_NO_VALUES = ("comment", "ERROR")


def _elements(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type not in _NO_VALUES]


def _nest(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _replace(source: bytes, node: Node, value: Any) -> bytes:
    if _value(node) == value:
        return source
    indent = _indent_of_line(source, node.start_byte)
    text = _dump(source, value, indent, inline=b"\n" not in source)
    return source[: node.start_byte] + text + source[node.end_byte :]


def _insert(source: bytes, node: Node, key: str, value: Any) -> bytes:
    name = json.dumps(key).encode()
    return _splice(
        source,
        node,
        [member.pair for member in _members(node)],
        lambda indent, inline: name + b": " + _dump(source, value, indent, inline=inline),
    )


def _splice(
    source: bytes, node: Node, parts: Sequence[Node], made: Callable[[bytes, bool], bytes]
) -> bytes:
    """Add to an object or a list behind its last part what ``made`` gives for an indentation."""
    inline = b"\n" not in source[node.start_byte : node.end_byte] and bool(parts)
    end = _line_end(source)
    outer = _indent_of_line(source, node.start_byte)
    inner = _indent_of_line(source, parts[0].start_byte) if parts else b""
    if not parts or len(inner) <= len(outer):
        inner = outer + _unit(source)
    body = made(inner, inline)
    if not parts:
        close = node.end_byte - 1
        kept = source[node.start_byte + 1 : close].rstrip()
        return (source[: node.start_byte + 1] + kept + end + inner + body + end + outer) + source[
            close:
        ]
    last = parts[-1].end_byte
    comma = _comma_after(source, last, node.end_byte)
    gap = b" " if inline else end + inner
    if comma is None:
        return source[:last] + b"," + gap + body + source[last:]
    return source[: comma + 1] + gap + body + b"," + source[comma + 1 :]


def _cut(source: bytes, node: Node, parts: Sequence[Node], place: int) -> bytes:
    """Take one part out of an object or a list, with its comma."""
    start, stop = parts[place].start_byte, parts[place].end_byte
    comma = _comma_after(source, stop, node.end_byte)
    if place > 0:
        previous = parts[place - 1].end_byte
        before = _comma_after(source, previous, start)
        assert before is not None
        if comma is None:
            return source[:before] + source[stop:]
        return source[: before + 1] + source[comma + 1 :]
    if comma is not None:
        following = parts[1].start_byte if len(parts) > 1 else comma + 1
        return source[:start] + source[following:]
    kept = source[node.start_byte + 1 : start].rstrip()
    return (
        source[: node.start_byte + 1]
        + kept
        + source[stop : node.end_byte].lstrip()
        + (source[node.end_byte :])
    )


def _comma_after(source: bytes, position: int, limit: int) -> int | None:
    """The comma that follows ``position``, over white space and comments."""
    while position < limit:
        if source[position : position + 2] == b"//":
            newline = source.find(b"\n", position)
            position = limit if newline < 0 else newline
        elif source[position : position + 2] == b"/*":
            position = source.find(b"*/", position) + 2
        elif source[position : position + 1].isspace():
            position += 1
        else:
            return position if source[position : position + 1] == b"," else None
    return None


def _dump(source: bytes, value: Any, indent: bytes, *, inline: bool) -> bytes:
    if inline:
        return json.dumps(value).encode()
    text = json.dumps(value, indent=_unit(source).decode()).encode()
    return text.replace(b"\n", _line_end(source) + indent)


def _line_end(source: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in source else b"\n"


def _indent_of_line(source: bytes, position: int) -> bytes:
    line = source[source.rfind(b"\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _unit(source: bytes) -> bytes:
    """One step of indentation, as the file has it; two spaces where it has none."""
    for line in source.splitlines():
        stripped = line.lstrip(b" \t")
        if stripped and len(stripped) < len(line) and not stripped.startswith((b"*", b"/")):
            return line[: len(line) - len(stripped)]
    return b"  "
