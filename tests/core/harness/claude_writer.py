"""A made-up Claude Code session, line by line, as that harness writes it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SESSION = "7d0c3a52-0000-4000-8000-000000000001"


def project_folder(home: Path, root: Path) -> Path:
    """Where Claude Code keeps the transcripts of a project."""
    name = re.sub(r"[^a-zA-Z0-9]", "-", str(root.resolve()))
    folder = home / ".claude" / "projects" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class Writer:
    """Makes lines; each hangs on the one before."""

    root: Path
    session: str = SESSION
    lines: list[bytes] = field(default_factory=list)
    last: str | None = None

    def _line(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        number = len(self.lines)
        uuid = f"{self.session[:8]}-{number:04d}"
        entry = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last,
            "sessionId": self.session,
            "cwd": str(self.root),
            "version": "2.1.0",
            "isSidechain": False,
            "timestamp": f"2025-07-01T10:{number // 60:02d}:{number % 60:02d}.000Z",
            "message": message,
            **more,
        }
        self.last = uuid
        self.lines.append(json.dumps(entry, ensure_ascii=False).encode() + b"\n")

    def says(self, text: str) -> None:
        """The person types."""
        self._line("user", {"role": "user", "content": text})

    def answers(self, text: str, context: int) -> None:
        """The model answers, with the usage of its call."""
        number = len(self.lines)
        self._line(
            "assistant",
            {
                "id": f"msg_{self.session[:4]}_{number}",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-4-20250514",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": {
                    "input_tokens": 5,
                    "cache_read_input_tokens": context - 5,
                    "cache_creation_input_tokens": 0,
                    "output_tokens": 7,
                },
            },
            requestId=f"req_{number}",
        )

    def reads(self, path: str, result: str, context: int) -> None:
        """The model reads a file, and gets it."""
        number = len(self.lines)
        call = f"toolu_{number:04d}"
        use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": path}}
        usage = {
            "input_tokens": 5,
            "cache_read_input_tokens": context - 5,
            "cache_creation_input_tokens": 0,
            "output_tokens": 7,
        }
        message = {
            "id": f"msg_{self.session[:4]}_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-20250514",
            "content": [use],
            "usage": usage,
        }
        self._line("assistant", message, requestId=f"req_{number}")
        given = {"type": "tool_result", "tool_use_id": call, "content": result}
        self._line("user", {"role": "user", "content": [given]})

    def compacts(self, summary: str, pre_tokens: int) -> None:
        """The harness replaces the conversation by a summary."""
        self.last = None
        about = {"trigger": "auto", "preTokens": pre_tokens}
        self._line("system", {}, subtype="compact_boundary", compactMetadata=about)
        self._line("user", {"role": "user", "content": summary}, isCompactSummary=True)

    def told_by_hook(self, text: str) -> None:
        """A hook's answer becomes context."""
        told = {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"}
        self._line("attachment", {}, attachment=told)

    def calls(
        self,
        name: str,
        usage: dict[str, Any] | None,
        *,
        at: str,
        rows: int = 1,
        model: str = "claude-sonnet-4-20250514",
        **more: Any,
    ) -> None:
        """An API message ``name`` in ``rows`` lines, stamped ``at`` (HH:MM), as it is reported."""
        for row in range(rows):
            said: dict[str, Any] = {
                "id": f"msg_{name}",
                "role": "assistant",
                "model": model,
                "content": [{"type": "text", "text": f"{name}, part {row}"}],
            }
            if usage is not None:
                # Early lines carry a placeholder; the last one knows the output.
                output = usage.get("output_tokens", 0) if row == rows - 1 else 1
                said["usage"] = {**usage, "output_tokens": output}
            stamp = f"2025-07-01T{at}:{row:02d}.000Z"
            self._line("assistant", said, requestId=f"req_{name}", timestamp=stamp, **more)
