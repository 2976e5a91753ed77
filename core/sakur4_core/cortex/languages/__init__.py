"""The languages that the cortex reads: one file each, with its queries."""

from __future__ import annotations

from functools import cache

from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.languages.python import PYTHON

ALL = (PYTHON,)


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: language for language in ALL for suffix in language.suffixes}


@cache
def by_name(name: str) -> Language:
    """The language called ``name``. Raises KeyError for another name."""
    return {language.name: language for language in ALL}[name]


def language_of(path: str, enabled: tuple[str, ...] = ()) -> Language | None:
    """The language of a file by its name, or None; ``enabled`` narrows to those named."""
    stem, dot, suffix = path.rpartition(".")
    if not dot or not stem:
        return None
    language = _by_suffix().get("." + suffix.lower())
    if language is not None and enabled and language.name not in enabled:
        return None
    return language
