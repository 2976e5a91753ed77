"""Starts the stand-in for llama.cpp's server, a process of its own, and ends it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = Path(__file__).parents[3] / "fixtures" / "fake_llama" / "server.py"


@contextmanager
def llama_server(*options: str) -> Iterator[str]:
    """The address of a running server."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), *options], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), line
        yield f"http://127.0.0.1:{line.split()[-1]}"
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
