"""How a serving process begins and ends, as a real process."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import psutil
import pytest
from gateway import PATIENCE_S, spawned

LAUNCHER = (
    "import subprocess, sys\n"
    "child = subprocess.Popen(sys.argv[1:])\n"
    "print(child.pid, file=sys.stderr, flush=True)\n"
    "child.wait()\n"
)


async def gone(*processes: psutil.Process) -> bool:
    """Whether all of them end within a bound."""
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, 10)
    return not alive


async def check_that_stdout_is_clean(command: list[str], level: str) -> None:
    async with spawned(command, SAKUR4_LOG_LEVEL=level) as (process, client):
        await client.handshake()
        await client.send(
            b"garbage\n",
            client.call(1, "memory_commit_episode", role="user", content="Never push to main."),
            client.call(2, "code_get_repo_map", token_budget=400),
            client.call(3, "no_such_tool"),
        )
        client.close()
        frames = await client.rest()  # Raises where a line is no JSON-RPC frame.
        assert {frame["id"] for frame in frames} == {None, 1, 2, 3}
        assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0


async def test_stdout_carries_frames_only_and_the_end_of_stdin_ends_it(
    serve_command: list[str],
) -> None:
    await check_that_stdout_is_clean(serve_command, "debug")


@pytest.mark.slow
@pytest.mark.parametrize("level", ["info", "warning", "error"])
async def test_field_defect_30_stdout_carries_frames_only_at_every_level(
    serve_command: list[str], level: str
) -> None:
    await check_that_stdout_is_clean(serve_command, level)


async def test_field_defect_31_an_orphan_ends_though_its_stdin_stays_open(
    serve_command: list[str],
) -> None:
    launch = [sys.executable, "-c", LAUNCHER, *serve_command]
    async with spawned(launch) as (launcher, client):
        assert launcher.stderr is not None
        server = psutil.Process(int(await launcher.stderr.readline()))
        await client.handshake()
        await client.send(client.call(1, "code_get_repo_map", token_budget=400))
        await client.answer(1)
        family = [server, *server.children(recursive=True)]
        launcher.kill()
        assert await gone(*family)


@pytest.mark.slow
async def test_a_killed_server_leaves_no_child(serve_command: list[str]) -> None:
    async with spawned(serve_command) as (process, client):
        await client.handshake()
        await client.send(client.call(1, "code_get_repo_map", token_budget=400))
        await client.answer(1)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        assert await gone(*family)


async def test_a_project_that_is_no_folder_is_one_sentence_on_stderr(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sakur4_tui", "--serve", "--project", str(tmp_path / "no")]
    async with spawned(command) as (process, _):
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 1
    assert out == b""
    assert b"does not exist" in err
    assert b"Traceback" not in err


async def test_a_bad_store_is_told_to_who_calls_and_a_signal_ends_the_server(
    serve_command: list[str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("this is no database, and long enough to be read as one" * 40)
    async with spawned([*serve_command, "--store", str(broken)]) as (process, client):
        await client.handshake()
        await client.send(client.call(1, "sakur4_status"))
        result = (await client.answer(1))["result"]
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0
    assert result["isError"] is True
    assert "is not a usable database" in result["content"][0]["text"]
