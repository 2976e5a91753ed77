"""Which backend a setting asks for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from sakur4_core.cache.backends.base import Backend
from sakur4_core.cache.backends.embedded import EmbeddedBackend
from sakur4_core.cache.backends.llama_cpp import LlamaCppBackend
from sakur4_core.cache.backends.null import NullBackend
from sakur4_core.errors import ConfigError

AUTO: Final = "auto"
# Where llama.cpp's server listens unless it is told otherwise.
LOOPBACK: Final = ("127.0.0.1", 8080)
LISTENS_S: Final = 0.2


def named(setting: str) -> Backend:
    """The backend that a setting names, not yet connected; none for ``auto``.

    Raises:
        ConfigError: The setting is neither a known word nor an address.
    """
    if setting in (AUTO, "none"):
        return NullBackend()
    if setting == "embedded":
        return EmbeddedBackend()
    with suppress(ValueError):
        parts = urlsplit(setting)
        if parts.scheme in ("http", "https") and parts.hostname:
            return LlamaCppBackend(setting, content=True)
    raise ConfigError(
        "context.backend must be auto, embedded, none or the address of a llama.cpp server.",
        "An address looks like http://127.0.0.1:8080.",
    )


async def on_loopback(address: tuple[str, int] = LOOPBACK) -> Backend | None:
    """The llama.cpp server of this machine, connected; None where there is none.

    No content is ever sent to a server that was found and not configured.
    """
    try:
        async with asyncio.timeout(LISTENS_S):
            _, writer = await asyncio.open_connection(*address)
    except (OSError, TimeoutError):
        return None
    writer.close()
    found = LlamaCppBackend(f"http://{address[0]}:{address[1]}", content=False)
    await found.connect()
    if found.connected:
        return found
    await found.close()
    return None
