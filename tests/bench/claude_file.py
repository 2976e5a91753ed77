"""A transcript as Claude Code writes it, of any size, made of this repository's own texts.

Shapes and shares follow what its real files have: an envelope on every line, each content block a
line of its own that repeats the usage, thinking with its signature, and results twice, once for
the model and once for the interface.

    python tests/bench/claude_file.py BYTES FILE
"""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROSE = (
    "I'll look at how {name} is called before I change it.",
    "The test fails because {name} is closed twice; the second close should do nothing.",
    "Done: {name} now keeps the order, and the suite passes.",
    "Let me check the callers of {name} and then run the tests again.",
)
PROMPTS = (
    "Please make {name} faster without changing what it returns, and keep the tests as they are.",
    "Why does {name} read the file twice? Look into it and fix it.",
    "Never commit to main directly; open a branch for {name}.",
    "ok, go on",
)


class Session:
    """Lines of one session, the same for the same seed."""

    def __init__(self, session_id: str = "11111111-2222-4333-8444-555555555555") -> None:
        self._random = random.Random(7)
        self._session = session_id
        self._parent: str | None = None
        self._second = 0
        self._files = sorted((ROOT / "core").rglob("*.py"))
        self._texts = {file: file.read_text("utf-8") for file in self._files}
        self._context = 18_000

    def lines(self, size: int) -> Iterator[bytes]:
        """At least ``size`` bytes of whole lines."""
        done = 0
        while done < size:
            for entry in self.turn():
                line = (
                    json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                )
                done += len(line)
                yield line

    def turn(self) -> Iterator[dict[str, Any]]:
        """A prompt and what the agent does about it."""
        name = self._random.choice(self._files).stem
        yield self._line("user", {"role": "user", "content": self._pick(PROMPTS, name)})
        for _ in range(self._random.randint(3, 9)):
            yield from self._call(name)
        yield from self._answer([{"type": "text", "text": self._pick(PROSE, name)}])

    def _call(self, name: str) -> Iterator[dict[str, Any]]:
        call = f"toolu_{self._hex(24)}"
        tool, arguments, said, shown = self._tool(self._random.choice(self._files))
        thinking = " ".join(self._pick(PROSE, name) for _ in range(3))
        signature = base64.b64encode(self._random.randbytes(600)).decode()
        yield from self._answer(
            [
                {"type": "thinking", "thinking": thinking, "signature": signature},
                {"type": "text", "text": self._pick(PROSE, name)},
                {"type": "tool_use", "id": call, "name": tool, "input": arguments},
            ]
        )
        result = {"tool_use_id": call, "type": "tool_result", "content": said}
        yield self._line("user", {"role": "user", "content": [result]}, toolUseResult=shown)

    def _tool(self, file: Path) -> tuple[str, dict[str, Any], str, Any]:
        text, path = self._texts[file], str(file.relative_to(ROOT))
        lines = text.splitlines()
        start = self._random.randrange(max(1, len(lines) - 80))
        part = lines[start : start + self._random.randint(20, 120)]
        numbered = "\n".join(f"{place:6}\t{line}" for place, line in enumerate(part, start + 1))
        match self._random.randrange(4):
            case 0:
                shown: Any = {
                    "type": "text",
                    "file": {"filePath": path, "content": "\n".join(part)},
                }
                return "Read", {"file_path": path}, numbered, shown
            case 1:
                old = "\n".join(part[:6])
                edit = {
                    "file_path": path,
                    "old_string": old,
                    "new_string": old.replace("self", "this"),
                }
                patch = [{"oldStart": start, "lines": [f" {line}" for line in part[:12]]}]
                whole = {**edit, "originalFile": text, "structuredPatch": patch}
                return "Edit", edit, f"The file {path} has been updated.\n{numbered[:900]}", whole
            case 2:
                said = "\n".join(
                    f"{path}:{place}:{line}" for place, line in enumerate(part, start)
                )
                return "Grep", {"pattern": "def ", "path": path}, said, {"content": said}
            case _:
                said = self._test_run(path)
                shown = {"stdout": said, "stderr": "", "interrupted": False, "isImage": False}
                return "Bash", {"command": f"pytest {path} -q"}, said, shown

    def _test_run(self, path: str) -> str:
        rows = [
            f"{path}::test_{self._hex(6)} {'PASSED' if self._random.random() > 0.05 else 'FAILED'}"
            f" [{place:3}%]"
            for place in range(self._random.randint(5, 60))
        ]
        return "\n".join([*rows, f"==== {len(rows)} passed in {self._random.random():.2f}s ===="])

    def _answer(self, blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        message_id, request = f"msg_{self._hex(24)}", f"req_{self._hex(24)}"
        grown = self._random.randint(200, 2_500)
        usage = {
            "input_tokens": 8,
            "cache_creation_input_tokens": grown,
            "cache_read_input_tokens": self._context,
            "cache_creation": {"ephemeral_5m_input_tokens": grown, "ephemeral_1h_input_tokens": 0},
            "output_tokens": self._random.randint(20, 900),
            "service_tier": "standard",
        }
        self._context = 18_000 if self._context > 150_000 else self._context + grown
        for block in blocks:
            message = {
                "model": "claude-sonnet-4-5-20250929",
                "id": message_id,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": usage,
            }
            yield self._line("assistant", message, requestId=request)

    def _line(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        uuid = f"{self._hex(8)}-{self._hex(4)}-4{self._hex(3)}-8{self._hex(3)}-{self._hex(12)}"
        self._second += self._random.randint(1, 20)
        hours, rest = divmod(self._second, 3600)
        entry = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/user/projects/work",
            "sessionId": self._session,
            "version": "2.1.98",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": f"2026-{1 + hours // 672 % 12:02}-{1 + hours // 24 % 28:02}T"
            f"{hours % 24:02}:{rest // 60:02}:{rest % 60:02}.000Z",
            **more,
        }
        self._parent = uuid
        return entry

    def _pick(self, texts: tuple[str, ...], name: str) -> str:
        return self._random.choice(texts).format(name=name)

    def _hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(4 * digits):0{digits}x}"


if __name__ == "__main__":
    with Path(sys.argv[2]).open("wb") as file:
        file.writelines(Session().lines(int(sys.argv[1])))
