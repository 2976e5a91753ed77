"""The one error tree of the engine. Front ends translate it at their edges."""

from __future__ import annotations


class Sakur4Error(Exception):
    """Something the person or the agent can act on.

    Attributes:
        message: One plain sentence that says what is wrong.
        hint: One sentence that says what to do next, or None.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class ConfigError(Sakur4Error):
    """A setting, a path or a project that cannot be used."""


class StoreError(Sakur4Error):
    """The store cannot be opened, read or written."""


class SchemaTooNew(StoreError):
    """The store was written by a newer version of the program."""


class StoreBusy(StoreError):
    """Another process held the store for longer than the bounded wait."""


class StoreMoved(StoreError):
    """The store's file was replaced or deleted while it was open."""


class WrongProject(StoreError):
    """The store belongs to another project root."""


class InvalidInput(Sakur4Error):
    """An argument is out of its bounds or of the wrong form."""


class NotFound(Sakur4Error):
    """An id names nothing in this store."""


class AlreadyDecided(Sakur4Error):
    """A proposal was decided before; a decision is taken once."""


class Expired(Sakur4Error):
    """A proposal no longer fits the session; a new one stands in its place."""


class AnchorOverflow(Sakur4Error):
    """The pinned anchors do not fit their budget; nothing was dropped."""


class IndexingError(Sakur4Error):
    """The code index cannot be built."""


class QueryError(Sakur4Error):
    """A query cannot be answered."""


class QueryTimeout(QueryError):
    """A query ran into its time limit."""


class EmbeddingError(Sakur4Error):
    """The embedder failed; recall goes on without it and says so."""


class BackendError(Sakur4Error):
    """An inference backend failed or lacks a capability."""
