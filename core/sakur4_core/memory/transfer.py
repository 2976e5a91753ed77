"""Export and import as JSON Lines: lossless, versioned, and chained on their own.

The first line is a header, the last a trailer with the number of rows; each line carries a hash
of the line before and its own body. The chain is the export's own: nothing in it confirms a
guess at what a redacted turn held.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sakur4_core.errors import InvalidInput, StoreError
from sakur4_core.events import PRUNABLE
from sakur4_core.memory import chain
from sakur4_core.models import Role
from sakur4_core.paths import write_private
from sakur4_core.store import episodes as episode_sql
from sakur4_core.store import transfer as sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.migrate import latest_version
from sakur4_core.words import search_text
from sakur4_core.workspace import Workspace

FORMAT = "sakur4-export"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Transferred:
    """How many rows went out or came in, and how many were there already."""

    rows: int
    episodes: int
    known: int
    path: str


class Transfer:
    """Writes a store's memory to a file, and takes one over."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def export(self, target: Path) -> Transferred:
        """Write everything that was said, pinned, summarised and decided to a new file.

        Raises:
            StoreError: The file exists or cannot be written.
        """
        project = self._workspace.project.project_id

        def work(db: Any) -> Transferred:
            bodies = list(_bodies(db, project))
            count = len(bodies) - 1
            bodies.append({"type": "end", "rows": count})
            try:
                if target.exists():
                    raise StoreError(f"{target} exists already.", "Name a new file.")
                target.parent.mkdir(parents=True, exist_ok=True)
                write_private(target, "".join(_chained(bodies)))
            except (OSError, ValueError) as error:
                raise StoreError(
                    f"{str(target)!r} cannot be written: {error}.", "Name another file."
                ) from error
            episodes = sum(body["type"] == "episode" for body in bodies)
            return Transferred(count, episodes, 0, str(target))

        return await self._workspace.database.read(work)

    async def take_over(self, source: Path) -> Transferred:
        """Take an export over, in one transaction. The same export twice changes nothing.

        Raises:
            InvalidInput: The file is damaged, of a newer version, or does not continue what
                this store holds. Nothing was changed.
        """
        lines = _read(source)

        def work(tx: Transaction) -> Transferred:
            try:
                return _insert_all(tx, lines, str(source))
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidInput(
                    f"{source} does not fit this version's tables: {error}.",
                    "Nothing was imported; update sakur4-tui.",
                ) from error

        return await self._workspace.database.write(work)


def _bodies(db: Any, project: str) -> Iterator[dict[str, Any]]:
    yield {
        "type": "header",
        "format": FORMAT,
        "version": VERSION,
        "schema": latest_version(),
        "project_id": project,
    }
    session, *others = sql.TABLES
    for row in sql.rows(db, session, PRUNABLE):
        yield {"type": session.name, "row": row}
    for row in sql.episodes(db):
        yield {"type": "episode", "row": row}
    for table in others:
        for row in sql.rows(db, table, PRUNABLE):
            yield {"type": table.name, "row": row}


def _chained(bodies: Iterable[dict[str, Any]]) -> Iterator[str]:
    previous = ""
    for body in bodies:
        previous = _link(previous, body)
        yield json.dumps({**body, "chain": previous}, ensure_ascii=False) + "\n"


def _link(previous: str, body: dict[str, Any]) -> str:
    text = json.dumps([previous, body], ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()


def _read(source: Path) -> list[dict[str, Any]]:
    """The bodies of an export, its chain checked to the end."""
    try:
        # A device or a pipe may have no end.
        if not source.is_file():
            raise InvalidInput(f"{str(source)!r} is no file.", "Name an export.")
        text = source.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"{str(source)!r} cannot be read: {error}.", "Name an export."
        ) from error
    bodies: list[dict[str, Any]] = []
    previous = ""
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            body = json.loads(line)
            claimed = body.pop("chain")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise _damaged(source, number) from None
        previous = _link(previous, body)
        if claimed != previous:
            raise _damaged(source, number)
        bodies.append(body)
    if not bodies or bodies[0].get("format") != FORMAT:
        raise InvalidInput(f"{source} is no export of sakur4-tui.", "Name an export.")
    if bodies[0].get("version") != VERSION or bodies[0].get("schema", 0) > latest_version():
        raise InvalidInput(f"{source} was written by a newer version.", "Update sakur4-tui.")
    if bodies[-1].get("type") != "end" or bodies[-1].get("rows") != len(bodies) - 2:
        raise InvalidInput(f"{source} is cut off after line {len(bodies)}.", "Export it again.")
    return bodies[1:-1]


def _damaged(source: Path, number: int) -> InvalidInput:
    return InvalidInput(
        f"{source} is damaged at line {number}.", "Nothing was imported; export it again."
    )


def _insert_all(tx: Transaction, bodies: list[dict[str, Any]], source: str) -> Transferred:
    known = sql.known_ids(tx.db)
    incoming = [body["row"]["episode_id"] for body in bodies if body["type"] == "episode"]
    if list(known) != incoming[: len(known)]:
        raise InvalidInput(
            "This store holds turns that the export does not continue.",
            "Nothing was imported; name an empty store with --store.",
        )
    rows = episodes = 0
    sql.open_gate(tx)
    for body in bodies:
        row = body["row"]
        if body["type"] == "episode":
            new = row["seq"] > len(known)
            if new:
                _insert_episode(tx, row)
                episodes += 1
        else:
            new = sql.insert(tx, body["type"], row, into_empty=not known)
        rows += new
    sql.close_gate(tx)
    return Transferred(rows, episodes, len(bodies) - rows, source)


def _insert_episode(tx: Transaction, row: dict[str, Any]) -> None:
    last, previous = episode_sql.last_chain(tx.db)
    content = row["content"]
    hashed = chain.content_hash(chain.store_key(tx), content)
    fields = episode_sql.chain_fields(
        last + 1,
        *(row[name] for name in ("episode_id", "session_id", "turn", "role", "tool_name")),
        *(row[name] for name in ("tool_call_id", "token_count", "origin", "created_at")),
        row["idempotency_key"],
    )
    new = episode_sql.NewEpisode(
        episode_id=row["episode_id"],
        session_id=row["session_id"],
        role=Role(row["role"]),
        content=content,
        tool_name=row["tool_name"],
        tool_call_id=row["tool_call_id"],
        token_count=row["token_count"],
        origin=row["origin"],
        idempotency_key=row["idempotency_key"],
        content_hash=hashed,
        search_text=search_text(content),
    )
    link = chain.chain_hash(previous, fields, hashed)
    placed = episode_sql.Placed(new, last + 1, row["turn"], row["created_at"], link)
    episode_sql.insert_all(tx, [placed])
    sql.set_state(tx, last + 1, row["state"], row["redaction"], row["counts"])
