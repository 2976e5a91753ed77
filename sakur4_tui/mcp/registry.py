"""Tools as typed functions: the signature is the schema, the docstring the description."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from sakur4_core.errors import InvalidInput

from sakur4_tui.mcp.schema import Schema, property_of, schema_of

T = TypeVar("T")

STRICT = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What a tool answers: typed data, and the same in a few words."""

    data: T
    text: str


@dataclass(frozen=True)
class Tool:
    """One tool of the surface.

    Attributes:
        run: Called with a ``Call`` and the checked arguments.
        core: Whether ``--toolset core`` offers it.
        reads: Whether it changes nothing.
        destructive: Whether it may take something away that cannot be had back at once.
    """

    name: str
    run: Callable[..., Awaitable[Reply[Any]]]
    core: bool
    reads: bool
    destructive: bool

    @cached_property
    def description(self) -> str:
        """The function's docstring, in one paragraph."""
        return " ".join((inspect.getdoc(self.run) or "").split())

    @cached_property
    def input_schema(self) -> Schema:
        """What the arguments must look like."""
        properties = {
            name: property_of(hint, default) for name, (hint, default) in self._arguments.items()
        }
        required = [n for n, (_, default) in self._arguments.items() if _is_missing(default)]
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    @cached_property
    def output_schema(self) -> Schema:
        """What ``structuredContent`` will look like."""
        return schema_of(get_args(self._hints["return"])[0])

    def check(self, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """The arguments with defaults filled in.

        Raises:
            InvalidInput: They do not fit; the message names each field.
        """
        try:
            checked = self._model.model_validate(dict(arguments or {}))
        except ValidationError as error:
            raise InvalidInput(_explain(error), f"Call {self.name} again.") from error
        return {name: getattr(checked, name) for name in self._arguments}

    @cached_property
    def _hints(self) -> dict[str, Any]:
        # The tools' modules import Call for type checking only.
        return get_type_hints(self.run, localns={"Call": Any}, include_extras=True)

    @cached_property
    def _arguments(self) -> dict[str, tuple[Any, Any]]:
        parameters = list(inspect.signature(self.run).parameters.values())[1:]
        return {
            p.name: (
                self._hints[p.name],
                dataclasses.MISSING if p.default is inspect.Parameter.empty else p.default,
            )
            for p in parameters
        }

    @cached_property
    def _model(self) -> type[BaseModel]:
        fields: dict[str, Any] = {
            name: (hint, ... if _is_missing(default) else default)
            for name, (hint, default) in self._arguments.items()
        }
        return create_model(self.name, __config__=STRICT, **fields)


def tool(
    *, core: bool = False, reads: bool = False, destructive: bool = False
) -> Callable[[Callable[..., Awaitable[Reply[Any]]]], Tool]:
    """Declare a function as the tool of its own name."""

    def declare(run: Callable[..., Awaitable[Reply[Any]]]) -> Tool:
        return Tool(run.__name__, run, core=core, reads=reads, destructive=destructive)

    return declare


def _is_missing(default: Any) -> bool:
    return default is dataclasses.MISSING


def _explain(error: ValidationError) -> str:
    faults = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)[:5]
    ]
    return "; ".join(faults) + "."
