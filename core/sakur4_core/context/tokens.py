"""The one local counter: tiktoken's o200k_base, from the vocabulary file in this package."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sakur4_core.errors import ConfigError

if TYPE_CHECKING:
    import tiktoken

ENCODING: Final = "o200k_base"
# tiktoken names a cached vocabulary by the SHA-1 of the address it would load it from.
VOCABULARY_FILE: Final = "fb374d419588a4632f3f557e76b4b70aebbca790"
VOCABULARY_SHA256: Final = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
CACHE_VARIABLE: Final = "TIKTOKEN_CACHE_DIR"

# Longer texts are counted in pieces: tiktoken's pattern engine aborts on about a million
# spaces in a row, and pieces can be counted side by side.
PIECE_CHARS: Final = 32_768
SEAM_SEARCH_CHARS: Final = 4_096
# A line break before a letter or digit ends a token in o200k's pattern whatever stands
# around it, so a cut there changes no count.
_SEAM: Final = re.compile(r"\n(?=[A-Za-z0-9])")

# Texts up to this size are counted on the event loop (under 3 ms).
INLINE_CHARS: Final = 8_192
THREADS: Final = min(4, os.cpu_count() or 1)

# Models whose own tokenizer is o200k_base (tiktoken's model table).
_O200K_MODELS: Final = ("gpt-4o", "gpt-4.1", "gpt-5", "chatgpt-4o", "o1", "o3", "o4")


class LocalCounter:
    """Counts o200k_base tokens without a server and without a network.

    The vocabulary takes about 75 MB and half a second, so it is loaded at the first count,
    or ahead of it by :meth:`warm`. Special tokens in a text count as ordinary characters.
    """

    name = ENCODING

    def __init__(self) -> None:
        self._encoding: tiktoken.Encoding | None = None
        self._lock = threading.Lock()

    def count(self, text: str) -> int:
        """Tokens in ``text``; about 0.2 ms for each 1,000 characters.

        Raises:
            ConfigError: The vocabulary file is missing or damaged.
        """
        encoding = self._loaded()
        if len(text) <= PIECE_CHARS:
            return len(encoding.encode_ordinary(text))

        def size(piece: str) -> int:
            # The array form leaves the interpreter's lock alone, so that threads help.
            return int(encoding.encode_to_numpy(piece, disallowed_special=()).size)

        weighed = [(times, part) for times, lines in distinct(text) for part in pieces(lines)]
        with ThreadPoolExecutor(THREADS, thread_name_prefix="sakur4-count") as pool:
            sizes = pool.map(size, (part for _, part in weighed))
            return sum(times * tokens for (times, _), tokens in zip(weighed, sizes, strict=True))

    async def measure(self, text: str) -> int:
        """The same, in a thread where it could hold the event loop up."""
        if self._encoding is not None and len(text) <= INLINE_CHARS:
            return self.count(text)
        return await asyncio.to_thread(self.count, text)

    async def warm(self) -> None:
        """Load the vocabulary in a thread."""
        await asyncio.to_thread(self._loaded)

    def _loaded(self) -> tiktoken.Encoding:
        if self._encoding is None:
            with self._lock:
                if self._encoding is None:
                    self._encoding = _load()
        return self._encoding


def pieces(text: str) -> Iterator[str]:
    """Cut a long text where a cut changes no count, or at ``PIECE_CHARS`` if it has no such place.

    A cut of the second kind can add one token.
    """
    start = 0
    while len(text) - start > PIECE_CHARS:
        limit = start + PIECE_CHARS
        cut = limit
        for seam in _SEAM.finditer(text, limit - SEAM_SEARCH_CHARS, limit + 1):
            cut = seam.end()
        yield text[start:cut]
        start = cut
    yield text[start:]


def has_own_tokenizer(model: str | None) -> bool:
    """Whether o200k_base is the model's own tokenizer, so that a local count is exact."""
    return (model or "").rsplit("/", 1)[-1].startswith(_O200K_MODELS)


def distinct(text: str) -> list[tuple[int, str]]:
    """A text as its different lines, joined by how often they occur: ``(times, lines)``.

    Only a cut that changes no count parts two lines, so the counts of the groups, each times
    its number, sum to the count of the text. Logs and listings shrink to a fraction.
    """
    first, *middle = _SEAM.split(text)
    if not middle:
        return [(1, first)]
    # The first may begin, and the last may end, with what only parts at its own place.
    ends = [(1, first + "\n"), (1, middle.pop())]
    groups: dict[int, list[str]] = {}
    for line, times in Counter(middle).items():
        groups.setdefault(times, []).append(line + "\n")
    return [*ends, *((times, "".join(group)) for times, group in groups.items())]


def _load() -> tiktoken.Encoding:
    import tiktoken

    with resources.as_file(resources.files("sakur4_core.context") / "vocabulary") as folder:
        _check(folder / VOCABULARY_FILE)
        with _vocabulary_in(folder):
            encoding = tiktoken.get_encoding(ENCODING)
    # The tokenizer proper has a copy of its own; this one takes 30 MB and serves pickling only.
    encoding._mergeable_ranks = {}
    return encoding


def _check(file: Path) -> None:
    """Refuse a damaged file first: tiktoken would delete it and reach for the network."""
    try:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(
            f"The token vocabulary cannot be read: {error.strerror}.", "Install sakur4-tui again."
        ) from error
    if digest != VOCABULARY_SHA256:
        raise ConfigError("The token vocabulary is damaged.", "Install sakur4-tui again.")


@contextmanager
def _vocabulary_in(folder: Path) -> Iterator[None]:
    """Point tiktoken at ``folder``, for this load only."""
    before = os.environ.get(CACHE_VARIABLE)
    os.environ[CACHE_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[CACHE_VARIABLE]
        else:
            os.environ[CACHE_VARIABLE] = before
