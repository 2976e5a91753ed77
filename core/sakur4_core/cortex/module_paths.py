"""Modules that are named by paths: JavaScript's and TypeScript's, Go's and Rust's."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sakur4_core.cortex.modules import OUTSIDE, Outside, Place

# In the order in which the common resolvers try them.
ECMASCRIPT_SUFFIXES = (
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs",
)  # fmt: skip
# Where a package's own code starts, if its folder has no index.
ENTRIES = ("src/index", "index", "lib/index", "src/main")


class EcmascriptModules:
    """Files named by relative paths, and the project's own packages by their names."""

    def __init__(self, paths: Iterable[str], packages: Mapping[str, str]) -> None:
        self._paths = frozenset(paths)
        self._packages = {
            name: manifest.rpartition("/")[0]
            for manifest, name in packages.items()
            if manifest.endswith("package.json")
        }

    def find(self, module: str, level: int, importer: str) -> Place | Outside | None:
        """See :class:`Modules`."""
        if module.startswith(".") or level:
            folder = importer.rpartition("/")[0]
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            place = posixpath.normpath(posixpath.join(folder, module))
            return None if place.startswith("..") else self._file(place)
        pieces = module.split("/")
        for count in range(len(pieces), 0, -1):
            folder_of = self._packages.get("/".join(pieces[:count]))
            if folder_of is not None:
                return self._in_package(folder_of, "/".join(pieces[count:]))
        return OUTSIDE

    def inner(self, path: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        return None

    def below(self, folder: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        return None

    def files_of(self, folder: str) -> Sequence[str]:
        """See :class:`Modules`."""
        return ()

    def _in_package(self, folder: str, rest: str) -> Place | None:
        for inner in (rest, f"src/{rest}") if rest else ENTRIES:
            found = self._file(posixpath.join(folder, inner))
            if found is not None:
                return found
        return None

    def _file(self, place: str) -> Place | None:
        place = "" if place == "." else place
        # An import may name the file that the compiler will write.
        stem = place.rpartition(".")[0] if place.endswith((".js", ".mjs", ".jsx", ".cjs")) else ""
        bases = [base for base in (place, stem, posixpath.join(place, "index")) if base]
        if place in self._paths:
            return Place(place)
        for base in bases:
            for suffix in ECMASCRIPT_SUFFIXES:
                if base + suffix in self._paths:
                    return Place(base + suffix)
        return None


class GoModules:
    """Packages that are folders, named by their module's name and their path in it."""

    def __init__(self, paths: Iterable[str], packages: Mapping[str, str]) -> None:
        self._files: dict[str, list[str]] = defaultdict(list)
        for path in sorted(paths):
            self._files[path.rpartition("/")[0]].append(path)
        self._roots = sorted(
            (
                (name, manifest.rpartition("/")[0])
                for manifest, name in packages.items()
                if manifest.endswith("go.mod")
            ),
            reverse=True,
        )

    def find(self, module: str, level: int, importer: str) -> Place | Outside | None:
        """See :class:`Modules`."""
        for name, root in self._roots:
            if module == name or module.startswith(name + "/"):
                return self._folder(posixpath.join(root, module[len(name) + 1 :]).rstrip("/"))
        vendored = self._folder(f"vendor/{module}")
        if vendored is not None:
            return vendored
        if self._roots or "." not in module.partition("/")[0]:
            return OUTSIDE
        # Without a go.mod, a folder of that name at the path's end is likely meant.
        pieces = module.split("/")
        for start in range(1, len(pieces)):
            found = self._folder("/".join(pieces[start:]))
            if found is not None:
                return Place(found.path, exact=False)
        return OUTSIDE

    def inner(self, path: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        return None

    def below(self, folder: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        return None

    def files_of(self, folder: str) -> Sequence[str]:
        """See :class:`Modules`."""
        return self._files.get(folder, ())

    def _folder(self, folder: str) -> Place | None:
        return Place(folder) if folder in self._files else None


class RustModules:
    """Modules of crates: ``crate``, ``self``, ``super``, and the project's crates by name."""

    def __init__(self, paths: Iterable[str], packages: Mapping[str, str]) -> None:
        self._paths = frozenset(paths)
        self._crates = {
            name.replace("-", "_"): entry
            for manifest, name in sorted(packages.items())
            if manifest.endswith("Cargo.toml")
            and (entry := self._entry(manifest.rpartition("/")[0])) is not None
        }

    def find(self, module: str, level: int, importer: str) -> Place | Outside | None:
        """See :class:`Modules`."""
        head, *rest = [part for part in module.replace("::", ".").split(".") if part] or ["self"]
        at: str | None
        if head == "crate":
            at = self._root_of(importer)
        elif head == "self":
            at = importer
        elif head == "super":
            at = self._parent(importer)
        else:
            inner = self.inner(importer, head)
            # A test may have the name of the crate that it tests.
            own = inner is not None and inner.path != importer
            at = inner.path if inner is not None and own else self._crates.get(head)
            if at is None:
                return OUTSIDE
        while rest and rest[0] == "super":
            at, rest = self._parent(at), rest[1:]
        for part in rest:
            found = None if at is None else self.inner(at, part)
            at = None if found is None else found.path
        return None if at is None else Place(at)

    def inner(self, path: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        base = self._base(path)
        for place in (f"{base}{name}.rs", f"{base}{name}/mod.rs"):
            if place in self._paths:
                return Place(place)
        return None

    def below(self, folder: str, name: str) -> Place | None:
        """See :class:`Modules`."""
        return None

    def files_of(self, folder: str) -> Sequence[str]:
        """See :class:`Modules`."""
        return ()

    def _base(self, path: str) -> str:
        """Where the modules within the module that a file is stand: a prefix of paths."""
        folder, _, file = path.rpartition("/")
        prefix = f"{folder}/" if folder else ""
        # The files of `tests`, `benches` and `examples` are crates' roots too.
        own = file in ("mod.rs", "lib.rs", "main.rs")
        root = folder.rpartition("/")[2] in ("tests", "benches", "examples", "bin")
        return prefix if own or root else prefix + file.removesuffix(".rs") + "/"

    def _parent(self, path: str | None) -> str | None:
        if path is None:
            return None
        folder, _, file = path.rpartition("/")
        if file == "mod.rs":
            folder = folder.rpartition("/")[0]
        elif file in ("lib.rs", "main.rs"):
            return None
        for place in ("mod.rs", "lib.rs", "main.rs"):
            found = f"{folder}/{place}" if folder else place
            if found in self._paths:
                return found
        return f"{folder}.rs" if f"{folder}.rs" in self._paths else None

    def _root_of(self, path: str) -> str | None:
        folder = path.rpartition("/")[0]
        while True:
            for file in ("lib.rs", "main.rs"):
                place = f"{folder}/{file}" if folder else file
                if place in self._paths:
                    return place
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _entry(self, folder: str) -> str | None:
        for file in ("src/lib.rs", "lib.rs", "src/main.rs"):
            place = f"{folder}/{file}" if folder else file
            if place in self._paths:
                return place
        return None
