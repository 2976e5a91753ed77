"""connect: written, checked and taken out again, and nothing else touched."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_program import Result
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.errors import ConfigError
from sakur4_core.harness.reach import hooks_installed

from sakur4_tui.connect import configuration, json_text, toml_text
from sakur4_tui.connect.harnesses import HARNESSES, Launch, Place, launch
from sakur4_tui.connect.parts import Hooks, Server, hooks_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with nothing in it."""
    made = tmp_path / "configuration"
    made.mkdir()
    return made


LAUNCH = Launch("sakur4-tui", ("--serve",))
PATH = ("mcpServers", "sakur4")
ENTRY = {"command": "sakur4-tui", "args": ["--serve"]}

JSON_FILES = {
    "plain": '{\n  "mcpServers": {\n    "o": {\n      "command": "x"\n    }\n  },\n  "a": 1\n}\n',
    "no block": '{\n    "theme": "dark"\n}\n',
    "empty object": "{}",
    "empty block": '{\n  "mcpServers": {}\n}\n',
    "tabs": '{\n\t"mcpServers": {\n\t\t"o": {"command": "x"}\n\t}\n}',
    "one line": '{"mcpServers": {"o": {"command": "x"}}, "z": [1, 2]}',
    "crlf": '{\r\n  "mcpServers": {\r\n    "o": {}\r\n  }\r\n}\r\n',
    "comments": (
        '// mine\n{\n  // servers\n  "mcpServers": {\n    "o": {"command": "x"}, // keep\n'
        "    /* and this */\n  },\n}\n"
    ),
    "odd spacing": '{ "a" :1 ,\n\n "mcpServers"  : {"o":{}}\n , "b": "\\u00e9é" }',
    "no newline at the end": '{\n  "x": true\n}',
}


def read_commented(text: bytes) -> Any:
    return json_text._value(json_text._root(text))


@pytest.mark.parametrize("name", JSON_FILES)
def test_write_then_remove_gives_the_bytes_back(folder: Path, name: str) -> None:
    file = folder / "mcp.json"
    before = JSON_FILES[name].encode()
    file.write_bytes(before)
    harness = HARNESSES["claude-code"]
    assert configuration.write(Server(harness, LAUNCH), file).outcome == "written"
    written = file.read_bytes()
    assert json_text.get_member(written, PATH) == ENTRY
    assert configuration.write(Server(harness, LAUNCH), file).outcome == "unchanged"
    assert file.read_bytes() == written
    assert configuration.remove(Server(harness, LAUNCH), file).outcome == "removed"
    assert file.read_bytes() == before
    assert configuration.remove(Server(harness, LAUNCH), file).outcome == "absent"
    assert [entry.name for entry in folder.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize("name", JSON_FILES)
def test_what_else_is_in_the_file_stays(name: str) -> None:
    before = JSON_FILES[name].encode()
    after = json_text.set_member(before, PATH, ENTRY)
    known = read_commented(before)
    changed = read_commented(after)
    assert changed["mcpServers"].pop("sakur4") == ENTRY
    if "mcpServers" not in known:
        assert changed.pop("mcpServers") == {}
    assert changed == known
    for line in before.splitlines():
        for word in (b"// keep", b"/* and this */", b"// mine"):
            assert (word in line) <= (word in after)


def test_removal_after_other_edits_takes_out_our_entry_alone(folder: Path) -> None:
    file = folder / "mcp.json"
    file.write_text(JSON_FILES["plain"])
    harness = HARNESSES["claude-code"]
    configuration.write(Server(harness, LAUNCH), file)
    file.write_text(file.read_text().replace('"a": 1', '"a": 2'))
    configuration.remove(Server(harness, LAUNCH), file)
    assert file.read_text() == JSON_FILES["plain"].replace('"a": 1', '"a": 2')


def test_a_file_that_we_made_goes_with_us(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "mcp.json"
    harness = HARNESSES["cursor"]
    configuration.write(Server(harness, LAUNCH), file)
    assert json.loads(file.read_text())["mcpServers"]["sakur4"]["command"] == "sakur4-tui"
    configuration.remove(Server(harness, LAUNCH), file)
    assert not file.exists()
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "line"), [('{\n  "a": \n}', 2), ("{\n", 1), ("[1, 2]", None), ("{} x", 1)]
)
def test_a_broken_file_is_left_alone_and_its_line_named(
    folder: Path, text: str, line: int | None
) -> None:
    file = folder / "mcp.json"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        configuration.write(Server(HARNESSES["claude-code"], LAUNCH), file)
    assert file.read_text() == text
    assert str(file) in caught.value.message
    assert line is None or "line" in caught.value.message
    assert [entry.name for entry in folder.iterdir()] == ["mcp.json"]


def test_a_symbolic_link_stays_one_and_a_mode_is_kept(folder: Path) -> None:
    real = folder / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    link = folder / "mcp.json"
    link.symlink_to(real)
    configuration.write(Server(HARNESSES["claude-code"], LAUNCH), link)
    assert link.is_symlink()
    assert "sakur4" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    configuration.remove(Server(HARNESSES["claude-code"], LAUNCH), link)
    assert real.read_text() == "{}"


TOML_FILES = {
    "empty": "",
    "other": 'model = "x"  # mine\n\n[mcp_servers.other]\ncommand = "y"\n',
    "no newline": 'model = "x"',
    "crlf": 'model = "x"\r\n[a]\r\nb = 1\r\n',
    "after": '[mcp_servers.other]\ncommand = "y"\n\n[z]\nq = [1,\n 2] # two\n',
}


@pytest.mark.parametrize("name", TOML_FILES)
def test_toml_write_then_remove_gives_the_bytes_back(folder: Path, name: str) -> None:
    file = folder / "config.toml"
    before = TOML_FILES[name].encode()
    file.write_bytes(before)
    harness = HARNESSES["codex"]
    configuration.write(Server(harness, LAUNCH), file)
    servers = tomllib.loads(file.read_bytes().decode().replace("\r\n", "\n"))["mcp_servers"]
    assert servers["sakur4"] == ENTRY
    assert configuration.write(Server(harness, LAUNCH), file).outcome == "unchanged"
    configuration.remove(Server(harness, LAUNCH), file)
    assert file.read_bytes() == before


def test_toml_removal_after_other_edits(folder: Path) -> None:
    file = folder / "config.toml"
    file.write_text(TOML_FILES["other"])
    configuration.write(Server(HARNESSES["codex"], LAUNCH), file)
    file.write_text(file.read_text().replace('"x"', '"z"'))
    configuration.remove(Server(HARNESSES["codex"], LAUNCH), file)
    assert tomllib.loads(file.read_text()) == tomllib.loads(
        TOML_FILES["other"].replace('"x"', '"z"')
    )


def test_broken_toml_is_left_alone(folder: Path) -> None:
    file = folder / "config.toml"
    file.write_text("[a\n")
    with pytest.raises(ConfigError, match="no valid TOML"):
        configuration.write(Server(HARNESSES["codex"], LAUNCH), file)
    assert file.read_text() == "[a\n"
    with pytest.raises(ConfigError):
        toml_text.set_table(b"mcp_servers = 3\n", ("mcp_servers", "sakur4"), ENTRY)


@pytest.mark.parametrize("name", sorted(HARNESSES))
def test_every_harness_gets_its_own_shape(tmp_path: Path, name: str) -> None:
    harness = HARNESSES[name]
    place = Place(tmp_path / "project", tmp_path / "home", dict(os.environ), "linux")
    command = launch(harness, place.project)
    text = configuration.snippet(Server(harness, command))
    parsed = tomllib.loads(text) if name == "codex" else json.loads(text)
    for key in harness.path:
        parsed = parsed[key]
    words = parsed["command"]
    words = words if isinstance(words, list) else [words, *parsed["args"]]
    assert "--serve" in words
    if harness.absolute:
        assert Path(words[0]).is_absolute()
    assert harness.in_project or str(place.project) in words
    file = harness.file(place)
    assert file is None or file.is_relative_to(tmp_path)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)


@given(
    document=st.dictionaries(st.text(max_size=6), values, max_size=4),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
)
def test_any_object_keeps_all_it_had(document: dict[str, Any], indent: Any) -> None:
    document.pop("mcpServers", None)
    before = json.dumps(document, indent=indent).encode()
    after = json_text.set_member(before, PATH, ENTRY)
    assert json.loads(after) == {**document, "mcpServers": {"sakur4": ENTRY}}
    assert json.loads(json_text.remove_member(after, PATH)) == document


HOOKS = Hooks(("sakur4-tui",))
SETTINGS_FILES = {
    "none": "{}",
    "other settings": '{\n  "permissions": {\n    "allow": []\n  }\n}\n',
    "hooks of others": (
        '{\n  "hooks": {\n    "SessionStart": [\n      {\n        "matcher": "startup",\n'
        '        "hooks": [{"type": "command", "command": "mine.sh"}]\n      }\n    ],\n'
        '    "Stop": []\n  }\n}\n'
    ),
    "one line": '{"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    "comments": '{\n  // mine\n  "hooks": {\n    "UserPromptSubmit": [ /* none */ ]\n  }\n}\n',
}


@pytest.mark.parametrize("name", SETTINGS_FILES)
def test_hooks_are_added_beside_those_of_others_and_taken_out_again(
    folder: Path, name: str
) -> None:
    file = folder / "settings.local.json"
    before = SETTINGS_FILES[name].encode()
    file.write_bytes(before)
    assert configuration.write(HOOKS, file).outcome == "written"
    written = file.read_bytes()
    assert HOOKS.find(written) == HOOKS.value
    known, changed = read_commented(before), read_commented(written)
    for event, groups in known.get("hooks", {}).items():
        assert [group for group in changed["hooks"][event] if group in groups] == groups
    assert configuration.write(HOOKS, file).outcome == "unchanged"
    assert configuration.remove(HOOKS, file).outcome == "removed"
    assert file.read_bytes() == before
    assert configuration.remove(HOOKS, file).outcome == "absent"


def test_hooks_go_and_what_was_added_since_stays(folder: Path) -> None:
    file = folder / "settings.local.json"
    file.write_text(SETTINGS_FILES["hooks of others"])
    configuration.write(HOOKS, file)
    file.write_text(file.read_text().replace('"Stop": []', '"Stop": [{"hooks": []}]'))
    configuration.remove(HOOKS, file)
    expected = SETTINGS_FILES["hooks of others"].replace('"Stop": []', '"Stop": [{"hooks": []}]')
    assert json.loads(file.read_text()) == json.loads(expected)


def test_a_group_that_another_hook_shares_is_not_ours_to_take(folder: Path) -> None:
    shared = HOOKS.value["PreCompact"]["hooks"] + [{"type": "command", "command": "mine.sh"}]
    document = {"hooks": {"PreCompact": [{"hooks": shared}]}}
    file = folder / "settings.local.json"
    file.write_text(json.dumps(document))
    configuration.write(HOOKS, file)
    configuration.remove(HOOKS, file)
    assert json.loads(file.read_text()) == document


def test_settings_whose_hooks_are_no_list_are_left_alone(folder: Path) -> None:
    file = folder / "settings.local.json"
    file.write_text('{\n  "hooks": {"SessionStart": true}\n}')
    with pytest.raises(ConfigError, match="'SessionStart' at line 2 is no list"):
        configuration.write(HOOKS, file)
    assert file.read_text() == '{\n  "hooks": {"SessionStart": true}\n}'


def test_installed_hooks_are_seen_where_claude_code_would_see_them(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    assert not hooks_installed(project, {}, home)
    configuration.write(HOOKS, hooks_file(project))
    assert hooks_installed(project, {}, home)
    shared = project / ".claude" / "settings.json"
    shared.write_text('{"disableAllHooks": true}')
    assert not hooks_installed(project, {}, home)
    shared.write_text("no JSON")
    configuration.remove(HOOKS, hooks_file(project))
    assert not hooks_installed(project, {}, home)
    configuration.write(HOOKS, tmp_path / "elsewhere" / "settings.json")
    assert hooks_installed(project, {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}, home)


def test_the_command_writes_hooks_checks_them_and_takes_them_out(
    cli: Callable[..., Result], project: Path
) -> None:
    command = ("connect", "claude-code", "--hooks")
    assert "hook claude-code SessionStart" in cli(*command).out
    refused = cli("connect", "codex", "--hooks", "--write")
    assert (refused.code, refused.out) == (1, "")
    assert "Only claude-code takes --hooks." in refused.err
    missing = cli(*command, "--check")
    assert "has nothing of sakur4" in missing.err
    written = cli(*command, "--write")
    assert written.code == 0
    assert "settings.local.json" in written.out
    checked = json.loads(cli(*command, "--check", "--json").out)
    assert [one["event"] for one in checked] == ["SessionStart", "UserPromptSubmit", "PreCompact"]
    assert "calls ours in this project" in cli("doctor").out
    assert cli(*command, "--remove").code == 0
    assert not (project / ".claude" / "settings.local.json").exists()
    assert "lets pinned rules come back" in cli("doctor").out
