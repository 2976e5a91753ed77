"""A file's bytes and its text, whatever its encoding, or why there is none."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import time
from dataclasses import dataclass

from sakur4_core.cortex.discovery import Found
from sakur4_core.cortex.model import FileStatus

BINARY_PROBE_BYTES = 8192
# A file changed this recently may change again without its time of change moving (the kernel's
# clock ticks every 4 ms on common systems; network file systems round more).
RACY_NS = 50_000_000

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a file. ``text`` is None where ``status`` says why."""

    text: str | None
    hash: str | None
    size: int
    stamp_ns: int
    status: FileStatus = FileStatus.PARSED
    detail: str = ""


def read(found: Found, max_bytes: int) -> Reading:
    """Read a file as it stands; every failure is a status, none an exception."""
    if found.link:
        return _refused(found, FileStatus.UNSUPPORTED, "a link, not followed")
    if found.size > max_bytes:
        return _refused(found, FileStatus.TOO_LARGE, f"{found.size} bytes, limit {max_bytes}")
    try:
        descriptor = os.open(found.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            seen = os.fstat(descriptor)
            data = file.read(max_bytes + 1)
    except OSError as error:
        return _refused(found, FileStatus.DEGRADED, f"cannot be read: {error.strerror}")
    stamp = max(seen.st_mtime_ns, seen.st_ctime_ns)
    if time.time_ns() - stamp < RACY_NS:
        stamp = 0
    if len(data) > max_bytes:
        return _refused(found, FileStatus.TOO_LARGE, f"over the limit of {max_bytes} bytes")
    text, status, detail = decode(data)
    return Reading(text, content_hash(data), len(data), stamp, status, detail)


def content_hash(data: bytes) -> str:
    """The hash by which a file's content is compared."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def decode(data: bytes) -> tuple[str | None, FileStatus, str]:
    """Bytes as text: by byte order mark, as UTF-8, by a coding cookie, as Latin-1."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding), FileStatus.PARSED, encoding
            except UnicodeDecodeError:
                return None, FileStatus.UNDECODABLE, f"no valid {encoding}"
    if b"\0" in data[:BINARY_PROBE_BYTES]:
        return None, FileStatus.BINARY, ""
    try:
        return data.decode("utf-8"), FileStatus.PARSED, ""
    except UnicodeDecodeError:
        pass
    cookie = _COOKIE.search(data[:200])
    if cookie is not None:
        name = cookie[1].decode("ascii", "replace")
        try:
            return data.decode(name), FileStatus.PARSED, name
        except (LookupError, UnicodeError):
            return None, FileStatus.UNDECODABLE, f"no valid {name}"
    # Latin-1 decodes anything; control characters of its upper half do not occur in text.
    if any(0x80 <= byte < 0xA0 for byte in data):
        return None, FileStatus.UNDECODABLE, "no known encoding"
    return data.decode("latin-1"), FileStatus.PARSED, "latin-1"


def stat_mark(found: Found) -> str:
    """What stands for the hash of a file that is not read: its size and time of change."""
    return content_hash(f"{found.size}:{found.stamp_ns}".encode())


def _refused(found: Found, status: FileStatus, detail: str) -> Reading:
    return Reading(None, stat_mark(found), found.size, found.stamp_ns, status, detail)
