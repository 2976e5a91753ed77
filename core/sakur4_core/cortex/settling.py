"""What a file's names mean as far as the file alone decides it.

A parser's process settles these once; linking is left with the names of other files, each
asked for once a file however often it is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Never

from sakur4_core.cortex.model import MODULE_SCOPE, Import, Reference
from sakur4_core.cortex.modules import OUTSIDE, PACKAGE_WIDE, PATH_WISE, Outside
from sakur4_core.cortex.resolution import Meaning, Resolver, Target
from sakur4_core.cortex.units import HOLDERS, Unit
from sakur4_core.store.packing import how

_HARD: Final = object()


class Elsewhere(Exception):
    """The meaning of a name depends on another file."""


class Alone:
    """A table that holds one file."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self.asked: set[str] = set()

    def unit(self, path: str) -> Unit | None:
        """The file itself."""
        assert path == self._unit.path
        return self._unit

    def modules(self, language: str) -> Never:
        """Another file."""
        raise Elsewhere

    def package(self, unit: Unit) -> Never:
        """Other files."""
        raise Elsewhere


class LoneResolver(Resolver):
    """Resolves within one file, and stops at every look into another."""

    def _import(self, unit: Unit, entry: Import, depth: int) -> Never:
        raise Elsewhere

    def _beyond(self, unit: Unit, name: str, depth: int) -> Meaning:
        if unit.stars or unit.language.name in PACKAGE_WIDE:
            raise Elsewhere
        return OUTSIDE if name in unit.language.builtins else None


@dataclass(slots=True)
class Uses:
    """The uses of one file.

    Attributes:
        settled: By definition of the file, flat triples of source, line and :func:`how`.
        missing: By name, the same triples of uses that no file can settle.
        open: By scope, receiver and name, the same triples of uses that others may settle.
    """

    settled: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    missing: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    open: dict[tuple[int, str, str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def packed(self) -> list[Any]:
        """As JSON data."""
        return [
            [[target, uses] for target, uses in self.settled.items()],
            [[name, uses] for name, uses in self.missing.items()],
            [[*key, uses] for key, uses in self.open.items()],
        ]


def settle(unit: Unit, references: tuple[Reference, ...]) -> Uses:
    """Sort a file's uses by who can tell what they mean."""
    resolver = LoneResolver(Alone(unit))
    known: dict[tuple[int, str, str, bool], Any] = {}
    uses = Uses()
    seen: set[tuple[int, str, Any]] = set()
    for use in references:
        key = (use.scope, use.receiver, use.name, use.kind == "inherits")
        if key not in known:
            known[key] = _meaning(resolver, unit, use)
        meaning = known[key]
        if isinstance(meaning, Outside):
            continue
        identity = meaning.index if isinstance(meaning, Target) else meaning or use.name
        if (use.scope, use.kind, identity) in seen:
            continue
        seen.add((use.scope, use.kind, identity))
        _place(uses, use, meaning)
    return uses


def _meaning(resolver: Resolver, unit: Unit, use: Reference) -> Any:
    scope = use.scope
    if use.kind == "inherits":
        scope = max(unit.parents[scope], MODULE_SCOPE)
    plain = _plain(unit, scope, use.receiver, use.name)
    if plain is not _HARD:
        return plain
    try:
        return resolver.reference(unit, use)
    except Elsewhere:
        return _reduced(unit, scope, use.receiver, use.name)


def _plain(unit: Unit, scope: int, receiver: str, name: str) -> Any:
    """The same as the resolver finds, for the names that are most of all; or ``_HARD``."""
    head = receiver.partition(".")[0] if receiver else name
    if receiver and (head.endswith(")") or head in unit.language.own_names or head == "super"):
        return _HARD
    if head == "?":
        return None
    at = scope
    while True:
        if receiver and head in unit.typed.get(at, ()):
            return _HARD
        if at == scope or unit.kinds[at] not in HOLDERS:
            index = unit.members.get((at, head))
            if index is not None:
                return _HARD if receiver else Target(unit.path, index)
            if (at, head) in unit.imports:
                return at, receiver, name
            if head in unit.local.get(at, ()):
                return None if receiver else OUTSIDE
        elif receiver:
            return _HARD
        if at <= MODULE_SCOPE:
            break
        at = max(unit.parents[at], MODULE_SCOPE)
    language = unit.language
    if unit.stars or language.name in PACKAGE_WIDE:
        return MODULE_SCOPE, receiver, name
    if head in language.builtins:
        return OUTSIDE
    return (MODULE_SCOPE, receiver, name) if receiver and language.name in PATH_WISE else None


def _place(uses: Uses, use: Reference, meaning: Any) -> None:
    if isinstance(meaning, Target):
        code = how(use.kind, "exact" if meaning.exact else "probable")
        uses.settled[meaning.index] += (use.scope, use.line, code)
    elif isinstance(meaning, tuple):
        uses.open[meaning] += (use.scope, use.line, how(use.kind, "exact"))
    elif use.kind != "references":
        uses.missing[use.name] += (use.scope, use.line, how(use.kind, "unresolved"))


def _reduced(unit: Unit, scope: int, receiver: str, name: str) -> tuple[int, str, str]:
    """The same use seen from the outermost scope where it means the same.

    A local variable of a known type is replaced by an instance of that type, so that what a
    function binds need not be kept.
    """
    for _ in range(8):
        head, dot, rest = (receiver or name).partition(".")
        called = head.endswith("()")
        bare = head.removesuffix("()")
        if bare == "super" or bare in unit.language.own_names:
            return scope, receiver, name
        at, text = _binding(unit, scope, bare, typed=bool(receiver))
        if text is None:
            return at, receiver, name
        own = text in unit.language.own_names
        scope = at if own or unit.kinds[at] not in HOLDERS else max(unit.parents[at], 0)
        receiver = f"{text}()" + ("()" if called else "") + dot + rest
    return scope, receiver, name


def _binding(unit: Unit, scope: int, name: str, *, typed: bool) -> tuple[int, str | None]:
    """The scope that binds a name, and the type that it gives it."""
    at = scope
    for at in _outwards(unit, scope):
        if typed and name in unit.typed.get(at, {}):
            return at, unit.typed[at][name]
        skipped = not typed and at != scope and unit.kinds[at] in HOLDERS
        if not skipped and ((at, name) in unit.members or (at, name) in unit.imports):
            break
    return at, None


def _outwards(unit: Unit, scope: int) -> Iterator[int]:
    while scope > MODULE_SCOPE:
        yield scope
        scope = max(unit.parents[scope], MODULE_SCOPE)
    yield MODULE_SCOPE
