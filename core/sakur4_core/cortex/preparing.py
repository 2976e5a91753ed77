"""From a parsed file to what is written of it, as far as that needs no store.

It runs where the file was parsed, so that the one writer is left with rows to insert.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sakur4_core.cortex.extraction import Job, extract
from sakur4_core.cortex.languages import by_name
from sakur4_core.cortex.model import Definition, FileStatus, ParsedFile
from sakur4_core.cortex.reading import read
from sakur4_core.cortex.settling import settle
from sakur4_core.cortex.units import Unit, surface_of
from sakur4_core.models import FactKind
from sakur4_core.store.packing import CodeFact, Words, pack
from sakur4_core.words import search_text

_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_CARGO_NAME = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.MULTILINE)
STANDS_FOR_FOLDER = frozenset({"__init__", "index", "mod"})
MANIFESTS = frozenset({"go.mod", "Cargo.toml", "package.json"})
MAX_MANIFEST_BYTES = 256_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is written of one file.

    Attributes:
        facts: For each fact the columns that the store keeps, in their order.
        surface, uses: The unit, packed; empty where the file has none.
        package: Of a manifest: the name under which its folder is imported.
    """

    path: str
    language: str | None
    status: FileStatus
    detail: str
    size: int
    stamp_ns: int
    hash: str | None
    facts: tuple[CodeFact, ...] = ()
    surface: bytes = b""
    uses: bytes = b""
    words: Words | None = None
    package: str | None = None


def prepare(job: Job) -> Prepared:
    """Read, parse and settle one file. It never raises: what went wrong is its status."""
    return prepared(extract(job), _package(job))


def prepared(parsed: ParsedFile, package: str | None = None) -> Prepared:
    """What is written of a parsed file."""
    plain = (
        parsed.path, parsed.language, parsed.status, parsed.detail, parsed.size,
        parsed.stamp_ns, parsed.hash,
    )  # fmt: skip
    if not parsed.definitions or parsed.language is None:
        return Prepared(*plain, package=package)
    surface = surface_of(parsed)
    local = {str(scope): list(names) for scope, names in parsed.scopes.local.items()}
    typed = {str(scope): names for scope, names in parsed.scopes.typed.items()}
    whole = [*surface[:4], typed, *surface[5:8], local]
    uses = settle(Unit(parsed.path, parsed.language, (), whole), parsed.references)
    own = [d for d in parsed.definitions if d.kind is not FactKind.IMPORT]
    source = getattr(by_name(parsed.language), "source", "tree-sitter")
    return Prepared(
        *plain,
        facts=tuple(
            _fact(parsed.path, definition, key, source)
            for definition, key in zip(own, _keys(own), strict=True)
        ),
        surface=pack(surface),
        uses=pack(uses.packed()),
        words=_words(parsed),
        package=package,
    )


def _words(parsed: ParsedFile) -> Words:
    folder, _, file = parsed.path.rpartition("/")
    # The file that stands for its folder is called as the folder is.
    if file.partition(".")[0] in STANDS_FOR_FOLDER:
        folder, _, file = folder.rpartition("/")
    stem = file.partition(".")[0] or file
    return Words(search_text(folder), search_text(stem), parsed.passages, parsed.aside)


def _keys(definitions: Sequence[Definition]) -> list[str]:
    """What tells definitions of one kind and name apart, in whatever order they stand.

    A place in the order would make one that is added or taken out change all behind it. So of
    several (overloads, a property and its setter, methods of several traits) each goes by what it
    declares, or where that is the same by all of it; what is equal throughout is counted.
    """
    names = Counter((one.kind, one.qualified_name) for one in definitions)
    surfaces = Counter((one.kind, one.qualified_name, one.interface_hash) for one in definitions)
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    keys = []
    for one in definitions:
        name = (one.kind, one.qualified_name)
        key = ""
        if names[name] > 1:
            key = one.interface_hash
            if surfaces[(*name, key)] > 1:
                key += one.body_hash
        keys.append(f"{key}{seen[(*name, key)]}")
        seen[(*name, key)] += 1
    return keys


def _fact(path: str, definition: Definition, key: str, source: str) -> CodeFact:
    kind, name = definition.kind.value, definition.qualified_name
    return CodeFact(
        _fact_id(path, kind, name, key),
        kind,
        name,
        path,
        definition.line_start,
        definition.line_end,
        definition.signature,
        definition.value,
        definition.interface_hash,
        definition.body_hash,
        definition.name,
        source,
    )


def _fact_id(path: str, kind: str, name: str, apart: str) -> str:
    """A hash of the natural key, short because it stands in a table and in its index."""
    key = f"code\x1f{path}\x1f{kind}\x1f{name}\x1f{apart}".encode()
    return "fact_" + urlsafe_b64encode(hashlib.blake2b(key, digest_size=9).digest()).decode()


def _package(job: Job) -> str | None:
    """The name that a manifest gives to its folder."""
    file = job.found.path.rpartition("/")[2]
    if file not in MANIFESTS:
        return None
    text = read(job.found, MAX_MANIFEST_BYTES).text or ""
    if file == "package.json":
        try:
            name = json.loads(text).get("name")
        except (ValueError, AttributeError, RecursionError):
            return None
        return name if isinstance(name, str) else None
    match = (_GO_MODULE if file == "go.mod" else _CARGO_NAME).search(text)
    return None if match is None else match[1]
