"""The hash chain that makes the transcript tamper-evident.

``content_hash`` is keyed with a random key of the store, so that a tombstone confirms no guess
at what stood there; ``chain_hash`` covers the row before, the row's own columns and its
``content_hash``, so a redaction leaves the chain whole.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3

from sakur4_core.models import Verification
from sakur4_core.store import episodes as sql
from sakur4_core.store.database import Transaction
from sakur4_core.store.status import meta, set_meta

KEY_NAME = "chain_key"
# One for all: `json.dumps` would make an encoder for each row.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def new_key() -> str:
    """A fresh key: 32 random bytes, in hex."""
    return secrets.token_hex(32)


def store_key(tx: Transaction) -> bytes:
    """The store's key, made at its first use."""
    text = meta(tx.db, KEY_NAME)
    if text is None:
        text = new_key()
        set_meta(tx.db, KEY_NAME, text)
    return bytes.fromhex(text)


def content_hash(key: bytes, content: str) -> str:
    """Keyed BLAKE2b-256 of a content, in hex."""
    return hashlib.blake2b(content.encode("utf-8"), key=key, digest_size=32).hexdigest()


def chain_hash(previous: str, fields: tuple[str | int | None, ...], content: str) -> str:
    """BLAKE2b-256 over the hash before, the columns in their order, and the content's hash."""
    body = _JSON.encode([previous, *fields, content])
    return hashlib.blake2b(body.encode("utf-8"), digest_size=32).hexdigest()


def verify(db: sqlite3.Connection) -> Verification:
    """Walk the chain from the first row; stop at the first that does not hold."""
    key_text = meta(db, KEY_NAME)
    key = bytes.fromhex(key_text or "00")
    previous, expected = "", 1
    for link in sql.links(db):
        fault = _fault(link, key, previous, expected)
        if fault:
            return Verification(False, expected - 1, link.seq, fault)
        previous, expected = link.chain_hash, expected + 1
    if sql.highest_seq(db) >= expected:
        return Verification(
            False, expected - 1, expected, f"Rows from #{expected} on are missing at the end."
        )
    return Verification(True, expected - 1, None, f"All {expected - 1} episodes hold.")


def _fault(link: sql.Link, key: bytes, previous: str, expected: int) -> str | None:
    if link.seq != expected:
        return f"#{expected} is missing before #{link.seq}."
    if link.tombstone is not None:
        if link.content != link.tombstone:
            return f"#{link.seq}: the tombstone was changed."
    elif content_hash(key, link.content) != link.content_hash:
        return f"#{link.seq}: the content was changed."
    if chain_hash(previous, link.fields, link.content_hash) != link.chain_hash:
        return f"#{link.seq}: the row or its place was changed."
    return None
