"""Settings: the layers, their order, and who may set what."""

from __future__ import annotations

from pathlib import Path

import pytest
from sakur4_core.errors import ConfigError
from sakur4_core.settings import PROJECT_FILE, load_settings, setting_keys


def test_later_layers_win_and_each_value_knows_its_source(tmp_path: Path) -> None:
    user = tmp_path / "config.toml"
    user.write_text('[context]\nwindow = 100000\nprofile = "cache-first"\nreserve_output = 1\n')
    (tmp_path / PROJECT_FILE).write_text("[context]\nwindow = 120000\nreserve_output = 2\n")
    settings = load_settings(
        user_file=user,
        project_root=tmp_path,
        environment={"SAKUR4_CONTEXT_RESERVE_OUTPUT": "3"},
        flags={"mcp.policy": "auto"},
    )
    assert settings.context.window == 120_000
    assert settings.context.profile == "cache-first"
    assert settings.context.reserve_output == 3
    assert settings.mcp.policy == "auto"
    assert settings.source_of("context.window") == str(tmp_path / PROJECT_FILE)
    assert settings.source_of("context.profile") == str(user)
    assert settings.source_of("context.reserve_output") == "$SAKUR4_CONTEXT_RESERVE_OUTPUT"
    assert settings.source_of("mcp.policy") == "flag"
    assert settings.source_of("tui.theme") == "default"


@pytest.mark.parametrize(
    "line",
    ["[mcp]\npolicy='auto'", "[context]\nbackend='http://x'", "[recall]\nendpoint='http://x'"],
)
def test_a_project_cannot_set_what_decides_or_leaves_the_machine(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / PROJECT_FILE).write_text(line)
    with pytest.raises(ConfigError, match="may not be set by a project"):
        load_settings(project_root=tmp_path, environment={})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[context]\nwindow = 3\n", "context.window"),
        ("[context]\nwindw = 200000\n", "context.windw"),
        ("[nothing]\nx = 1\n", "nothing"),
        ("not toml", "cannot be read"),
        ("context = 3\n", "not a table"),
    ],
)
def test_a_bad_value_names_its_file_and_key(tmp_path: Path, text: str, named: str) -> None:
    user = tmp_path / "config.toml"
    user.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(user_file=user, environment={})
    assert named in caught.value.message
    assert str(user) in caught.value.message or "nothing" in named


def test_lists_come_from_the_environment_as_paths_do() -> None:
    settings = load_settings(environment={"SAKUR4_CORTEX_IGNORES": "build:dist"})
    assert settings.cortex.ignores == ("build", "dist")


def test_nothing_that_leaves_the_machine_is_safe_in_a_project() -> None:
    safe = {key for key, allowed in setting_keys().items() if allowed}
    assert not {key for key in safe if "endpoint" in key or "backend" in key or "policy" in key}
