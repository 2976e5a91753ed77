"""The languages that the cortex reads: one file each, with its queries."""

from __future__ import annotations

from functools import cache

from sakur4_core.cortex.languages.c import C
from sakur4_core.cortex.languages.c_sharp import C_SHARP
from sakur4_core.cortex.languages.cpp import CPP
from sakur4_core.cortex.languages.go import GO
from sakur4_core.cortex.languages.java import JAVA
from sakur4_core.cortex.languages.javascript import JAVASCRIPT
from sakur4_core.cortex.languages.json import JSON
from sakur4_core.cortex.languages.kotlin import KOTLIN
from sakur4_core.cortex.languages.language import Language
from sakur4_core.cortex.languages.markdown import MARKDOWN
from sakur4_core.cortex.languages.php import PHP
from sakur4_core.cortex.languages.python import PYTHON
from sakur4_core.cortex.languages.ruby import RUBY
from sakur4_core.cortex.languages.rust import RUST
from sakur4_core.cortex.languages.shell import ENVIRONMENT, SHELL
from sakur4_core.cortex.languages.sql import SQL
from sakur4_core.cortex.languages.swift import SWIFT
from sakur4_core.cortex.languages.toml import TOML
from sakur4_core.cortex.languages.typescript import TSX, TYPESCRIPT
from sakur4_core.cortex.languages.yaml import YAML

IN_FULL = (PYTHON, TYPESCRIPT, TSX, JAVASCRIPT, RUST, GO)
BY_TAGS = (JAVA, C, CPP, C_SHARP, RUBY, PHP, KOTLIN, SWIFT)
DECLARED = (JSON, TOML, YAML, SQL, SHELL, ENVIRONMENT, MARKDOWN)
ALL = IN_FULL + BY_TAGS + DECLARED


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: language for language in ALL for suffix in language.suffixes}


@cache
def _by_file_name() -> dict[str, Language]:
    return {name: language for language in ALL for name in language.file_names}


@cache
def by_name(name: str) -> Language:
    """The language called ``name``. Raises KeyError for another name."""
    return {language.name: language for language in ALL}[name]


def language_of(path: str, enabled: tuple[str, ...] = ()) -> Language | None:
    """The language of a file by its name, or None; ``enabled`` narrows to those named."""
    name = path.rpartition("/")[2]
    stem, _, suffix = name.rpartition(".")
    language = _by_file_name().get(name)
    if language is None and stem:
        language = _by_suffix().get("." + suffix.lower())
    if language is None and name.startswith(".env."):
        language = ENVIRONMENT
    if language is not None and enabled and language.name not in enabled:
        return None
    return language
