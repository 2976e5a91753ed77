"""Where things stand on disk, and which project a folder is."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from sakur4_core.errors import ConfigError

APP = "sakur4-tui"
IDENTITY_FILE = "sakur4.json"
MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class Home:
    """The user's own folders: stores and logs under ``data``, settings under ``config``."""

    data: Path
    config: Path

    @classmethod
    def resolve(cls, environment: Mapping[str, str] | None = None) -> Home:
        """``SAKUR4_HOME`` moves both; otherwise the platform's own places are used."""
        override = (os.environ if environment is None else environment).get("SAKUR4_HOME")
        if override:
            base = Path(override).expanduser().absolute()
            return cls(base, base)
        return cls(
            Path(platformdirs.user_data_dir(APP, appauthor=False)),
            Path(platformdirs.user_config_dir(APP, appauthor=False)),
        )

    @property
    def settings_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def themes(self) -> Path:
        return self.config / "themes"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def registry(self) -> Path:
        return self.data / "registry.json"

    def project_store(self, project_id: str) -> Path:
        """The store file of one project."""
        return self.data / "projects" / project_id / "store.db"


@dataclass(frozen=True, slots=True)
class Project:
    """A work tree root and the identity that its memory hangs on."""

    root: Path
    project_id: str


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A store file and the things beside it. ``temporary`` is deleted on close."""

    file: Path
    temporary: Path | None = None

    @property
    def lease(self) -> Path:
        return self.file.with_name(self.file.name + ".lease")

    @property
    def presence(self) -> Path:
        return self.file.with_name(self.file.name + ".presence")

    @property
    def views(self) -> Path:
        return self.file.with_name(self.file.name + ".views")


def find_root(start: Path) -> Path:
    """The work tree root that holds ``start``: the nearest folder with ``.git``, else itself.

    Raises:
        ConfigError: ``start`` is no directory.
    """
    try:
        start = start.expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"{start} cannot be resolved: {error}.", "Name a folder.") from error
    if not start.is_dir():
        what = "is not a directory" if start.exists() else "does not exist"
        raise ConfigError(f"The project {start} {what}.", "Name a folder with --project.")
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return start


def git_dir(root: Path) -> Path | None:
    """The git directory of this very work tree (a linked work tree has its own), or None."""
    entry = root / ".git"
    if entry.is_dir():
        return entry
    with suppress(OSError, UnicodeDecodeError):
        text = entry.read_text("utf-8").strip()
        if text.startswith("gitdir:"):
            target = (root / text.removeprefix("gitdir:").strip()).resolve()
            if target.is_dir():
                return target
    return None


def identify(root: Path, home: Home) -> Project:
    """The project at ``root``, with the identity that its git directory or path gives it.

    A moved checkout keeps its identity; a copy whose original still stands gets a new one.
    """
    folder = git_dir(root)
    project_id = _path_id(root)
    if folder is not None:
        with suppress(OSError):
            project_id = _identity_in(folder, root)
    _register(home, project_id, root)
    return Project(root, project_id)


def _path_id(root: Path) -> str:
    return "p" + hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _identity_in(folder: Path, root: Path) -> str:
    file = folder / IDENTITY_FILE
    known = _read_json(file)
    project_id, path = known.get("id"), known.get("path")
    if isinstance(project_id, str) and isinstance(path, str):
        if path == str(root):
            return project_id
        other = git_dir(Path(path))
        original_stands = (
            other is not None
            and other != folder
            and (_read_json(other / IDENTITY_FILE).get("id") == project_id)
        )
        if not original_stands:
            write_private(file, json.dumps({"id": project_id, "path": str(root)}))
            return project_id
    fresh = "p" + secrets.token_hex(8)
    write_private(file, json.dumps({"id": fresh, "path": str(root)}))
    return fresh


def _register(home: Home, project_id: str, root: Path) -> None:
    """Note where a project stands, so that its store can be found by its path or id."""
    with suppress(OSError):
        if _read_json(home.registry).get(project_id) == str(root):
            return
        from filelock import FileLock  # not at every start, only for a project seen first

        home.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(str(home.registry) + ".lock", timeout=5):
            entries = _read_json(home.registry)
            entries[project_id] = str(root)
            write_private(home.registry, json.dumps(entries, indent=1, sort_keys=True))


def registered(home: Home) -> dict[str, Path]:
    """Every project known to this user: id to root."""
    return {key: Path(value) for key, value in _read_json(home.registry).items()}


def place_store(project: Project, home: Home, store: str | Path | None) -> StorePlace:
    """Where the project's store file is: ``store`` if named, a private one for ``:memory:``."""
    if store is None:
        return StorePlace(home.project_store(project.project_id))
    if str(store) == MEMORY:
        folder = Path(tempfile.mkdtemp(prefix="sakur4-"))
        return StorePlace(folder / "store.db", folder)
    return StorePlace(Path(store).expanduser().absolute())


def write_private(file: Path, text: str) -> None:
    """Replace a file atomically, readable by its owner alone."""
    partial = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        partial.replace(file)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def _read_json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
