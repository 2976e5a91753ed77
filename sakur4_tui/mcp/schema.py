"""JSON Schemas from type hints: compact, and the same bytes on every run."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic.fields import FieldInfo

Schema = dict[str, Any]

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(hint: Any) -> Schema:
    """The schema of a type; dataclasses within it are defined once, under ``$defs``."""
    definitions: dict[str, Schema] = {}
    schema = _schema(hint, definitions)
    if "$ref" in schema:
        schema = definitions.pop(hint.__name__)
    return {**schema, "$defs": dict(sorted(definitions.items()))} if definitions else schema


def property_of(hint: Any, default: Any = dataclasses.MISSING) -> Schema:
    """The schema of one argument: an optional one is left out, so null is not advertised."""
    bare, notes = _peel(hint)
    kept = [part for part in get_args(bare) if part is not type(None)] if _is_union(bare) else []
    schema = _schema(kept[0] if len(kept) == 1 else bare, {})
    for note in notes:
        schema |= _bounds(note)
    if default is not dataclasses.MISSING and default is not None:
        schema["default"] = default
    return schema


def _schema(hint: Any, definitions: dict[str, Schema]) -> Schema:
    bare, notes = _peel(hint)
    schema = _bare(bare, definitions)
    for note in notes:
        schema |= _bounds(note)
    return schema


def _bare(hint: Any, definitions: dict[str, Schema]) -> Schema:
    origin = get_origin(hint)
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"type": "string", "enum": [member.value for member in hint]}
    if _is_union(hint):
        return _union([_schema(part, definitions) for part in get_args(hint)])
    if hint is type(None):
        return {"type": "null"}
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint, definitions)
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(get_args(hint)[1], definitions)}
    if origin is not None and issubclass(origin, Sequence | tuple):
        return {"type": "array", "items": _schema(get_args(hint)[0], definitions)}
    if hint is Any:
        return {}
    raise TypeError(f"no schema for {hint!r}")


def _dataclass(hint: Any, definitions: dict[str, Schema]) -> Schema:
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}  # Stands in while a recursive field is described.
        hints = get_type_hints(hint, include_extras=True)
        properties = {
            f.name: _schema(hints[f.name], definitions) for f in dataclasses.fields(hint)
        }
        definitions[name] = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
        }
    return {"$ref": f"#/$defs/{name}"}


def _union(parts: list[Schema]) -> Schema:
    if all(list(part) == ["type"] for part in parts):
        return {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType)


def _peel(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    if get_origin(hint) is Annotated:
        bare, *notes = get_args(hint)
        return bare, tuple(notes)
    return hint, ()


def _bounds(note: Any) -> Schema:
    """What a constraint of ``pydantic.Field`` says in the words of JSON Schema."""
    if not isinstance(note, FieldInfo):
        return {}
    words: Schema = {"description": note.description} if note.description else {}
    for bound in note.metadata:
        match bound:
            case Ge(ge=value):
                words["minimum"] = value
            case Le(le=value):
                words["maximum"] = value
            case Gt(gt=value):
                words["exclusiveMinimum"] = value
            case Lt(lt=value):
                words["exclusiveMaximum"] = value
            case MinLen(min_length=value):
                words["minLength"] = value
            case MaxLen(max_length=value):
                words["maxLength"] = value
    return words
