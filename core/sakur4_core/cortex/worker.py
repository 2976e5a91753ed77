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
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        raise EOFError
    return pickle.loads(stream.read(HEADER.unpack(header)[0]))


def main() -> None:
    """Answer jobs until the input ends."""
    from sakur4_core.cortex.preparing import prepare

    # What it makes of a file holds no cycles, and is sent off at once.
    gc.disable()
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
