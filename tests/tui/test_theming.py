"""Themes: readable, complete, and a bad one names its file and key."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sakur4_core.errors import ConfigError
from textual.color import Color

from sakur4_tui import theming

from .conftest import settle
from .scene import FakeEngine

SHIPPED, PROBLEMS = theming.load_themes([theming.shipped_folder()])
GROUNDS = ("background", "panel", "cursor")


def test_dark_and_light_are_shipped() -> None:
    assert {"sakur4-dark", "sakur4-light"} <= set(SHIPPED)
    assert PROBLEMS == ()


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.normalized
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", SHIPPED)
def test_text_is_readable(name: str) -> None:
    theme = SHIPPED[name]
    colors = {**theme.variables, "background": theme.background, "panel": theme.panel}
    for state, ground in product(theming.TEXT_STATES, GROUNDS):
        pair = [luminance(Color.parse(str(colors[part]))) + 0.05 for part in (state, ground)]
        assert max(pair) / min(pair) >= 4.5, (state, ground)


def write(folder: Path, change: tuple[str, str]) -> Path:
    text = (theming.shipped_folder() / "sakur4-dark.toml").read_text("utf-8")
    assert change[0] in text
    file = folder / "own.toml"
    file.write_text(text.replace(*change), "utf-8")
    return file


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (('quiet = "#8d96a6"', 'quiet = "grayish"'), "states.quiet"),
        (('quiet = "#8d96a6"', "quiet = 7"), "states.quiet"),
        (('quiet = "#8d96a6"', ""), "states.quiet"),
        (('quiet = "#8d96a6"', 'quiet = "#8d96a6"\nloud = "#ffffff"'), "states.loud"),
        (("[colors]", "[colours]"), "[colors]"),
        (('name = "sakur4-dark"', ""), "name"),
        (('name = "sakur4-dark"', "name = "), "own.toml"),
    ],
)
def test_a_bad_theme_names_file_and_key(tmp_path: Path, change: tuple[str, str], key: str) -> None:
    file = write(tmp_path, change)
    with pytest.raises(ConfigError) as caught:
        theming.load_theme(file)
    assert str(file) in caught.value.message
    assert key in caught.value.message


async def test_a_person_s_own_theme_is_used_and_a_bad_one_is_told(
    open_app: Any, fake: FakeEngine
) -> None:
    folder = fake.home.themes
    folder.mkdir()
    write(folder, ('name = "sakur4-dark"', 'name = "mine"'))
    (folder / "bad.toml").write_text("name = 3")
    app = open_app(fake, theme="mine")
    async with app.run_test(notifications=True) as pilot:
        await settle(pilot)
        assert app.theme == "mine"
        assert any("bad.toml" in n.message for n in app._notifications)


async def test_themes_switch_while_running(open_app: Any, fake: FakeEngine) -> None:
    app = open_app(fake)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("ctrl+t")
        await pilot.pause()
        assert app.theme == "sakur4-light"


def test_an_unknown_theme_names_those_that_there_are(open_app: Any, fake: FakeEngine) -> None:
    with pytest.raises(ConfigError) as caught:
        open_app(fake, theme="neon")
    assert "sakur4-dark" in str(caught.value)


def test_no_colour_stands_outside_the_themes() -> None:
    package = Path(theming.__file__).parent
    import re

    for file in (*package.rglob("*.py"), *package.rglob("*.tcss")):
        text = file.read_text("utf-8")
        assert not re.search(r"#[0-9a-fA-F]{6}\b", text), file
