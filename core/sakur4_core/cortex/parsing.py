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

# Starting a process takes 0.15 s, as long as parsing so much takes (notes of issue 4).
POOL_FROM_BYTES = 1_500_000
# Parsing holds the interpreter's lock; so much of it is not felt in an interface.
LONE_FILE_BYTES = 128_000
MAX_WORKERS = 2
# How often a waiting thread looks whether the run was given up.
LOOK_UP_S = 0.2
FILES_A_BATCH = 100
BYTES_A_BATCH = 1_000_000
# Jobs that a process has before it, so that it never waits for its reader.
AHEAD = 8


class Parsers:
    """Parses for one engine. While files are watched, one process is kept for the next pass.

    A process that is kept also parses what is small, so that a bad file can be stopped; without
    one, few small files are parsed in a thread at once.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._keeping = False
        self._kept: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    async def keep(self) -> None:
        """Have a process ready from now on, until :meth:`close`."""
        self._keeping = True
        if self._kept is None:
            self._give_back(await asyncio.to_thread(_start))

    def close(self) -> None:
        """End the process that was kept."""
        self._keeping = False
        process = self._take()
        if process is not None:
            _end(process)

    async def batches(self, jobs: Sequence[Job]) -> AsyncIterator[list[Prepared]]:
        """Parse files and hand them on in the order given, a batch at a time.

        A file that takes longer than the limit is marked ``timed_out`` and its process ended.
        """
        if self._kept is not None or _is_heavy(jobs):
            async for batch in self._in_processes(jobs):
                yield batch
        else:
            for start, end in _cuts(jobs):
                yield await asyncio.to_thread(
                    lambda a, b: [prepare(job) for job in jobs[a:b]], start, end
                )

    async def _in_processes(self, jobs: Sequence[Job]) -> AsyncIterator[list[Prepared]]:
        line = _Line(deque(enumerate(jobs)), self._timeout_s)
        arrived = asyncio.Event()
        loop = asyncio.get_running_loop()

        def tell() -> None:
            loop.call_soon_threadsafe(arrived.set)

        count = min(MAX_WORKERS, os.cpu_count() or 1, len(jobs)) if _is_heavy(jobs) else 1
        lanes = [
            asyncio.create_task(asyncio.to_thread(self._drive, line, tell)) for _ in range(count)
        ]
        try:
            for start, end in _cuts(jobs):
                while not line.has(start, end):
                    arrived.clear()
                    if all(lane.done() for lane in lanes):
                        await asyncio.gather(*lanes)
                    if not line.has(start, end):
                        await arrived.wait()
                yield line.take(start, end)
        finally:
            line.stop(count)
            await asyncio.gather(*lanes)

    def _drive(self, line: _Line, tell: Callable[[], None]) -> None:
        """Feed one process until nothing is left."""
        lane = _Lane(line, self._take())
        try:
            while lane.step():
                tell()
        finally:
            if lane.process is not None:
                self._give_back(lane.process)
            tell()

    def _take(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            process, self._kept = self._kept, None
            return process

    def _give_back(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            if self._keeping and self._kept is None:
                self._kept = process
                return
        _end(process)


def _is_heavy(jobs: Sequence[Job]) -> bool:
    parsed = (job for job in jobs if job.language is not None and not job.found.link)
    sizes = [job.found.size for job in parsed if job.found.size <= job.max_bytes]
    return sum(sizes) >= POOL_FROM_BYTES or max(sizes, default=0) > LONE_FILE_BYTES


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
        default_factory=lambda: threading.Semaphore(2 * FILES_A_BATCH)
    )
    stopped: bool = False

    def next(self, *, wait: bool) -> tuple[int, Job] | None:
        """The next job, once there is room for its result."""
        if self.stopped or not self.pending or not self.room.acquire(blocking=wait):
            return None
        try:
            return None if self.stopped else self.pending.popleft()
        except IndexError:
            return None

    def has(self, start: int, end: int) -> bool:
        """Whether all these results have arrived."""
        return all(index in self.results for index in range(start, end))

    def take(self, start: int, end: int) -> list[Prepared]:
        """These results, making room for others."""
        batch = [self.results.pop(index) for index in range(start, end)]
        self.room.release(len(batch))
        return batch

    def stop(self, lanes: int) -> None:
        """Have the threads end."""
        self.stopped = True
        self.room.release(lanes)


class _Lane:
    """One process, and the jobs that it was given and has not answered."""

    def __init__(self, line: _Line, process: subprocess.Popen[bytes] | None) -> None:
        self._line = line
        self._given: deque[tuple[int, Job]] = deque()
        self.process = process

    def step(self) -> bool:
        """Give jobs, receive one answer; False when nothing is left."""
        while len(self._given) < AHEAD:
            entry = self._line.next(wait=not self._given)
            if entry is None:
                break
            self._give(entry)
        if not self._given:
            return False
        answer = None if self.process is None else _answer(self.process, self._line)
        index, job = self._given.popleft()
        if answer is None:
            if self.process is not None:
                _end(self.process)
            if self._line.stopped:
                self.process = None
                return False
            answer = _lost(job, self._line.timeout_s)
            again, self._given, self.process = self._given, deque(), None
            for entry in again:
                self._give(entry)
        self._line.results[index] = answer
        return True

    def _give(self, entry: tuple[int, Job]) -> None:
        self._given.append(entry)
        self.process = self.process or _start()
        assert self.process.stdin is not None
        try:
            send(self.process.stdin, entry[1])
        except OSError:
            # Seen again when its answer does not come.
            return


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
        # What a buffer holds, select does not see.
        bufsize=0,
        start_new_session=True,
    )


def _answer(process: subprocess.Popen[bytes], line: _Line) -> Prepared | None:
    """The next answer, or None where it died, took too long, or is no longer wanted."""
    assert process.stdout is not None
    deadline = time.monotonic() + line.timeout_s
    try:
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
