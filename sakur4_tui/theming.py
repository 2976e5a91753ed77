"""Themes: one TOML file each, checked when loaded, so that a bad one never reaches the screen."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from sakur4_core.errors import ConfigError
from textual.color import Color, ColorParseError
from textual.theme import Theme

DEFAULT: Final = "sakur4-dark"

COLORS: Final = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "success",
    "warning",
    "error",
)
TEXT_STATES: Final = (
    "ink",
    "strong",
    "quiet",
    "focus",
    "live",
    "masked",
    "referenced",
    "archived",
    "dropped",
    "anchor",
    "stale",
    "waiting",
    "done",
)
"""What text is drawn in; each must be readable on background, panel and cursor."""

STATES: Final = (*TEXT_STATES, "rule", "cursor", "measure", "other", "free")


def shipped_folder() -> Path:
    """The themes in the installed package, or the repository's where it runs from a checkout."""
    package = Path(__file__).parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"


def load_themes(folders: Iterable[Path]) -> tuple[dict[str, Theme], tuple[ConfigError, ...]]:
    """Every theme in ``folders``, later ones winning by name, and what is wrong with the rest."""
    themes: dict[str, Theme] = {}
    problems: list[ConfigError] = []
    for folder in folders:
        for file in sorted(folder.glob("*.toml")):
            try:
                theme = load_theme(file)
            except ConfigError as problem:
                problems.append(problem)
            else:
                themes[theme.name] = theme
    return themes, tuple(problems)


def load_theme(file: Path) -> Theme:
    """One theme.

    Raises:
        ConfigError: The file does not parse, or a key is missing, unknown or no colour; the
            message names file and key.
    """
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"The theme {file} cannot be read: {error}.", "Correct it.") from error
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"The theme {file} has no name.", 'Write name = "…" at its top.')
    colors: dict[str, Any] = {**_colors(file, data, "colors", COLORS)}
    states = _colors(file, data, "states", STATES)
    return Theme(
        name=name,
        dark=bool(data.get("dark", True)),
        variables={**states, **_textual_variables(states)},
        **colors,
    )


def _colors(
    file: Path, data: Mapping[str, Any], table: str, keys: tuple[str, ...]
) -> dict[str, str]:
    values = data.get(table)
    if not isinstance(values, dict):
        raise ConfigError(f"The theme {file} has no [{table}].", "Copy one that works.")
    for key in keys:
        if key not in values:
            raise ConfigError(f"The theme {file} lacks {table}.{key}.", "Give it a colour.")
    for key, value in values.items():
        if key not in keys:
            raise ConfigError(f"The theme {file}: {table}.{key} is not known.", "Remove it.")
        try:
            Color.parse(value)
        except (ColorParseError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"The theme {file}: {table}.{key} is no colour: {value!r}.",
                "Write it as #rrggbb.",
            ) from error
    return dict(values)


def _textual_variables(states: Mapping[str, str]) -> dict[str, str]:
    """Textual's own widgets (input, palette, scroll bars) in the same quiet colours."""
    return {
        "border": states["focus"],
        "border-blurred": states["rule"],
        "block-cursor-background": states["cursor"],
        "block-cursor-foreground": states["strong"],
        "block-cursor-text-style": "bold",
        "block-hover-background": states["cursor"],
        "input-cursor-background": states["focus"],
        "input-selection-background": states["cursor"],
        "scrollbar": states["rule"],
        "scrollbar-hover": states["quiet"],
        "scrollbar-active": states["focus"],
        "scrollbar-background": states["free"] + "00",
        "scrollbar-background-hover": states["free"] + "00",
        "scrollbar-background-active": states["free"] + "00",
        "scrollbar-corner-color": states["free"] + "00",
        "footer-key-foreground": states["focus"],
    }
