"""Setting and removing one table of a TOML file; comments and layout stay."""

from __future__ import annotations

from typing import Any

import tomlkit
from sakur4_core.errors import ConfigError
from tomlkit.exceptions import TOMLKitError


def set_table(source: bytes, path: tuple[str, ...], value: dict[str, Any]) -> bytes:
    """``source`` with the table ``value`` at ``path``; unchanged if it stands there already.

    Raises:
        ConfigError: The text is no TOML, or a step of the path is no table.
    """
    if get_table(source, path) == value:
        return source
    source = remove_table(source, path)
    end = b"\r\n" if b"\r\n" in source else b"\n"
    table = tomlkit.table()
    table.update(value)
    document = tomlkit.document()
    parent = document
    for key in path[:-1]:
        step = tomlkit.table(is_super_table=True)
        parent[key] = step
        parent = step  # type: ignore[assignment]
    parent[path[-1]] = table
    block = tomlkit.dumps(document).encode().replace(b"\n", end)
    gap = b"" if not source.strip() else (end if source.endswith(b"\n") else end + end)
    return source + gap + block


def remove_table(source: bytes, path: tuple[str, ...]) -> bytes:
    """``source`` without the table at ``path``, and without the tables it leaves empty."""
    document = _parse(source)
    tables: list[Any] = [document]
    for key in path[:-1]:
        if not _holds(tables[-1], key):
            return source
        tables.append(tables[-1][key])
    if not _holds(tables[-1], path[-1]):
        return source
    for depth in reversed(range(len(path))):
        del tables[depth][path[depth]]
        if len(tables[depth]) or depth == 0:
            break
    text = tomlkit.dumps(document)
    return text.encode() if text.strip() else b""


def get_table(source: bytes, path: tuple[str, ...]) -> Any:
    """The value at ``path`` as plain data, or None. Raises as :func:`set_table`."""
    node: Any = _parse(source)
    for key in path:
        if not _holds(node, key):
            return None
        node = node[key]
    return node.unwrap() if hasattr(node, "unwrap") else node


def _holds(node: Any, key: str) -> bool:
    if not isinstance(node, dict):
        raise ConfigError(f"{key!r} cannot stand in what is no table.", "Nothing was changed.")
    return key in node


def _parse(source: bytes) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(source.decode("utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The file is no valid TOML: {error}.", "Nothing was changed; correct it first."
        ) from error
