"""Which file a module's name means, seen from another file, by the rules of its language."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from sakur4_core.cortex.languages.language import Language

# Folders that by convention hold packages without being one.
SOURCE_ROOTS = frozenset({"src", "lib", "python", "core"})
# Languages whose files see the names of all files of their folder.
PACKAGE_WIDE = frozenset({"go"})
# Languages whose code names modules by paths, without importing them.
PATH_WISE = frozenset({"rust"})
# Languages that import from each other.
FAMILIES = {"typescript": "ecmascript", "tsx": "ecmascript", "javascript": "ecmascript"}


@dataclass(frozen=True, slots=True)
class Outside:
    """Known to be no definition of this project: a library's, a builtin, a local value."""


OUTSIDE = Outside()


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a folder that stands for a package, and whether that is certain."""

    path: str
    exact: bool = True


class Modules(Protocol):
    """The modules of one language in one project."""

    def find(self, module: str, level: int, importer: str) -> Place | Outside | None:
        """What an import names. None: it should be in the project, but is not known.

        Args:
            level: How many folders up from the importer the search starts, plus one, or 0.
        """
        ...

    def inner(self, path: str, name: str) -> Place | None:
        """The module ``name`` within the module that a file is."""
        ...

    def below(self, folder: str, name: str) -> Place | None:
        """The module ``name`` in a package that is a folder."""
        ...

    def files_of(self, folder: str) -> Sequence[str]:
        """The files that make up a package, where that is a whole folder."""
        ...


def family(language: Language) -> str:
    """The name that languages which import from each other share."""
    return FAMILIES.get(language.name, language.name)


@lru_cache(maxsize=4_096)
def parts_of(module: str) -> frozenset[str]:
    """The names in a module's name: of the files and folders that it may mean."""
    text = module.replace("::", "/").replace(".", "/")
    return frozenset(part for part in text.split("/") if part)


def keys_of(path: str) -> frozenset[str]:
    """The names by which modules that stand in a file may be asked for."""
    folder, _, file = path.rpartition("/")
    return frozenset((*folder.split("/"), *file.split(".")))


def modules_of(language: Language, paths: Iterable[str], packages: Mapping[str, str]) -> Modules:
    """The modules of one language.

    Args:
        paths: All files of the language's family.
        packages: From a manifest's path to the name under which its folder is imported.
    """
    from sakur4_core.cortex.module_paths import EcmascriptModules, GoModules, RustModules

    match family(language):
        case "ecmascript":
            return EcmascriptModules(paths, packages)
        case "go":
            return GoModules(paths, packages)
        case "rust":
            return RustModules(paths, packages)
        case _:
            return DottedModules(language, paths)


class DottedModules:
    """Modules with dotted names, found below whatever root holds them: Python's."""

    def __init__(self, language: Language, paths: Iterable[str]) -> None:
        self._language = language
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._folders: dict[str, list[str]] = defaultdict(list)
        self._known: set[str] = set()
        self._found: dict[tuple[str, str], Place | None] = {}
        for path in sorted(self._paths):
            self._by_name[path.rpartition("/")[2]].append(path)
            folder = path.rpartition("/")[0]
            while folder and folder not in self._known:
                self._known.add(folder)
                self._folders[folder.rpartition("/")[2]].append(folder)
                folder = folder.rpartition("/")[0]

    def find(self, module: str, level: int, importer: str) -> Place | Outside | None:
        """See :class:`Modules`."""
        if level:
            return self._relative(importer, level, module)
        key = (module, importer.rpartition("/")[0])
        if key not in self._found:
            self._found[key] = self._find(module, importer)
        return self._found[key] or OUTSIDE

    def inner(self, path: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        folder = path.rpartition("/")[0]
        return self.below(folder, name) if self._package(folder) == path else None

    def below(self, folder: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        base = f"{folder}/" if folder else ""
        for file in self._language.module_files(name):
            if base + file in self._paths:
                return Place(base + file)
        inner = base + name.replace(".", "/")
        return Place(inner) if inner in self._known else None

    def files_of(self, folder: str) -> Sequence[str]:
        """See :class:`Modules`."""
        return ()

    def _find(self, dotted: str, importer: str) -> Place | None:
        candidates = self._candidates(dotted)
        near = [(root, place) for root, place in candidates if _holds(root, importer)]
        if near:
            return Place(max(near)[1])
        head, _, rest = dotted.partition(".")
        if head in sys.stdlib_module_names or len(candidates) != 1:
            return None
        root, place = candidates[0]
        if root.rpartition("/")[2] in SOURCE_ROOTS:
            return Place(place)
        # A lone module in some folder may share its name with a library by accident.
        return Place(place, exact=False) if rest else None

    def _relative(self, importer: str, level: int, dotted: str) -> Place | None:
        folder = importer.rpartition("/")[0]
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        if dotted:
            return self.below(folder, dotted)
        package = self._package(folder)
        return None if package is None else Place(package)

    def _package(self, folder: str) -> str | None:
        for file in self._language.module_files(""):
            name = file.lstrip("/")
            if name.startswith("_") and f"{folder}/{name}".lstrip("/") in self._paths:
                return f"{folder}/{name}".lstrip("/")
        return folder if folder in self._known or not folder else None

    def _candidates(self, dotted: str) -> list[tuple[str, str]]:
        """Every root below which the module stands, with the module's place, by root."""
        found: dict[str, str] = {}
        for file in self._language.module_files(dotted):
            for path in self._by_name.get(file.rpartition("/")[2], ()):
                if path == file or path.endswith("/" + file):
                    self._note(found, path[: -len(file)].rstrip("/"), path)
        if not found:
            inner = dotted.replace(".", "/")
            for folder in self._folders.get(inner.rpartition("/")[2], ()):
                if folder == inner or folder.endswith("/" + inner):
                    self._note(found, folder[: -len(inner)].rstrip("/"), folder)
        return sorted(found.items())

    def _note(self, found: dict[str, str], root: str, place: str) -> None:
        if self._package(root) in (root, None):
            found.setdefault(root, place)


def _holds(root: str, path: str) -> bool:
    return not root or path.startswith(root + "/")
