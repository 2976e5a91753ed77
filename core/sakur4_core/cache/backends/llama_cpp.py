"""A llama.cpp server, through the routes that its documentation describes.

Nothing is assumed: each capability is probed or tried, within a time limit of its own, and what
does not work is told with its reason.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from sakur4_core.cache.backends.base import SlotFile
from sakur4_core.errors import BackendError

if TYPE_CHECKING:
    import httpx

# Seconds for each operation: a probe must not be felt, a save writes gigabytes.
LIMITS: Final = {"probe": 1.0, "tokenize": 10.0, "save": 120.0, "restore": 120.0, "erase": 5.0}
# Texts asked at a time; the server tokenizes them side by side with its work.
AT_ONCE: Final = 8
# Counts by content hash, about 150 bytes each.
REMEMBERED: Final = 50_000
SLOT_SAVE_HINT: Final = "start it with --slot-save-path"
METRIC: Final = re.compile(r"^llamacpp:(\w+)(?:\{[^}]*\})? ([-+0-9.eE]+)$", re.MULTILINE)

Action = Literal["save", "restore", "erase"]


class LlamaCppBackend:
    """One server. ``content`` says whether texts may be sent to it.

    Args:
        url: Its base address; user and password in it are sent and never shown.
    """

    name = "llama.cpp"

    def __init__(self, url: str, *, content: bool) -> None:
        self._url = url.rstrip("/")
        self._content = content
        self._client: httpx.AsyncClient | None = None
        self._problems: dict[str, str] = {}
        self._tokenizer: LlamaTokenizer | None = None
        self.connected = False
        self.window: int | None = None
        self.slots: int | None = None

    @property
    def degraded(self) -> tuple[str, ...]:
        return tuple(f"llama.cpp: {what}: {why}" for what, why in sorted(self._problems.items()))

    @property
    def tokenizer(self) -> LlamaTokenizer | None:
        return self._tokenizer if self.connected else None

    async def connect(self) -> None:
        """Probe health, properties and slots; a second call asks again."""
        self._problems.clear()
        self.connected = False
        try:
            await self._get("/health", "server")
            props = await self._get("/props", "server")
        except BackendError:
            return
        window = _whole(props, "default_generation_settings", "n_ctx")
        if not window:
            self._problems["server"] = "/props names no n_ctx, so this is no llama.cpp server"
            return
        self.connected, self.window = True, window
        self.slots = _whole(props, "total_slots")
        if self._content and self._tokenizer is None:
            self._tokenizer = LlamaTokenizer(self, _model_name(props))

    async def checkpoints(self, slot_id: int, tokens: int) -> tuple[int, ...] | None:
        """The routes tell of no checkpoints: a slot resumes at the end of any common prefix."""
        return None

    async def busy(self) -> str | None:
        """See :class:`~sakur4_core.cache.backends.base.Backend`; unread slots may be working."""
        if not self.connected:
            return None
        try:
            slots = await self._get("/slots", "slots")
        except BackendError:
            return f"the slots of {self.name} cannot be read"
        if not isinstance(slots, list) or not all(isinstance(slot, dict) for slot in slots):
            return f"the slots of {self.name} cannot be read"
        working = [str(slot.get("id")) for slot in slots if _processing(slot)]
        return f"slot {', '.join(working)} of {self.name} works" if working else None

    async def metrics(self) -> dict[str, float]:
        """The server's counters by name without their prefix; none where it has no such route."""
        try:
            response = await self._send("GET", "/metrics", "metrics", LIMITS["probe"])
        except BackendError:
            return {}
        return {match[1]: float(match[2]) for match in METRIC.finditer(response.text)}

    async def save(self, slot_id: int, name: str) -> SlotFile | None:
        data = await self._slot(slot_id, "save", name)
        if data is None:
            return None
        timings = data.get("timings")
        ms = timings.get("save_ms", 0.0) if isinstance(timings, dict) else 0.0
        return SlotFile(_file(name), _whole(data, "n_written"), float(ms))

    async def restore(self, slot_id: int, name: str) -> bool:
        return await self._slot(slot_id, "restore", name) is not None

    async def erase(self, slot_id: int) -> bool:
        """Forget what a slot holds."""
        return await self._slot(slot_id, "erase", None) is not None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def count(self, text: str) -> int:
        """Tokens of a text, by the server.

        Raises:
            BackendError: It does not answer as it should.
        """
        body = {"content": text, "add_special": False}
        response = await self._send("POST", "/tokenize", "tokenize", LIMITS["tokenize"], body)
        data = self._json(response, "tokenize")
        tokens = data.get("tokens") if isinstance(data, dict) else None
        if not isinstance(tokens, list):
            raise self._problem("tokenize", "the answer holds no tokens")
        return len(tokens)

    async def _slot(self, slot_id: int, action: Action, name: str | None) -> dict[str, Any] | None:
        body = {} if name is None else {"filename": _file(name)}
        path = f"/slots/{slot_id}?action={action}"
        try:
            response = await self._send("POST", path, action, LIMITS[action], body)
            data = self._json(response, action)
        except BackendError:
            return None
        return data if isinstance(data, dict) else None

    async def _get(self, path: str, what: str) -> Any:
        return self._json(await self._send("GET", path, what, LIMITS["probe"]), what)

    def _json(self, response: httpx.Response, what: str) -> Any:
        try:
            return response.json()
        except ValueError:
            raise self._problem(what, "the answer is no JSON") from None

    async def _send(
        self, method: str, path: str, what: str, limit_s: float, body: Any = None
    ) -> httpx.Response:
        """One request within its limit; every way to fail becomes one error with one reason."""
        import httpx

        if self._client is None:
            self._client = httpx.AsyncClient(base_url=self._url, trust_env=False)
        try:
            async with asyncio.timeout(limit_s):
                response = await self._client.request(
                    method, path, json=body, timeout=httpx.Timeout(limit_s)
                )
        except (TimeoutError, httpx.TimeoutException):
            raise self._problem(what, f"no answer within {limit_s:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise self._problem(what, f"{_shown(self._url)} cannot be reached") from None
        if response.status_code >= 400:
            raise self._problem(what, _refusal(response, what))
        self._problems.pop(what, None)
        return response

    def _problem(self, what: str, why: str) -> BackendError:
        self._problems[what] = why
        return BackendError(f"The llama.cpp server failed at {what}: {why}.", "See the status.")


class LlamaTokenizer:
    """Counts through the server, a few texts at a time, and remembers counts by content."""

    def __init__(self, server: LlamaCppBackend, model: str) -> None:
        self._server = server
        self._known: OrderedDict[bytes, int] = OrderedDict()
        self.name = f"llama.cpp:{model}"

    async def many(self, texts: Sequence[str]) -> list[int]:
        keys = [_key(text) for text in texts]
        missing = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._known
        }
        gate = asyncio.Semaphore(AT_ONCE)

        async def ask(key: bytes, text: str) -> None:
            async with gate:
                self._known[key] = await self._server.count(text) if text else 0

        try:
            async with asyncio.TaskGroup() as group:
                for key, text in missing.items():
                    group.create_task(ask(key, text))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        counts = [self._known[key] for key in keys]
        for key in keys:
            self._known.move_to_end(key)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return counts


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _file(name: str) -> str:
    return f"{name}.bin"


def _whole(data: Any, *path: str) -> int | None:
    """A whole number within nested objects, or None."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, int) and not isinstance(data, bool) and data >= 0 else None


def _processing(slot: dict[str, Any]) -> bool:
    return bool(slot.get("is_processing")) and isinstance(slot.get("id"), int)


def _model_name(props: Any) -> str:
    """The model's file name or alias: what its counts are kept under."""
    named = props.get("model_alias") or props.get("model_path") or "model"
    return PurePosixPath(PureWindowsPath(str(named)).as_posix()).name[:80] or "model"


def _refusal(response: httpx.Response, what: str) -> str:
    status = response.status_code
    if status == 501:
        hint = {"slots": "start it with --slots", "metrics": "start it with --metrics"}
        return f"not enabled; {hint.get(what, SLOT_SAVE_HINT)}"
    if status == 503:
        return "it is still loading its model"
    return f"it answered with status {status}"


def _shown(url: str) -> str:
    """An address without user and password."""
    parts = urlsplit(url)
    host = parts.hostname or "the address"
    return f"{host}:{parts.port}" if parts.port else host
