"""SQL of finding the code that a text names."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

# A name that is defined in more places names none of them for sure.
AMBIGUOUS = 3


def named(db: sqlite3.Connection, names: Iterable[str]) -> list[tuple[str, str]]:
    """The code facts that ``names`` mean: the name and the fact's id, in the order of the names.

    A dotted name means the definitions whose qualified name ends in it; a plain one means those
    of that name, where there are few.
    """
    wanted = list(dict.fromkeys(names))
    last = {name: name.rsplit(".", 1)[-1] for name in wanted}
    rows = db.execute(
        "SELECT name, qualified_name, fact_id FROM fact WHERE source = 'tree-sitter'"
        " AND kind NOT IN ('module', 'import', 'export')"
        " AND name IN (SELECT value FROM json_each(?)) ORDER BY qualified_name, fact_id",
        (json.dumps(sorted(set(last.values()))),),
    ).fetchall()
    by_name: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append((row["qualified_name"], row["fact_id"]))
    found = []
    for name in wanted:
        meant = [
            fact
            for qualified, fact in by_name.get(last[name], ())
            if "." not in name or f".{qualified}".endswith(f".{name}")
        ]
        if len(meant) < AMBIGUOUS:
            found += [(name, fact) for fact in meant]
    return found
