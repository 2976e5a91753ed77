"""The recorded session and the seeds, as they stand in the data folder.

``session.jsonl`` holds one step a line: ``{"at": seconds, "tool": name, "arguments": {...}}``
is a call of the agent, ``{"at": seconds, "write": path, "content": text}`` and ``{"at":
seconds, "write": path, "replace": [old, new]}`` are changes of the work tree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the agent asks of the server."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A change of one file: the whole of it, or one place in it (``old`` is not None)."""

    path: str
    old: str | None
    new: str

    def apply(self, root: Path) -> None:
        """Make the change under ``root``.

        Raises:
            ValueError: The place to replace does not occur exactly once.
        """
        file = root / self.path
        if self.old is None:
            file.write_text(self.new, "utf-8")
            return
        text = file.read_text("utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path} does not hold the text to replace exactly once")
        file.write_text(text.replace(self.old, self.new), "utf-8")


@dataclass(frozen=True, slots=True)
class Step:
    """One step and its moment, in seconds from the start at speed 1."""

    at: float
    action: ToolCall | FileWrite


@dataclass(frozen=True, slots=True)
class Seeds:
    """What the sample's memory holds before the session: anchors, and summaries of symbols."""

    anchors: tuple[tuple[str, str], ...]
    summaries: tuple[tuple[str, tuple[str, ...]], ...]


def data_folder() -> Path:
    """The demo's data in the installed package, or the repository's in a checkout."""
    package = Path(__file__).parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parents[1] / "fixtures" / "demo"


def load_steps(folder: Path) -> tuple[Step, ...]:
    """The recorded session, in order."""
    lines = (folder / "session.jsonl").read_text("utf-8").splitlines()
    return tuple(_step(json.loads(line)) for line in lines)


def load_seeds(folder: Path) -> Seeds:
    """What is known before the session."""
    seeds = json.loads((folder / "seeds.json").read_text("utf-8"))
    return Seeds(
        tuple((anchor["kind"], anchor["content"]) for anchor in seeds["anchors"]),
        tuple((entry["content"], tuple(entry["symbols"])) for entry in seeds["summaries"]),
    )


def _step(line: Mapping[str, Any]) -> Step:
    if "tool" in line:
        return Step(line["at"], ToolCall(line["tool"], line["arguments"]))
    old, new = line["replace"] if "replace" in line else (None, line["content"])
    return Step(line["at"], FileWrite(line["write"], old, new))
