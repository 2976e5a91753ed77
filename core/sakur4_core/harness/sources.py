"""What a path holds: which harness's transcripts, in which files, in which order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from pathlib import Path
from typing import Any

from sakur4_core.errors import InvalidInput
from sakur4_core.harness.claude_code import CHAINED, QUIET, ClaudeReader
from sakur4_core.harness.codex import KNOWN, CodexReader
from sakur4_core.harness.codex_fork import HEAD_LINES, ForkGate, gate_of, spawned_by
from sakur4_core.harness.compressed import SUFFIX, chunks
from sakur4_core.harness.lines import LineSplitter, mapping, parsed, text
from sakur4_core.harness.opencode import is_database
from sakur4_core.harness.records import LineReader

_ROLLOUT_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_SQLITE = b"SQLite format 3\0"
# Bytes at the end of a file that hold its last times.
_TAIL_BYTES = 65_536
_TIME = re.compile(rb'"timestamp"\s*:\s*"([^"]{10,40})"')


class Format(StrEnum):
    """A kind of transcript."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    OPENCODE = "opencode"
    SAKUR4 = "sakur4"


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a folder of opencode's older tree, with what its first lines tell.

    Attributes:
        session_id: The session that it begins with, as far as it says.
        parents: Sessions whose history it copies or belongs to.
        newest: The last time in it, for order among files.
    """

    path: Path
    format: Format
    session_id: str | None = None
    parents: frozenset[str] = frozenset()
    newest: str = ""


def find(path: Path, wanted: Format | None) -> list[Source]:
    """The transcripts at ``path``, parents before what was forked from them, the newest last.

    Raises:
        InvalidInput: There is nothing at the path that can be read as a transcript.
    """
    if not path.exists():
        raise InvalidInput(f"There is no {path}.", "Name a transcript or a folder of them.")
    found = list(_in_folder(path)) if path.is_dir() else _one(path, wanted)
    found = [source for source in found if wanted in (None, source.format)]
    if not found:
        kind = "known" if wanted is None else wanted.value
        raise InvalidInput(
            f"{path} holds no {kind} transcript.",
            "Name one of Claude Code, Codex or opencode, or a file that `export` wrote.",
        )
    return ordered(found)


def described(path: Path, format_: Format) -> Source:
    """A file of a known kind with what its first lines tell; without, where it cannot be read."""
    try:
        found = _one(path, format_)
    except (OSError, InvalidInput):
        found = []
    return next((source for source in found if source.format is format_), Source(path, format_))


def is_export(path: Path) -> bool:
    """Whether a file is a memory that `export` wrote."""
    return path.is_file() and any(source.format is Format.SAKUR4 for source in _one(path))


def reader_of(source: Source, among: list[Source]) -> LineReader:
    """The reader of a file of lines.

    Args:
        among: Further files, to find a forked thread's parent in.
    """
    if source.format is Format.CLAUDE_CODE:
        session, agent = claude_names(source.path)
        return ClaudeReader(session, agent)
    match = _ROLLOUT_ID.search(_stem(source.path))
    return CodexReader(match[0] if match else _stem(source.path), _gate(source, among))


def claude_names(path: Path) -> tuple[str | None, str | None]:
    """The session and the subagent that a file's place names."""
    stem, parts = path.stem, path.parts
    if "subagents" in parts[:-1]:
        place = len(parts) - 2 - parts[:-1][::-1].index("subagents")
        return (parts[place - 1] if place else None), stem
    return (None, stem) if stem.startswith("agent-") else (stem, None)


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of lines; what cannot be read is left out."""
    splitter = LineSplitter()
    for chunk in chunks(path):
        for line in splitter.feed(chunk):
            found = parsed(line.data)
            if not isinstance(found, str):
                yield found
    last = splitter.rest()
    if last is not None and not isinstance(found := parsed(last.data), str):
        yield found


def _in_folder(folder: Path) -> Iterator[Source]:
    if is_storage(folder):
        yield Source(folder, Format.OPENCODE)
        return
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() and entry.is_dir():
            continue
        if entry.is_dir():
            yield from _in_folder(entry)
        elif _may_be_one(entry):
            yield from _one(entry)


def _may_be_one(file: Path) -> bool:
    """Whether a file's name is a transcript's; of a plain one and a packed, the plain wins."""
    if file.name.endswith(f".jsonl{SUFFIX}"):
        return not file.with_suffix("").exists()
    return file.suffix in (".jsonl", ".db")


def is_storage(folder: Path) -> bool:
    """Whether a folder is opencode's older tree of JSON files."""
    return any((folder / "message").glob("*/*.json")) and (folder / "part").is_dir()


def _one(path: Path, wanted: Format | None = None) -> list[Source]:
    """The source that a file is; as ``wanted`` where its lines do not tell."""
    with path.open("rb") as stream:
        if stream.read(len(_SQLITE)) == _SQLITE:
            return [Source(path, Format.OPENCODE)] if is_database(path) else []
    head = list(islice(entries(path), HEAD_LINES))
    format_ = next((kind for entry in head if (kind := _format(entry)) is not None), wanted)
    if format_ is None:
        return []
    source = Source(path, format_, newest=_newest(path))
    if format_ is Format.CODEX:
        return [_of_codex(source, head)]
    if format_ is Format.CLAUDE_CODE:
        return [_of_claude(source, head)]
    return [source]


def _format(entry: dict[str, Any]) -> Format | None:
    kind = entry.get("type")
    if kind == "header" and "schema" in entry:
        return Format.SAKUR4
    if "payload" in entry and (kind in KNOWN or "timestamp" in entry):
        return Format.CODEX
    if kind in QUIET or (kind in CHAINED and ("uuid" in entry or "sessionId" in entry)):
        return Format.CLAUDE_CODE
    return None


def _of_codex(source: Source, head: list[dict[str, Any]]) -> Source:
    metas = [
        mapping(entry.get("payload")) for entry in head if entry.get("type") == "session_meta"
    ]
    if not metas:
        return source
    parents = {text(metas[0].get("forked_from_id")), spawned_by(metas[0])} - {None}
    return replace(
        source, session_id=text(metas[0].get("id")), parents=frozenset(map(str, parents))
    )


def _of_claude(source: Source, head: list[dict[str, Any]]) -> Source:
    session, agent = claude_names(source.path)
    said = next((found for entry in head if (found := text(entry.get("sessionId")))), session)
    parents = {text(mapping(entry.get("forkedFrom")).get("sessionId")) for entry in head}
    if agent is not None:
        return replace(source, session_id=f"{said}/{agent}", parents=frozenset({str(said)}))
    return replace(source, session_id=said, parents=frozenset(map(str, parents - {None, said})))


def _newest(path: Path) -> str:
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _TAIL_BYTES))
        times = _TIME.findall(stream.read())
    return times[-1].decode("ascii", "replace") if times else ""


def ordered(found: list[Source]) -> list[Source]:
    """Parents before what was forked from them, the newest last."""
    aged = sorted(found, key=lambda source: (source.newest, str(source.path)))
    of_session: dict[str, list[Source]] = {}
    for source in aged:
        if source.session_id is not None:
            of_session.setdefault(source.session_id, []).append(source)
    sorter: TopologicalSorter[Source] = TopologicalSorter()
    for source in aged:
        before = [one for name in sorted(source.parents) for one in of_session.get(name, ())]
        sorter.add(source, *(one for one in before if one is not source))
    try:
        return list(sorter.static_order())
    except CycleError:
        return aged


def _gate(source: Source, among: list[Source]) -> ForkGate:
    def parent_of(session_id: str) -> Iterator[dict[str, Any]] | None:
        for other in among:
            if other.session_id == session_id and other.path != source.path:
                return entries(other.path)
        file = _rollout(source.path, session_id)
        return None if file is None else entries(file)

    return gate_of(entries(source.path), parent_of)


def _rollout(child: Path, session_id: str) -> Path | None:
    """The rollout of another thread: beside its child, or in the tree of all sessions."""
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", session_id):
        return None
    tree = next((folder for folder in child.parents if folder.name == "sessions"), child.parent)
    places = (child.parent, tree, tree.parent / "archived_sessions")
    for place, pattern in zip(places, ("*", "**/*", "*"), strict=True):
        for file in sorted(place.glob(f"{pattern}{session_id}.jsonl")):
            if file != child:
                return file
    return None


def _stem(path: Path) -> str:
    return path.name.removesuffix(SUFFIX).removesuffix(".jsonl")
