"""Which file a module's dotted name means, seen from another file."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from sakur4_core.cortex.languages.language import Language

# Folders that by convention hold packages without being one.
SOURCE_ROOTS = frozenset({"src", "lib", "python", "core"})


class Modules:
    """The modules of one language in one project."""

    def __init__(self, language: Language, paths: Iterable[str]) -> None:
        self._language = language
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._folders: set[str] = set()
        self._found: dict[tuple[str, str], tuple[str, bool] | None] = {}
        for path in sorted(self._paths):
            self._by_name[path.rpartition("/")[2]].append(path)
            folder = path.rpartition("/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]

    def find(self, dotted: str, importer: str) -> tuple[str, bool] | None:
        """The file, or the folder without a file of its own, and whether that is certain.

        None means that the project holds no such module, or holds several.
        """
        key = (dotted, importer.rpartition("/")[0])
        if key not in self._found:
            self._found[key] = self._find(dotted, importer)
        return self._found[key]

    def _find(self, dotted: str, importer: str) -> tuple[str, bool] | None:
        candidates = self._candidates(dotted)
        near = [(root, place) for root, place in candidates if _holds(root, importer)]
        if near:
            return max(near)[1], True
        head, _, rest = dotted.partition(".")
        if head in sys.stdlib_module_names or len(candidates) != 1:
            return None
        root, place = candidates[0]
        if root.rpartition("/")[2] in SOURCE_ROOTS:
            return place, True
        # A lone module in some folder may share its name with a library by accident.
        return (place, False) if rest else None

    def relative(self, importer: str, level: int, dotted: str) -> str | None:
        """The file, or folder, that ``level`` dots and a name mean in ``importer``."""
        folder = importer.rpartition("/")[0]
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        return self.below(folder, dotted) if dotted else self._package(folder)

    def below(self, folder: str, dotted: str) -> str | None:
        """The module ``dotted`` in a folder."""
        base = f"{folder}/" if folder else ""
        for file in self._language.module_files(dotted):
            if base + file in self._paths:
                return base + file
        inner = base + dotted.replace(".", "/")
        return inner if inner in self._folders else None

    def _package(self, folder: str) -> str | None:
        for file in self._language.module_files(""):
            name = file.lstrip("/")
            if name.startswith("_") and f"{folder}/{name}".lstrip("/") in self._paths:
                return f"{folder}/{name}".lstrip("/")
        return folder if folder in self._folders or not folder else None

    def is_package(self, path: str) -> bool:
        """Whether a file stands for its folder."""
        folder = path.rpartition("/")[0]
        return self._package(folder) == path

    def _candidates(self, dotted: str) -> list[tuple[str, str]]:
        """Every root below which the module stands, with the module's place, by root."""
        found: dict[str, str] = {}
        for file in self._language.module_files(dotted):
            for path in self._by_name.get(file.rpartition("/")[2], ()):
                if path == file or path.endswith("/" + file):
                    root = path[: -len(file)].rstrip("/")
                    if self._package(root) in (root, None):
                        found.setdefault(root, path)
        if not found:
            inner = dotted.replace(".", "/")
            for folder in self._folders:
                if folder == inner or folder.endswith("/" + inner):
                    root = folder[: -len(inner)].rstrip("/")
                    if self._package(root) in (root, None):
                        found.setdefault(root, folder)
        return sorted(found.items())


def _holds(root: str, path: str) -> bool:
    return not root or path.startswith(root + "/")
