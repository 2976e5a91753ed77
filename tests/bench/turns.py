"""Turns of a made-up coding session, the same for the same seed."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

SYLLABLES = [
    "ba",
    "con",
    "der",
    "fi",
    "gra",
    "hel",
    "in",
    "jo",
    "kel",
    "lan",
    "mo",
    "ner",
    "op",
    "pre",
    "qui",
    "ra",
    "sta",
    "tor",
    "un",
    "ver",
    "wel",
    "xe",
    "yon",
    "zu",
]
VOCABULARY = 6_000


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent would commit."""

    role: str
    content: str
    tool_name: str | None = None


class Talk:
    """An endless conversation: a request, a reply of 1 to 4 kB, a tool's result with facts."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        names = random.Random(0)
        self._words = [
            "".join(names.choice(SYLLABLES) for _ in range(names.randint(1, 4)))
            for _ in range(VOCABULARY)
        ]
        self._made = 0

    def turn(self) -> Turn:
        """The next turn; every third is a tool's result."""
        self._made += 1
        place = self._made % 3
        if place == 1:
            return Turn("user", self._prose(self._random.randint(200, 1_500)))
        if place == 2:
            return Turn("assistant", self._reply())
        kind = self._random.randrange(3)
        if kind == 0:
            return Turn("tool", self._json(), "http")
        if kind == 1:
            return Turn("tool", self._pytest(), "bash")
        return Turn("tool", self._diff(), "edit")

    def _word(self) -> str:
        # Squaring favours the first words, as real vocabularies do.
        return self._words[int(self._random.random() ** 2 * VOCABULARY)]

    def _name(self) -> str:
        if self._random.random() < 0.5:
            return f"{self._word()}_{self._word()}"
        return f"{self._word()}{self._word().title()}"

    def _prose(self, size: int) -> str:
        lines: list[str] = []
        while sum(map(len, lines)) < size:
            words = [
                self._name() if self._random.random() < 0.08 else self._word() for _ in range(14)
            ]
            lines.append(" ".join(words).capitalize() + ".")
        return "\n".join(lines)

    def _reply(self) -> str:
        code = "\n".join(
            f"def {self._name()}({self._word()}: str) -> int:\n    return {self._name()}"
            f"({self._random.randrange(1_000)})\n"
            for _ in range(self._random.randint(2, 8))
        )
        return f"{self._prose(self._random.randint(700, 2_800))}\n\n```python\n{code}```\n"

    def _json(self) -> str:
        rows = [
            {"id": self._random.randrange(10_000), "name": self._name(), "note": self._prose(80)}
            for _ in range(self._random.randint(3, 9))
        ]
        return json.dumps({"status": "ok", "count": len(rows), "rows": rows}, indent=2)

    def _pytest(self) -> str:
        tests = [f"tests/test_{self._word()}.py::test_{self._name()}" for _ in range(12)]
        body = "\n".join(f"{name} PASSED" for name in tests[:-1])
        return (
            f"============================= test session starts ====\n{body}\n"
            f"{tests[-1]} FAILED\n\n=== FAILURES ===\n{self._prose(600)}\n"
            "=== short test summary info ===\n"
            f"FAILED {tests[-1]} - AssertionError: {self._prose(60)}\n"
            "==================== 1 failed, 11 passed in 0.42s ====================\n"
        )

    def _diff(self) -> str:
        name = f"src/{self._word()}.py"
        hunks = "".join(
            f"@@ -{10 * n},3 +{10 * n},4 @@\n {self._name()} = 1\n-{self._name()} = 2\n"
            f"+{self._name()} = 3\n+{self._prose(60)}\n {self._name()} = 4\n"
            for n in range(1, self._random.randint(3, 8))
        )
        return f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n{hunks}"
