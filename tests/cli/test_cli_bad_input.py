"""Bad input gets one clear sentence, the next step and the right exit code. No traceback."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from cli_program import Result, program_environment

Cli = Callable[..., Result]


def test_a_project_that_does_not_exist(cli: Cli, tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    assert cli("map", "--project", str(missing)) == Result(
        1,
        "",
        f"sakur4-tui: The project {missing} does not exist.\n  Name a folder with --project.\n",
    )


def test_a_project_that_is_a_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("")
    assert cli("--project", str(file), "sessions") == Result(
        1,
        "",
        f"sakur4-tui: The project {file} is not a directory.\n  Name a folder with --project.\n",
    )


def test_a_store_that_is_no_database(cli: Cli, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    store.write_bytes(b"a text of mine, and no database at all" * 40)
    result = cli("sessions", "--store", str(store))
    assert result == Result(
        1,
        "",
        f"sakur4-tui: {store} is not a usable database: file is not a database.\n"
        "  Name another file with --store.\n",
    )
    assert store.read_bytes().startswith(b"a text of mine")


def test_a_store_of_a_newer_program(cli: Cli, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA user_version = 9999")
    db.close()
    result = cli("--store", str(store), "sessions")
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith("sakur4-tui: The store has schema 9999, newer than")
    assert result.err.endswith("  Update sakur4-tui, or name another store with --store.\n")


def test_a_store_of_another_application(cli: Cli, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with sqlite3.connect(store) as db:
        db.execute("CREATE TABLE recipe (name TEXT)")
    db.close()
    assert cli("--store", str(store), "sessions") == Result(
        1,
        "",
        "sakur4-tui: The file is a SQLite database of another application.\n"
        "  Name another file with --store.\n",
    )


def test_a_store_that_cannot_be_written(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert cli("--store", str(folder), "sessions") == Result(
        1,
        "",
        f"sakur4-tui: The store {folder} cannot be written.\n  Name another file with --store.\n",
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_store_in_a_folder_of_others(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o500)
    result = cli("--store", str(folder / "store.db"), "sessions")
    assert result.code == 1
    assert "cannot be created: Permission denied." in result.err


def test_a_setting_that_a_project_may_not_make(cli: Cli, project: Path) -> None:
    (project / ".sakur4.toml").write_text("[cli]\ndecide_without_asking = true\n")
    result = cli("anchors")
    assert result.code == 1
    assert "cli.decide_without_asking may not be set by a project." in result.err


def test_a_command_mistyped(cli: Cli) -> None:
    assert cli("mpa") == Result(
        2,
        "",
        "sakur4-tui: No such command 'mpa'. (Did you mean one of: 'impact', 'map'?)\n"
        "  See `sakur4-tui --help`.\n",
    )


def test_an_option_mistyped(cli: Cli) -> None:
    assert cli("map", "--bugdet", "3") == Result(
        2,
        "",
        "sakur4-tui: No such option '--bugdet'. Did you mean '--budget'?\n"
        "  See `sakur4-tui map --help`.\n",
    )


def test_an_option_of_the_server_before_a_command(cli: Cli) -> None:
    result = cli("--policy", "auto", "sessions")
    assert (result.code, result.out) == (2, "")
    assert "sessions takes no option of the interface or the server." in result.err


def test_an_id_that_names_nothing(cli: Cli) -> None:
    assert cli("receipt", "--session", "nobody") == Result(
        1,
        "",
        "sakur4-tui: No session 'nobody'.\n  List them with `sakur4-tui sessions`.\n",
    )


def test_no_session_yet(cli: Cli) -> None:
    result = cli("plan")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("sakur4-tui: This project has no session yet.\n")


def test_a_control_character_in_an_argument_never_reaches_the_terminal(cli: Cli) -> None:
    result = cli("receipt", "--session", "\x1b[2Jx")
    assert result.code == 1
    assert "\x1b" not in result.err


def test_something_unexpected_is_one_sentence_and_a_log(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, private_home: Path
) -> None:
    def burst(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("sakur4_core.paths.find_root", burst)
    log = private_home / "sakur4" / "logs" / "cli.log"
    assert cli("locate") == Result(
        1,
        "",
        "sakur4-tui: Something unexpected happened (ZeroDivisionError).\n"
        f"  Details are in {log}; please report them.\n",
    )
    assert "secret detail" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


def test_an_interrupt_is_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise click.Abort

    monkeypatch.setattr("sakur4_core.paths.find_root", interrupt)
    result = cli("locate")
    assert (result.code, result.out) == (130, "")
    assert result.err == "sakur4-tui: Interrupted; what was committed stays.\n"


def test_no_terminal(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sakur4_tui"],
        cwd=project,
        env=program_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "sakur4-tui: The interface needs a terminal, and this is none.\n"
        "  Run it in a terminal; for scripts, see the commands of `sakur4-tui --help`.\n"
    )


def test_a_terminal_too_small(on_terminal: Callable[..., object]) -> None:
    terminal = on_terminal(size=(59, 19))
    assert terminal.end() == 1  # type: ignore[attr-defined]
    said = terminal.seen.decode()  # type: ignore[attr-defined]
    assert "The terminal has 59x19 cells; the interface needs 60x20." in said
    assert "\x1b" not in said


def test_a_reader_that_leaves_hears_no_traceback(project: Path) -> None:
    shell = f"{sys.executable} -m sakur4_tui --help | true"
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=project,
        env=program_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
