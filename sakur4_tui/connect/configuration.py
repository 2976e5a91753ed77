"""A harness's configuration file: read, changed with a backup beside it, brought back."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sakur4_core.errors import ConfigError

from sakur4_tui.connect.parts import Part

BACKUP_SUFFIX = ".sakur4-backup"


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a file: ``written``, ``unchanged``, ``removed`` or ``absent``."""

    harness: str
    file: str
    outcome: str
    backup: str | None = None


def snippet(part: Part) -> str:
    """What to paste by hand."""
    return part.put(b"", part.value).decode()


def write(part: Part, file: Path) -> Change:
    """Put our part into ``file``; everything else in it stays byte for byte.

    Raises:
        ConfigError: The file is broken or cannot be written; nothing was changed.
    """
    before = _read(file)
    with _naming(file):
        after = part.put(before or b"", part.value)
    if after == before:
        return Change(part.name, str(file), "unchanged")
    backup = _backup(file)
    _save(backup, b"" if before is None else b"\n" + before)
    _save(file, after)
    return Change(part.name, str(file), "written", str(backup))


def remove(part: Part, file: Path) -> Change:
    """Take our part out. A file that only we changed becomes what it was, to the byte.

    Raises:
        ConfigError: The file is broken or cannot be written; nothing was changed.
    """
    now = _read(file)
    backup = _backup(file)
    with _naming(file):
        value = None if now is None else part.find(now)
    if now is None or value is None:
        return Change(part.name, str(file), "absent")
    existed, before = _kept(backup)
    with _naming(file):
        untouched = before is not None and now == part.put(before, value)
        after = before if untouched and before is not None else part.cut(now)
    if untouched and not existed:
        file.resolve().unlink()
    else:
        _save(file, after)
    with suppress(OSError):
        backup.unlink()
    return Change(part.name, str(file), "removed")


def current(part: Part, file: Path) -> Any:
    """What the file has of ours now, or None. Raises ConfigError on a broken file."""
    source = _read(file)
    with _naming(file):
        return None if source is None else part.find(source)


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
