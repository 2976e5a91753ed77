"""The bytes of a transcript, compressed or not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sakur4_core.errors import InvalidInput

SUFFIX = ".zst"
CHUNK_BYTES = 1 << 20


def chunks(path: Path) -> Iterator[bytes]:
    """A file's bytes in pieces of at most 1 MB; those of a ``.zst`` file unpacked.

    Raises:
        InvalidInput: The file cannot be read, or nothing here can unpack it.
    """
    try:
        if path.suffix == SUFFIX:
            yield from _unpacked(path)
            return
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.", "Check the file."
        ) from error


def _unpacked(path: Path) -> Iterator[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        with zstd.open(path, "rb") as stream:
            while chunk := stream.read(CHUNK_BYTES):
                yield chunk
        return
    program = shutil.which("zstd")
    if program is None:
        raise InvalidInput(f"{path} is compressed.", "Install zstd, or unpack the file first.")
    command = [program, "-dcq", "--", str(path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        while chunk := process.stdout.read(CHUNK_BYTES):
            yield chunk
