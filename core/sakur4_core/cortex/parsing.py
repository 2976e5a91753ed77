"""Parsing many files: in a thread while they are few, in processes when they are many."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sakur4_core.cortex.extraction import Job
from sakur4_core.cortex.model import FileStatus
from sakur4_core.cortex.preparing import Prepared, prepare
from sakur4_core.cortex.reading import stat_mark
from sakur4_core.cortex.worker import receive, send

# Measured (notes of issue 4): processes pay from 4 MB of source; starting one takes 0.15 s.
POOL_FROM_BYTES = 4_000_000
# Parsing holds the interpreter's lock; so much of it is not felt in an interface.
LONE_FILE_BYTES = 128_000
MAX_WORKERS = 2
# How often a waiting thread looks whether the run was given up.
LOOK_UP_S = 0.2
FILES_A_BATCH = 100
BYTES_A_BATCH = 1_000_000


async def parse_batches(jobs: Sequence[Job], timeout_s: float) -> AsyncIterator[list[Prepared]]:
    """Parse files and hand them on in the order given, a batch at a time.

    A file that takes longer than ``timeout_s`` is marked ``timed_out`` and its process ended.
    """
    sizes = [job.found.size for job in jobs if job.language is not None]
    heavy = sum(sizes) >= POOL_FROM_BYTES or max(sizes, default=0) > LONE_FILE_BYTES
    if heavy:
        async for batch in _parse_in_processes(jobs, timeout_s):
            yield batch
    else:
        for start, end in _cuts(jobs):
            yield await asyncio.to_thread(lambda a, b: [prepare(j) for j in jobs[a:b]], start, end)


def _cuts(jobs: Sequence[Job]) -> list[tuple[int, int]]:
    """Where each batch begins and ends."""
    cuts, start, size = [], 0, 0
    for index, job in enumerate(jobs):
        size += job.found.size
        if index + 1 - start >= FILES_A_BATCH or size >= BYTES_A_BATCH:
            cuts.append((start, index + 1))
            start, size = index + 1, 0
    if start < len(jobs):
        cuts.append((start, len(jobs)))
    return cuts


@dataclass(slots=True)
class _Line:
    """The jobs of one run, shared by the threads that feed the processes.

    ``room`` keeps them from running further ahead of the reader than memory should hold.
    """

    pending: deque[tuple[int, Job]]
    timeout_s: float
    results: dict[int, Prepared] = field(default_factory=dict)
    room: threading.Semaphore = field(
        default_factory=lambda: threading.Semaphore(3 * FILES_A_BATCH)
    )
    stopped: bool = False


async def _parse_in_processes(
    jobs: Sequence[Job], timeout_s: float
) -> AsyncIterator[list[Prepared]]:
    line = _Line(deque(enumerate(jobs)), timeout_s)
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def tell() -> None:
        loop.call_soon_threadsafe(arrived.set)

    count = min(MAX_WORKERS, os.cpu_count() or 1, len(jobs))
    lanes = [asyncio.create_task(asyncio.to_thread(_drive, line, tell)) for _ in range(count)]
    try:
        for start, end in _cuts(jobs):
            while not all(index in line.results for index in range(start, end)):
                arrived.clear()
                if all(lane.done() for lane in lanes):
                    await asyncio.gather(*lanes)
                if not all(index in line.results for index in range(start, end)):
                    await arrived.wait()
            batch = [line.results.pop(index) for index in range(start, end)]
            line.room.release(len(batch))
            yield batch
    finally:
        line.stopped = True
        line.room.release(count)
        await asyncio.gather(*lanes)


def _drive(line: _Line, tell: Callable[[], None]) -> None:
    """Feed one worker process until nothing is left."""
    process: subprocess.Popen[bytes] | None = None
    try:
        while True:
            line.room.acquire()
            if line.stopped or not line.pending:
                return
            try:
                index, job = line.pending.popleft()
            except IndexError:
                return
            process = process or _start()
            answer = _ask(process, job, line)
            if answer is None:
                _end(process)
                process = None
            line.results[index] = answer or _lost(job, line.timeout_s)
            tell()
    finally:
        if process is not None:
            _end(process)
        tell()


def _start() -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    # -P keeps the working folder off the import path.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "sakur4_core.cortex.worker"],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _ask(process: subprocess.Popen[bytes], job: Job, line: _Line) -> Prepared | None:
    """The worker's answer, or None where it died, took too long, or is no longer wanted."""
    assert process.stdin is not None and process.stdout is not None
    deadline = time.monotonic() + line.timeout_s
    try:
        send(process.stdin, job)
        while not select.select([process.stdout], [], [], min(line.timeout_s, LOOK_UP_S))[0]:
            if line.stopped or time.monotonic() > deadline:
                return None
        answer: Prepared = receive(process.stdout)
    except (OSError, EOFError):
        return None
    return answer


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def _lost(job: Job, timeout_s: float) -> Prepared:
    return Prepared(
        path=job.found.path,
        language=job.language,
        status=FileStatus.TIMED_OUT,
        detail=f"the parser died or took longer than {timeout_s:g} s",
        size=job.found.size,
        stamp_ns=job.found.stamp_ns,
        hash=stat_mark(job.found),
    )
