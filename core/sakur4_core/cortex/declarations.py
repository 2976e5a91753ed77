"""The facts of data and text files: the names that they declare, without a syntax tree."""

from __future__ import annotations

from typing import Any

from sakur4_core.cortex.definitions import MAX_SIGNATURE, MAX_VALUE, folded
from sakur4_core.cortex.languages.declared import bounded
from sakur4_core.cortex.languages.language import Declared, Language
from sakur4_core.cortex.model import MODULE_SCOPE, Definition, Scopes
from sakur4_core.cortex.normal_form import digest
from sakur4_core.cortex.passages import one_passage
from sakur4_core.cortex.secrecy import looks_secret
from sakur4_core.memory.redaction import redact
from sakur4_core.models import FactKind


def declared_parts(path: str, text: str, language: Language) -> dict[str, Any]:
    """What :func:`sakur4_core.cortex.extraction.parse` gives, of a file that only declares.

    Of a file whose name says that it holds secrets, only the names are kept.
    """
    assert language.declares is not None
    secret = looks_secret(path)
    found = bounded(language.declares(text))
    names = "\n".join(one.name for one in found)
    surface = digest(b"\0".join(sorted(one.name.encode("utf-8", "replace") for one in found)))
    content = surface if secret else digest(text.encode("utf-8", "replace"))
    module = language.module_name(path) or path
    lines = max(1, text.count("\n") + (not text.endswith("\n")))
    return {
        "definitions": (
            Definition(
                FactKind.MODULE, module, module, 0, -1, 1, lines, module, None, surface, content
            ),
            *(_definition(one, secret) for one in found),
        ),
        "scopes": Scopes(),
        "references": (),
        "passages": one_passage(names if secret else redact(text).text),
        "aside": True,
        "broken": False,
    }


def _definition(one: Declared, secret: bool) -> Definition:
    value = None
    if one.value and not secret:
        # The name takes part, for it may be what tells a secret.
        last = one.name.rpartition(".")[2]
        clean = redact(f"{last} = {one.value}").text.partition(" = ")[2]
        value = folded(clean, MAX_VALUE)
    signature = one.name if value is None else f"{one.name} = {value}"
    return Definition(
        kind=one.kind,
        name=one.name,
        qualified_name=one.name,
        ordinal=0,
        parent=MODULE_SCOPE,
        line_start=one.line_start,
        line_end=one.line_end,
        signature=folded(signature, MAX_SIGNATURE),
        value=value,
        interface_hash=digest(one.name.encode("utf-8", "replace")),
        body_hash=digest(f"{one.name}\0{value}".encode("utf-8", "replace")),
    )
