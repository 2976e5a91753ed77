"""Arrays in one file, mapped by whoever reads them, and never trusted without their sums."""

from __future__ import annotations

import json
import os
import secrets
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

MAGIC = b"SAKUR4V1"
# Arrays begin at multiples of it, as their items' sizes ask.
ALIGNED = 64


def write_view(file: Path, head: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Replace a file at once by a head (JSON) and arrays, readable by its owner alone.

    Raises OSError where the folder cannot be written or the disk is full.
    """
    import numpy as np

    listed, place = [], 0
    contents = [
        np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in arrays.values()
    ]
    for (name, array), content in zip(arrays.items(), contents, strict=True):
        entry = {"name": name, "type": array.dtype.str, "shape": array.shape, "at": place}
        listed.append({**entry, "sum": zlib.crc32(content)})
        place += -(-len(content) // ALIGNED) * ALIGNED
    text = json.dumps({**head, "arrays": listed, "size": place}).encode()
    lead = len(MAGIC) + 16
    padded = -(-(lead + len(text)) // ALIGNED) * ALIGNED
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(MAGIC + len(text).to_bytes(8, "little"))
            stream.write(zlib.crc32(text).to_bytes(8, "little"))
            stream.write(text.ljust(padded - lead, b" "))
            for content in contents:
                stream.write(content)
                stream.write(bytes(-len(content) % ALIGNED))
        partial.replace(file)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def read_view(file: Path) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The head and the mapped arrays of a file; None where it is missing or damaged."""
    import numpy as np

    try:
        whole = np.memmap(file, dtype=np.uint8, mode="r")
        lead = len(MAGIC) + 16
        start = whole[:lead].tobytes()
        size = int.from_bytes(start[8:16], "little")
        text = whole[lead : lead + size].tobytes()
        if start[:8] != MAGIC or zlib.crc32(text) != int.from_bytes(start[16:24], "little"):
            return None
        head = json.loads(text)
        body = whole[-(-(lead + size) // ALIGNED) * ALIGNED :]
        if len(body) != head["size"]:
            return None
        arrays = {}
        for entry in head["arrays"]:
            kind = np.dtype(entry["type"])
            length = kind.itemsize * int(np.prod(entry["shape"], dtype=np.int64))
            content = body[entry["at"] : entry["at"] + length]
            if zlib.crc32(content.data) != entry["sum"]:
                return None
            arrays[entry["name"]] = content.view(kind).reshape(entry["shape"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return head, arrays
