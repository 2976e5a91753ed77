"""A harness's configuration file: read, changed with a backup beside it, brought back."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sakur4_core.errors import ConfigError

from sakur4_tui.connect import json_text, toml_text
from sakur4_tui.connect.harnesses import Format, Harness, Launch

BACKUP_SUFFIX = ".sakur4-backup"


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a file: ``written``, ``unchanged``, ``removed`` or ``absent``."""

    harness: str
    file: str
    outcome: str
    backup: str | None = None


def snippet(harness: Harness, launch: Launch) -> str:
    """What to paste by hand."""
    entry = harness.entry(launch)
    if harness.format is Format.TOML:
        return toml_text.set_table(b"", harness.path, entry).decode()
    return json_text.set_member(b"", harness.path, entry).decode()


def write(harness: Harness, file: Path, launch: Launch) -> Change:
    """Put our entry into ``file``; everything else in it stays byte for byte.

    Raises:
        ConfigError: The file is broken or cannot be written; nothing was changed.
    """
    before = _read(file)
    after = _with_entry(harness, file, before or b"", harness.entry(launch))
    if after == before:
        return Change(harness.name, str(file), "unchanged")
    backup = _backup(file)
    _save(backup, b"" if before is None else b"\n" + before)
    _save(file, after)
    return Change(harness.name, str(file), "written", str(backup))


def remove(harness: Harness, file: Path) -> Change:
    """Take our entry out. A file that only we changed becomes what it was, to the byte.

    Raises:
        ConfigError: The file is broken or cannot be written; nothing was changed.
    """
    now = _read(file)
    backup = _backup(file)
    if now is None or _entry(harness, file, now) is None:
        return Change(harness.name, str(file), "absent")
    existed, before = _kept(backup)
    untouched = before is not None and now == _with_entry(
        harness, file, before, _entry(harness, file, now)
    )
    after = before if untouched and before is not None else _without_entry(harness, file, now)
    if untouched and not existed:
        file.resolve().unlink()
    else:
        _save(file, after)
    with suppress(OSError):
        backup.unlink()
    return Change(harness.name, str(file), "removed")


def current(harness: Harness, file: Path) -> Launch | None:
    """The command that the file has for us now, or None. Raises ConfigError on a broken file."""
    source = _read(file)
    entry = None if source is None else _entry(harness, file, source)
    if not isinstance(entry, dict):
        return None
    command = entry.get("command")
    words = command if isinstance(command, list) else [command, *entry.get("args", ())]
    if not words or not all(isinstance(word, str) for word in words):
        return None
    return Launch(words[0], tuple(words[1:]))


def _with_entry(harness: Harness, file: Path, source: bytes, entry: Any) -> bytes:
    edit = toml_text.set_table if harness.format is Format.TOML else json_text.set_member
    with _naming(file):
        return edit(source, harness.path, entry)


def _without_entry(harness: Harness, file: Path, source: bytes) -> bytes:
    edit = toml_text.remove_table if harness.format is Format.TOML else json_text.remove_member
    with _naming(file):
        return edit(source, harness.path)


def _entry(harness: Harness, file: Path, source: bytes) -> Any:
    get = toml_text.get_table if harness.format is Format.TOML else json_text.get_member
    with _naming(file):
        return get(source, harness.path)


class _naming:  # noqa: N801 - reads as a word of its `with`
    """Errors of an edit name the file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ConfigError):
            raise ConfigError(f"{self._file}: {error.message}", error.hint) from error
        if isinstance(error, json.JSONDecodeError):
            raise ConfigError(f"{self._file}: {error}.", "Nothing was changed.") from error


def _backup(file: Path) -> Path:
    return file.with_name(file.name + BACKUP_SUFFIX)


def _kept(backup: Path) -> tuple[bool, bytes | None]:
    """Whether the file existed before us, and what it held; an empty backup means it did not."""
    content = _read(backup)
    if content is None:
        return True, None
    return content != b"", content[1:]


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}.", "Check it.") from error


def _save(file: Path, content: bytes) -> None:
    """Replace a file in one step, through symbolic links, keeping its mode."""
    target = file.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o600
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        partial.chmod(mode)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise ConfigError(
            f"{file} cannot be written: {error.strerror}.", "Nothing was changed."
        ) from error
