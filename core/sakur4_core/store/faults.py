"""What SQLite says went wrong, in the engine's own words."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from sakur4_core.errors import InvalidInput, Sakur4Error, StoreBusy, StoreError, StoreMoved

# What the driver raises for a value that SQLite cannot hold: an integer beyond 64 bits, a lone
# surrogate. Both are found before anything is written.
UNSTORABLE: Final = (OverflowError, UnicodeEncodeError)

# Primary result codes (the low byte) that tell of the store and not of one statement.
_STORE_CODES: Final = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where the driver itself raised."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Whether SQLite says that another connection is in the way."""
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def concerns_store(error: BaseException) -> bool:
    """Whether the next read or write would fail the same way, whatever it says."""
    if isinstance(error, sqlite3.Error):
        return code_of(error) in _STORE_CODES
    return isinstance(error, StoreMoved)


def translate(error: BaseException, path: Path) -> Sakur4Error:
    """An error of the driver in the engine's own words."""
    if isinstance(error, Sakur4Error):
        return error
    if isinstance(error, UNSTORABLE):
        return InvalidInput(
            f"A value cannot be stored: {error}.", "Use valid text, and integers of 64 bits."
        )
    assert isinstance(error, sqlite3.Error)
    return _of_code(code_of(error), str(error), path)


def _of_code(code: int, text: str, path: Path) -> StoreError:
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(
            "Another process holds the store.", "Try again; `sakur4-tui doctor` names who has it."
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StoreError(
            f"{path} is not a usable database: {text}.", "Name another file with --store."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return StoreError(f"The store {path} cannot be written: {text}.", "Check its permissions.")
    if code == sqlite3.SQLITE_FULL:
        return StoreError("The disk is full; nothing was written.", "Free some space.")
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"The disk refused: {text}; nothing was written.", "Check its space and its health."
        )
    return StoreError(f"The store refused: {text}.", "Run `sakur4-tui verify`.")
