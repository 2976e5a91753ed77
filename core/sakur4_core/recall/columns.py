"""What an index knows of each turn and of each stretch of turns, in growing arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What of a turn is kept, and as what.
TURN = {
    "seq": "i8",
    "session": "i4",
    "role": "i1",
    "tool": "i4",
    "speaker": "i4",
    "minute": "i4",
    "terms": "i4",  # how many terms it has, each as often as it occurs
    "words": "i4",  # how many words, those that say nothing included
    "asks": "i1",
    "triple": "i8",
}
# Three neighbouring turns of a session; two triples in a row are a block of the context view.
TRIPLE = {"before": "i8", "terms": "i4", "filled": "i1"}

FIRST_ROOM = 1_024


class Columns:
    """Named arrays of one length that rows are appended to."""

    def __init__(self, types: Mapping[str, str], saved: Mapping[str, Any] | None = None) -> None:
        import numpy as np

        self._arrays: dict[str, Any] = {}
        self.size = 0 if saved is None else len(next(iter(saved.values())))
        room = max(FIRST_ROOM, self.size + self.size // 4)
        for name, kind in types.items():
            self._arrays[name] = np.zeros(room, dtype=kind)
            if saved is not None:
                self._arrays[name][: self.size] = saved[name]

    def __getitem__(self, name: str) -> Any:
        """The array of a column, as long as there are rows."""
        return self._arrays[name][: self.size]

    def append(self, **values: int) -> int:
        """Add a row; return its place."""
        place = self.size
        if place == len(self._arrays["terms"]):
            self._grow()
        for name, value in values.items():
            self._arrays[name][place] = value
        self.size += 1
        return place

    def saved(self) -> dict[str, Any]:
        """The arrays as they are to be saved."""
        return {name: self[name].copy() for name in self._arrays}

    def _grow(self) -> None:
        import numpy as np

        for name, old in self._arrays.items():
            self._arrays[name] = np.concatenate((old, np.zeros_like(old)))
