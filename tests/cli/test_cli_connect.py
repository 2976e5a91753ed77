"""connect: written, checked and taken out again, and nothing else touched."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sakur4_core.errors import ConfigError

from sakur4_tui.connect import configuration, json_text, toml_text
from sakur4_tui.connect.harnesses import HARNESSES, Launch, Place, launch


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
    assert configuration.write(harness, file, LAUNCH).outcome == "written"
    written = file.read_bytes()
    assert json_text.get_member(written, PATH) == ENTRY
    assert configuration.write(harness, file, LAUNCH).outcome == "unchanged"
    assert file.read_bytes() == written
    assert configuration.remove(harness, file).outcome == "removed"
    assert file.read_bytes() == before
    assert configuration.remove(harness, file).outcome == "absent"
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
    configuration.write(harness, file, LAUNCH)
    file.write_text(file.read_text().replace('"a": 1', '"a": 2'))
    configuration.remove(harness, file)
    assert file.read_text() == JSON_FILES["plain"].replace('"a": 1', '"a": 2')


def test_a_file_that_we_made_goes_with_us(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "mcp.json"
    harness = HARNESSES["cursor"]
    configuration.write(harness, file, LAUNCH)
    assert json.loads(file.read_text())["mcpServers"]["sakur4"]["command"] == "sakur4-tui"
    configuration.remove(harness, file)
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
        configuration.write(HARNESSES["claude-code"], file, LAUNCH)
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
    configuration.write(HARNESSES["claude-code"], link, LAUNCH)
    assert link.is_symlink()
    assert "sakur4" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    configuration.remove(HARNESSES["claude-code"], link)
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
    configuration.write(harness, file, LAUNCH)
    servers = tomllib.loads(file.read_bytes().decode().replace("\r\n", "\n"))["mcp_servers"]
    assert servers["sakur4"] == ENTRY
    assert configuration.write(harness, file, LAUNCH).outcome == "unchanged"
    configuration.remove(harness, file)
    assert file.read_bytes() == before


def test_toml_removal_after_other_edits(folder: Path) -> None:
    file = folder / "config.toml"
    file.write_text(TOML_FILES["other"])
    configuration.write(HARNESSES["codex"], file, LAUNCH)
    file.write_text(file.read_text().replace('"x"', '"z"'))
    configuration.remove(HARNESSES["codex"], file)
    assert tomllib.loads(file.read_text()) == tomllib.loads(
        TOML_FILES["other"].replace('"x"', '"z"')
    )


def test_broken_toml_is_left_alone(folder: Path) -> None:
    file = folder / "config.toml"
    file.write_text("[a\n")
    with pytest.raises(ConfigError, match="no valid TOML"):
        configuration.write(HARNESSES["codex"], file, LAUNCH)
    assert file.read_text() == "[a\n"
    with pytest.raises(ConfigError):
        toml_text.set_table(b"mcp_servers = 3\n", ("mcp_servers", "sakur4"), ENTRY)


@pytest.mark.parametrize("name", sorted(HARNESSES))
def test_every_harness_gets_its_own_shape(tmp_path: Path, name: str) -> None:
    harness = HARNESSES[name]
    place = Place(tmp_path / "project", tmp_path / "home", dict(os.environ), "linux")
    command = launch(harness, place.project)
    text = configuration.snippet(harness, command)
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
