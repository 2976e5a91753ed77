"""Made-up Codex rollouts that grow on disk and are forked, and what an observer must find."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

Payload = dict[str, Any]


@dataclass
class Rollout:
    """One thread's file: what is on disk of it, and what has still to be written.

    Attributes:
        totals: Input, cached and output tokens so far, as the file's own lines count them.
    """

    path: Path
    session: str
    parent: str | None = None
    lines: list[bytes] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    pending: bytes = b""
    totals: tuple[int, int, int] = (0, 0, 0)

    def write(self, size: int | None = None) -> None:
        """Codex writes ``size`` bytes more; all that it has by default."""
        some = self.pending[:size]
        self.pending = self.pending[len(some) :]
        with self.path.open("ab") as stream:
            stream.write(some)

    def on_disk(self) -> list[bytes]:
        """The lines that are whole on disk."""
        written = self.path.read_bytes().count(b"\n") if self.path.exists() else 0
        return self.lines[:written]

    @property
    def totals_on_disk(self) -> tuple[int, int, int]:
        """The last counts among those lines."""
        for line in reversed(self.on_disk()):
            info = json.loads(line)["payload"].get("info")
            if info:
                total = info["total_token_usage"]
                return (
                    total["input_tokens"],
                    total["cached_input_tokens"],
                    total["output_tokens"],
                )
        return (0, 0, 0)


@dataclass
class Threads:
    """All rollouts of one project, and the reference that they are held against.

    Attributes:
        turn_ids: Whether turns have ids, which older versions did not write.
        calls: Input, cached and output tokens of each API call.
    """

    root: Path
    home: Path
    turn_ids: bool = True
    files: list[Rollout] = field(default_factory=list)
    calls: list[tuple[int, int, int]] = field(default_factory=list)
    compactions: int = 0
    _ids: int = 0

    def __post_init__(self) -> None:
        self.sessions = self.home / ".codex" / "sessions"
        self.folder = self.sessions / f"{datetime.now().astimezone():%Y/%m/%d}"
        self.folder.mkdir(parents=True)
        self.begin(None)

    @property
    def totals(self) -> tuple[int, ...]:
        """Input, cached and output tokens of all calls."""
        return tuple(sum(call[place] for call in self.calls) for place in range(3))

    # -- what Codex does -----------------------------------------------------------

    def begin(self, parent: Rollout | None, *, spawned: bool = False) -> Rollout:
        """A thread, with its first line."""
        number = self._next()
        # Names go by time and chance: a fork's can sort before its parent's.
        session = f"{number * 40503 % 65536:08x}-0000-7000-8000-{number:012x}"
        file = Rollout(
            self.folder / f"rollout-2026-08-01T10-00-00-{session}.jsonl",
            session,
            None if parent is None else parent.session,
        )
        meta: Payload = {"id": session, "cwd": str(self.root), "source": "cli"}
        if parent is not None and spawned:
            meta["source"] = {"subagent": {"thread_spawn": {"parent_thread_id": parent.session}}}
        elif parent is not None:
            meta["forked_from_id"] = parent.session
        self._line(file, "session_meta", meta)
        self.files.append(file)
        return file

    def talk(self, file: Rollout, amount: int) -> None:
        """A question, perhaps a tool, and an answer; each call's tokens told up to twice."""
        turn = self._turn(file)
        context = {"cwd": str(self.root), "model": "gpt-5-codex", **turn}
        self._line(file, "turn_context", context)
        self._message(file, "user", f"question {self._next()}: why “retry”?")
        if amount % 3 == 0:
            self._line(file, "event_msg", {"type": "token_count", "info": None})
        if amount % 2:
            call = {"call_id": f"call-{self._next()}"}
            asked = json.dumps({"cmd": call["call_id"]})
            self._item(file, {"type": "function_call", "name": "sh", "arguments": asked, **call})
            file.said.append(asked)
            self._count(file, amount)
            told = f"output of {call['call_id']}"
            self._item(file, {"type": "function_call_output", "output": told, **call})
            file.said.append(told)
            self._repeat(file)
        self._message(file, "assistant", f"answer {self._next()}: 3 …")
        self._count(file, amount + 1)
        if amount % 5 == 0:
            self._repeat(file)

    def compact(self, file: Rollout) -> None:
        """The history is replaced, told by a line and by an event; a turn of its own."""
        self._turn(file)
        self._line(file, "compacted", {"message": "", "replacement_history": []})
        self._line(file, "event_msg", {"type": "context_compacted"})
        self.compactions += 1

    def fork(
        self, source: Rollout, *, restamped: bool, restarts: bool, spawned: bool = False
    ) -> Rollout:
        """A thread that begins with all lines of another, its first one and its counts too.

        Args:
            restamped: Whether all of them carry the time of the fork.
            restarts: Whether its own counts begin at zero.
            spawned: Whether it is a subagent's.
        """
        child = self.begin(source, spawned=spawned)
        stamp = json.loads(child.lines[0])["timestamp"]
        for data in source.on_disk():
            entry = json.loads(data)
            if restamped:
                entry["timestamp"] = stamp
            self._put(child, entry)
        child.totals = (0, 0, 0) if restarts else source.totals_on_disk
        # Codex writes the copy at once.
        child.write()
        return child

    # -- lines -----------------------------------------------------------------------

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    def _turn(self, file: Rollout) -> dict[str, str]:
        turn = {"turn_id": f"turn-{self._next()}"} if self.turn_ids else {}
        self._line(file, "event_msg", {"type": "task_started", **turn})
        return turn

    def _message(self, file: Rollout, role: str, text: str) -> None:
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        self._item(file, {"type": "message", "role": role, "content": content})
        event = "user_message" if role == "user" else "agent_message"
        self._line(file, "event_msg", {"type": event, "message": text})
        file.said.append(text)

    def _count(self, file: Rollout, amount: int) -> None:
        number = self._next()
        call = (1_000 + amount, 500 + amount // 2, 10 + number)
        self.calls.append(call)
        now = [then + more for then, more in zip(file.totals, call, strict=True)]
        file.totals = (now[0], now[1], now[2])
        self._line(file, "event_msg", _tokens(file.totals, call))

    def _repeat(self, file: Rollout) -> None:
        """The last counts again, unchanged."""
        counts = [line for line in file.lines if b'"total_token_usage"' in line]
        self._line(file, "event_msg", json.loads(counts[-1])["payload"])

    def _item(self, file: Rollout, payload: Payload) -> None:
        self._line(file, "response_item", payload)

    def _line(self, file: Rollout, kind: str, payload: Payload) -> None:
        number = self._next()
        stamp = f"2025-08-01T{10 + number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
        self._put(file, {"timestamp": f"{stamp}.000Z", "type": kind, "payload": payload})

    def _put(self, file: Rollout, entry: Payload) -> None:
        file.lines.append(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        file.pending += file.lines[-1]


def _tokens(total: tuple[int, ...], last: tuple[int, ...]) -> Payload:
    def usage(counts: tuple[int, ...]) -> Payload:
        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        parts = dict(zip(names, counts, strict=True))
        return {**parts, "reasoning_output_tokens": 0, "total_tokens": counts[0] + counts[2]}

    info = {
        "total_token_usage": usage(total),
        "last_token_usage": usage(last),
        "model_context_window": 272_000,
    }
    return {"type": "token_count", "info": info}
