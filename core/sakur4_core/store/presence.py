"""Who has the store open, and who holds the lease: OS file locks, freed by any death."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sakur4_core.models import AttachedProcess


class Lease:
    """The right to watch files, re-index and consolidate: one process of a store at a time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = FileLock(file, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this process holds it."""
        return self._lock.is_locked

    def try_acquire(self) -> bool:
        """Take the lease if nobody has it; return whether this process holds it now."""
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=0)
        except (Timeout, OSError):
            return False
        with suppress(OSError):
            self._file.with_name(self._file.name + ".pid").write_text(str(os.getpid()))
        return True

    def holder(self) -> int | None:
        """The holder's process id, as far as it can be told."""
        if self.held:
            return os.getpid()
        if not is_locked(self._file):
            return None
        try:
            pid = int(self._file.with_name(self._file.name + ".pid").read_text())
        except (OSError, ValueError):
            return None
        return pid if is_alive(pid) else None

    def release(self) -> None:
        """Give the lease up."""
        self._lock.release(force=True)


class Presence:
    """A lock file of this process, so that others see that it is attached and as what."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder = folder
        self._file = folder / f"{kind}-{os.getpid()}-{id(self):x}"
        self._lock = FileLock(self._file, thread_local=False)

    def announce(self) -> None:
        """Take the lock; it lasts as long as the process or until :meth:`leave`."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock.acquire(timeout=5)

    def leave(self) -> None:
        """Release and remove the file."""
        self._lock.release(force=True)
        with suppress(OSError):
            self._file.unlink()


def attached(folder: Path, lease_holder: int | None) -> tuple[AttachedProcess, ...]:
    """The live processes that announced themselves in ``folder``; dead ones are swept."""
    found = []
    for file in sorted(folder.glob("*-*-*")) if folder.is_dir() else ():
        kind, pid_text, _ = file.name.rsplit("-", 2)
        if not pid_text.isdigit():
            continue
        pid = int(pid_text)
        if pid == os.getpid() or (is_alive(pid) and is_locked(file)):
            found.append(AttachedProcess(pid, kind, pid == lease_holder))
        else:
            with suppress(OSError):
                file.unlink()
    return tuple(found)


def is_alive(pid: int) -> bool:
    """Whether there is a process of this id."""
    import psutil  # only asked for where others are looked at, and slow to load

    return bool(psutil.pid_exists(pid))


def is_locked(file: Path) -> bool:
    """Whether some process holds the lock on ``file``; for a moment, that may be one that asks."""
    if not file.exists():
        return False
    probe = FileLock(file, thread_local=False)
    try:
        probe.acquire(timeout=0)
    except (Timeout, OSError):
        return True
    probe.release(force=True)
    return False
