"""Text as the store can hold it: valid Unicode without NUL, and told when it was not."""

from __future__ import annotations

MAX_CONTENT_BYTES = 16 * 1024 * 1024


def storable(text: str) -> tuple[str, bool]:
    """``text`` without lone surrogates and NUL, and whether anything had to be replaced.

    SQLite cannot store a lone surrogate and C tools stop at NUL; both become U+FFFD.
    """
    clean = text
    # A text knows whether it is ASCII: most are, and need no look at their letters.
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            clean = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if "\0" in clean:
        clean = clean.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return clean, clean != text


def preview(text: str, limit: int = 80) -> str:
    """The first line with something on it, white space folded, cut at ``limit`` characters."""
    for line in text.splitlines():
        folded = " ".join(line.split())
        if folded:
            return folded if len(folded) <= limit else folded[: limit - 1] + "…"
    return ""
