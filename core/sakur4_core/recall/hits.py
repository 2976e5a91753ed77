"""Ranked rows as hits: their text, what is known of them, and why they were found."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from sakur4_core.models import Fact, Hit
from sakur4_core.recall.fusion import Ranked, Ref
from sakur4_core.recall.render import (
    current_value,
    episode_text,
    fact_text,
    fact_value,
    summary_text,
)
from sakur4_core.store import recall as sql
from sakur4_core.store.recall import EpisodeRow, SummaryRow


def load(
    db: sqlite3.Connection,
    ranked: Sequence[Ranked],
    files: Mapping[Ref, tuple[str, ...]],
    unverified: AbstractSet[str],
) -> list[Hit]:
    """The hits behind ``ranked``, in its order; rows that are gone by now are left out.

    ``tokens`` is 0 where the shown text is not the stored one, and must be counted.
    """

    def rows(kind: str) -> list[int]:
        return [item.ref.row for item in ranked if item.ref.kind == kind]

    episodes = sql.episodes(db, rows(sql.EPISODE))
    summaries = sql.summaries(db, rows(sql.SUMMARY))
    facts = sql.facts(db, rows(sql.FACT))
    hits = []
    for item in ranked:
        unchecked = not unverified.isdisjoint(files.get(item.ref, ()))
        row = item.ref.row
        if item.ref.kind == sql.EPISODE and row in episodes:
            hits.append(_episode(item, episodes[row]))
        elif item.ref.kind == sql.SUMMARY and row in summaries:
            hits.append(_summary(item, summaries[row], unchecked))
        elif item.ref.kind == sql.FACT and row in facts:
            hits.append(_fact(item, facts[row], unchecked))
    return hits


def with_neighbours(db: sqlite3.Connection, hits: Sequence[Hit], each_side: int) -> list[Hit]:
    """The same hits, turns among them with the ids of their neighbours in the session."""
    return [
        hit
        if hit.seq is None
        else replace(
            hit,
            neighbours=tuple(row.episode_id for row in sql.neighbours(db, hit.seq, each_side)),
        )
        for hit in hits
    ]


def _episode(item: Ranked, row: EpisodeRow) -> Hit:
    return Hit(
        id=row.episode_id,
        kind=sql.EPISODE,
        score=item.score,
        text=episode_text(row),
        retrievers=item.retrievers,
        reasons=item.reasons,
        tokens=row.token_count if row.superseded_by is None else 0,
        session_id=row.session_id,
        seq=row.seq,
        role=row.role,
        tool_name=row.tool_name,
        tier=row.tier,
        created_at=row.created_at,
        superseded_by=row.superseded_by,
    )


def _summary(item: Ranked, row: SummaryRow, unchecked: bool) -> Hit:
    return Hit(
        id=row.atlas_id,
        kind=sql.SUMMARY,
        score=item.score,
        text=summary_text(row),
        retrievers=item.retrievers,
        reasons=item.reasons,
        tokens=0 if row.stale else row.token_count,
        stale=bool(row.stale),
        unverified=unchecked,
        current_value=current_value(row.stale) if row.stale else None,
        session_id=row.session_id,
        created_at=row.created_at,
    )


def _fact(item: Ranked, fact: Fact, unchecked: bool) -> Hit:
    return Hit(
        id=fact.fact_id,
        kind=sql.FACT,
        score=item.score,
        text=fact_text(fact),
        retrievers=item.retrievers,
        reasons=item.reasons,
        tokens=0,
        unverified=unchecked,
        current_value=fact_value(fact),
    )
