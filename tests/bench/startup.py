"""How long the program takes to answer a client, and to draw. Prints one JSON document.

Seconds from spawning the process, best of ``ROUNDS``. ``sdk_import_s`` is Python starting and
importing the SDK's server, measured in the same run, so that machines can be compared.

    python tests/bench/startup.py
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROUNDS = 5
LIMIT_S = 60.0
PROGRAM = [sys.executable, "-m", "sakur4_tui"]
PAINTED = b"quit"
"""A word of the footer: it is drawn with the first whole frame."""


def sdk_import(environment: Mapping[str, str]) -> float:
    """Start Python and import what the server needs of the SDK."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "import mcp.server.lowlevel.server"], env=environment, check=True
    )
    return time.perf_counter() - start


def serve_times(environment: Mapping[str, str], project: Path) -> dict[str, float]:
    """Spawn the server; time `initialize`, then `tools/list`, then a first call."""
    start = time.perf_counter()
    with subprocess.Popen(
        [*PROGRAM, "--serve", "--project", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(method: str, **params: Any) -> float:
            assert process.stdin is not None
            assert process.stdout is not None
            asked = time.perf_counter()
            frame = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
            process.stdin.write(json.dumps(frame).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert "result" in answer, answer
            return time.perf_counter() - asked

        ask(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )
        initialized = time.perf_counter() - start
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        listed = ask("tools/list")
        called = ask("tools/call", name="sakur4_status", arguments={})
        process.stdin.close()
    return {"initialize_s": initialized, "tools_list_s": listed, "first_call_s": called}


def first_paint(environment: Mapping[str, str], project: Path) -> float:
    """Spawn the interface on a pseudo-terminal of 120x40; time its first whole frame."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    start = time.perf_counter()
    with subprocess.Popen(
        [*PROGRAM, "--project", str(project)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "TERM": "xterm-256color"},
        start_new_session=True,
    ) as process:
        drawn = b""
        try:
            while PAINTED not in drawn:
                ready, _, _ = select.select([master], [], [], LIMIT_S)
                if not ready:
                    raise TimeoutError(f"nothing was drawn in {LIMIT_S:.0f} s")
                drawn += os.read(master, 1 << 16)
            return time.perf_counter() - start
        finally:
            process.kill()
            os.close(master)
            os.close(slave)


def best(measure: Callable[[], float]) -> float:
    """The shortest of the rounds: what the work costs without what else the machine does."""
    return round(min(measure() for _ in range(ROUNDS)), 3)


def main() -> None:
    """Measure on an empty project with folders of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        (project / "main.py").write_text("def main() -> None:\n    pass\n")
        environment = {**os.environ, "SAKUR4_HOME": str(Path(folder, "home"))}
        served = [serve_times(environment, project) for _ in range(ROUNDS)]
        figures = {
            "rounds": ROUNDS,
            "sdk_import_s": best(lambda: sdk_import(environment)),
            **{name: round(min(one[name] for one in served), 4) for name in served[0]},
            "first_paint_s": best(lambda: first_paint(environment, project)),
        }
    json.dump(figures, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
