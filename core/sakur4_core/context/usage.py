"""Reported usage in one shape, whoever reports it."""

from __future__ import annotations

from typing import Final

from sakur4_core.errors import InvalidInput
from sakur4_core.models import Role, Usage
from sakur4_core.store.window import WindowRow

# No call is this large; a larger number is another unit or a mistake.
MAX_TOKENS: Final = 1_000_000_000
# Providers that report Claude's own shape, whose input leaves cached tokens out.
_CLAUDE_HOSTS: Final = frozenset({"anthropic", "claude", "bedrock", "aws", "vertex", "vertex_ai"})


def normalise(
    *,
    session_id: str,
    turn: int,
    prompt_tokens: int,
    completion_tokens: int | None,
    cache_read_tokens: int | None,
    cache_write_tokens: int | None,
    provider: str | None,
    model: str | None,
    created_at: str,
    message_id: str | None,
) -> Usage:
    """A report as a :class:`Usage`, whose ``context_tokens`` counts cached input once.

    Anthropic's input leaves cached tokens out; OpenAI, Gemini, DeepSeek and llama.cpp count
    them within the prompt. What was not reported stays None.

    Raises:
        InvalidInput: A number is negative or beyond any window.
    """
    for name, value in (
        ("prompt_tokens", prompt_tokens),
        ("completion_tokens", completion_tokens),
        ("cache_read_tokens", cache_read_tokens),
        ("cache_write_tokens", cache_write_tokens),
    ):
        if value is not None and not 0 <= value <= MAX_TOKENS:
            raise InvalidInput(f"{name} is {value}.", f"Give tokens, from 0 to {MAX_TOKENS:,}.")
    cached = (cache_read_tokens or 0) + (cache_write_tokens or 0)
    apart = _cached_apart(provider, model) or (cache_read_tokens or 0) > prompt_tokens
    return Usage(
        session_id=session_id,
        turn=turn,
        context_tokens=prompt_tokens + cached if apart else prompt_tokens,
        input_tokens=prompt_tokens if apart else max(0, prompt_tokens - cached),
        completion_tokens=completion_tokens,
        cache_read_tokens=cache_read_tokens,
        cache_write_tokens=cache_write_tokens,
        provider=provider,
        model=model,
        created_at=created_at,
        message_id=message_id,
    )


def last_covered(rows: tuple[WindowRow, ...]) -> int:
    """The last episode that a prompt reported now can have held.

    A prompt ends with what the model answers to; the assistant's turns after it are the answer.
    """
    return next((row.seq for row in reversed(rows) if row.role is not Role.ASSISTANT), 0)


def _cached_apart(provider: str | None, model: str | None) -> bool:
    claude = "claude" in (model or "").lower()
    if provider is None:
        return claude
    host = provider.lower()
    return host in ("anthropic", "claude") or (host in _CLAUDE_HOSTS and claude)
