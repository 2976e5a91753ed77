"""What is read of every construct of every language, held against files one can read.

Each ``fixtures/languages/sample.<suffix>`` was written to hold a language's constructs, and has
beside it ``sample.<suffix>.facts``: what the index keeps of it. Run this file to write them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.cortex.extraction import parse
from sakur4_core.cortex.languages import ALL, language_of
from sakur4_core.cortex.model import Definition

FOLDER = Path(__file__).parents[4] / "fixtures" / "languages"
SAMPLES = sorted(path.name for path in FOLDER.glob("sample.*") if path.suffix != ".facts")


def facts(name: str) -> str:
    """All that is read of a sample, a thing a line."""
    language = language_of(name)
    assert language is not None
    parts = parse(name, (FOLDER / name).read_text(), language)
    assert not parts["broken"]
    sections = [f"{head}\n  " + "\n  ".join(lines) for head, lines in _sections(parts) if lines]
    return "\n\n".join(sections) + "\n"


def _sections(parts: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    found, scopes = parts["definitions"], parts["scopes"]

    def scope(index: int) -> str:
        return found[index].qualified_name if index else "the file"

    yield (
        "definitions: kind, name, lines; signature; value",
        [line for one in found for line in _definition(one, scope)],
    )
    yield (
        "imports: line, name; module and name there",
        [
            f"{i.line} {i.alias}: {'.' * i.level}{i.module} {i.name or '(itself)'}"
            for i in scopes.imports
        ],
    )
    yield "exports", [f"{alias}: {name}" for alias, name in scopes.exports.items()]
    yield "inherits", [f"{scope(i)}: {', '.join(names)}" for i, names in scopes.bases.items()]
    yield (
        "typed",
        [
            f"{scope(i)}: {name} is {given}"
            for i, types in scopes.typed.items()
            for name, given in sorted(types.items())
        ],
    )
    yield "local", [f"{scope(i)}: {', '.join(names)}" for i, names in scopes.local.items()]
    yield (
        "uses: line, kind, name, where",
        [
            f"{r.line} {r.kind} {f'{r.receiver}.'.lstrip('.')}{r.name} in {scope(r.scope)}"
            for r in parts["references"]
        ],
    )


def _definition(one: Definition, scope: Callable[[int], str]) -> Iterator[str]:
    number = f"#{one.ordinal}" if one.ordinal else ""
    within = f" in {scope(one.parent)}" if one.parent > 0 else ""
    yield f"{one.kind} {one.qualified_name}{number} {one.line_start}-{one.line_end}{within}"
    yield f"  {one.signature}"
    if one.value is not None:
        yield f"  = {one.value}"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_construct_is_read_as_it_was_agreed(name: str) -> None:
    assert facts(name) == (FOLDER / f"{name}.facts").read_text()


def test_every_language_has_a_sample() -> None:
    sampled = {language_of(name) for name in SAMPLES}
    assert {language.name for language in ALL} == {one.name for one in sampled if one}


if __name__ == "__main__":
    for sample in SAMPLES:
        (FOLDER / f"{sample}.facts").write_text(facts(sample))
