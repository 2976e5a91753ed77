"""A process that parses files, so that a bad one can be stopped and both cores are used.

It speaks length-prefixed pickles over its own pipes with the process that started it, and ends
with that process: its input is closed by any death.
"""

from __future__ import annotations

import gc
import os
import pickle
import struct
import sys
from typing import IO, Any

HEADER = struct.Struct("<I")


def send(stream: IO[bytes], value: Any) -> None:
    """Write one value."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one value. Raises EOFError at the end."""
    return pickle.loads(_exactly(stream, HEADER.unpack(_exactly(stream, HEADER.size))[0]))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    body = stream.read(size)
    while len(body) < size:
        more = stream.read(size - len(body))
        if not more:
            raise EOFError
        body += more
    return body


def main() -> None:
    """Answer jobs until the input ends."""
    from sakur4_core.cortex.preparing import prepare

    # What is made of a file holds hardly a cycle, and is sent off at once.
    gc.freeze()
    gc.set_threshold(200_000)
    wire_in, wire_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        while True:
            send(wire_out, prepare(receive(wire_in)))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()
        os._exit(0)


if __name__ == "__main__":
    main()
