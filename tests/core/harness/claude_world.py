"""Several made-up Claude Code transcripts that grow on disk, and what an observer must find."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .claude_transcript import Entry, Transcript
from .claude_writer import project_folder

Usage = tuple[int, int, int, int]
"""Input, cache creation, cache read and output of one API message."""


@dataclass
class World:
    """All transcripts of one project, and the reference that they are held against.

    Attributes:
        owners: The sessions that a turn may belong to, by its text; one wherever it can be told.
        calls: The tokens of each API message.
        parents: The session above each subagent's.
    """

    root: Path
    home: Path
    files: list[Transcript] = field(default_factory=list)
    owners: dict[str, set[str]] = field(default_factory=dict)
    calls: dict[str, Usage] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    compactions: int = 0
    _ids: int = 0

    def __post_init__(self) -> None:
        self.folder = project_folder(self.home, self.root)
        self.begin()

    # -- what a harness does ---------------------------------------------------------

    def begin(self) -> Transcript:
        """A session of its own."""
        session = f"{self._next() * 7919 % 65536:08x}-0000-4000-8000-000000000000"
        file = Transcript(self.folder / f"{session}.jsonl", session)
        self.files.append(file)
        return file

    def talk(self, file: Transcript, rows: int, *, tool: bool) -> None:
        """A question; an answer in ``rows`` lines, their usage growing; perhaps a tool between."""
        self._say(file, "user", f"question {self._next()}: why “retry”?")
        if tool:
            call = f"toolu_{self._next():04d}"
            asked = {"type": "tool_use", "id": call, "name": "Read", "input": {"file": call}}
            self._answer(file, [*self._texts(rows - 1), asked])
            told = [{"type": "tool_result", "tool_use_id": call, "content": f"result {call}"}]
            self._line(file, "user", {"role": "user", "content": told}, f"result {call}")
        self._answer(file, self._texts(rows))

    def rewind(self, file: Transcript, back: int) -> None:
        """What comes next hangs on what an older question hung on."""
        asked = [
            entry["parentUuid"]
            for entry, text in zip(file.entries, file.turns, strict=True)
            if text is not None and text.startswith("question")
        ]
        if asked:
            file.last = asked[-1 - back % len(asked)]

    def compact(self, file: Transcript) -> None:
        """The history is replaced by a summary."""
        about = {"trigger": "auto", "preTokens": 1_000 * len(file.entries)}
        entry = self._entry(file, "system", subtype="compact_boundary", compactMetadata=about)
        self._put(file, {**entry, "parentUuid": None, "logicalParentUuid": file.last}, None)
        self.compactions += 1
        text = f"summary {self._next()}"
        message = {"role": "user", "content": text}
        self._line(file, "user", message, text, isCompactSummary=True)

    def fork(self, source: Transcript) -> None:
        """``--fork-session``: new uuids, the same message ids, and where each line is from."""
        self._copy(source, len(source.on_disk()), forked=True)

    def resume(self, source: Transcript, lines: int) -> None:
        """A session that begins with a prefix of another, under the same uuids."""
        self._copy(source, lines, forked=False)

    def spawn(self, main: Transcript, *, replays: bool) -> None:
        """A subagent in a file of its own; it may replay a message of its main thread."""
        agent = f"a{self._next():07x}"
        path = self.folder / main.session / "subagents" / f"agent-{agent}.jsonl"
        file = Transcript(path, main.session, agent)
        self.files.append(file)
        self.parents[self.session_of(file)] = main.session
        calls = [entry for entry in main.on_disk() if entry["type"] == "assistant"]
        self._say(file, "user", f"task {self._next()}")
        if replays and calls:
            message = calls[-1]["message"]
            text = f"replayed {self._next()}"
            said = {**message, "content": [{"type": "text", "text": text}]}
            self._line(file, "assistant", said, text)
        self._answer(file, self._texts(2))

    def replace(self, file: Transcript) -> None:
        """The same bytes under a new inode."""
        other = file.path.with_suffix(".new")
        other.write_bytes(file.path.read_bytes())
        other.replace(file.path)

    def cut(self, file: Transcript, size: int) -> None:
        """The end of the file is cut off in place, to be written again."""
        data = file.path.read_bytes()
        kept = len(data) - min(size, len(data))
        os.truncate(file.path, kept)
        file.pending = data[kept:] + file.pending
        # A copy may be read while what it copied is not there: then it holds the first of it.
        for text in file.said:
            self.owners[text].update(self.session_of(f) for f in self.files if text in f.said)

    # -- what an observer must find ----------------------------------------------------

    def session_of(self, file: Transcript) -> str:
        """The session that a file's own turns belong to."""
        return file.session if file.agent is None else f"{file.session}/agent-{file.agent}"

    @property
    def totals(self) -> tuple[int, ...]:
        """The tokens of all API messages, each counted once."""
        return tuple(sum(call[place] for call in self.calls.values()) for place in range(4))

    # -- lines -------------------------------------------------------------------------

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    def _texts(self, rows: int) -> list[Entry]:
        return [{"type": "text", "text": f"answer {self._next()}: 3 …"} for _ in range(rows)]

    def _say(self, file: Transcript, role: str, text: str) -> None:
        self._line(file, role, {"role": role, "content": text}, text)

    def _answer(self, file: Transcript, blocks: list[Entry]) -> None:
        number = self._next()
        message_id, read = f"msg_{number}", 1_000 * len(file.entries) * (number % 3)
        for row, block in enumerate(blocks):
            output = 1 if row < len(blocks) - 1 else 40 + number
            usage = (3, 100 + number, read, output)
            self.calls[message_id] = usage
            text = block.get("text") or json.dumps(block["input"])
            message = {
                "id": message_id,
                "role": "assistant",
                "model": "claude-sonnet-4-20250514",
                "content": [block],
                "usage": {
                    "input_tokens": usage[0],
                    "cache_creation_input_tokens": usage[1],
                    "cache_read_input_tokens": usage[2],
                    "output_tokens": usage[3],
                },
            }
            self._line(file, "assistant", message, text)

    def _line(self, file: Transcript, kind: str, message: Entry, text: str, **more: Any) -> None:
        self._put(file, self._entry(file, kind, message=message, **more), text)
        self.owners[text] = {self.session_of(file)}

    def _entry(self, file: Transcript, kind: str, **more: Any) -> Entry:
        number = self._next()
        entry = {
            "type": kind,
            "uuid": f"{number:08x}-1111-4111-8111-111111111111",
            "parentUuid": file.last,
            "sessionId": file.session,
            "cwd": str(self.root),
            "isSidechain": file.agent is not None,
            "timestamp": f"2025-07-01T{10 + number // 3600:02d}:{number // 60 % 60:02d}"
            f":{number % 60:02d}.000Z",
            **more,
        }
        if kind == "assistant":
            entry["requestId"] = f"req_{number}"
        if file.agent is not None:
            entry["agentId"] = file.agent
        return entry

    def _put(self, file: Transcript, entry: Entry, text: str | None) -> None:
        file.entries.append(entry)
        file.turns.append(text)
        file.last = entry["uuid"]
        file.pending += json.dumps(entry, ensure_ascii=False).encode() + b"\n"

    def _copy(self, source: Transcript, lines: int, *, forked: bool) -> None:
        copy = self.begin()
        new: dict[str, str] = {}
        for entry, text in list(zip(source.on_disk(), source.turns, strict=False))[:lines]:
            old = entry["uuid"]
            line = {**entry, "sessionId": copy.session}
            if forked:
                new[old] = f"{self._next():08x}-2222-4222-8222-222222222222"
                line["uuid"] = new[old]
                line["parentUuid"] = new.get(entry["parentUuid"])
                line["forkedFrom"] = {"sessionId": source.session, "messageUuid": old}
            elif text is not None:
                # Nothing tells a copy with the same uuids from what it was copied from.
                self.owners[text].add(copy.session)
            self._put(copy, line, text)
