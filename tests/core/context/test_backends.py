"""Backends against a real process: what they can, what they cannot, and that they say why."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from context_bench import Benches, Turn, conversation
from llama_server import llama_server
from sakur4_core.cache.backends import choice, llama_cpp
from sakur4_core.cache.backends.embedded import EmbeddedBackend
from sakur4_core.cache.backends.llama_cpp import LlamaCppBackend
from sakur4_core.cache.backends.null import NullBackend
from sakur4_core.errors import BackendError, ConfigError
from sakur4_core.models import Basis, Verdict


async def connected(url: str) -> LlamaCppBackend:
    backend = LlamaCppBackend(url, content=True)
    await backend.connect()
    return backend


async def test_every_documented_route(tmp_path: Path) -> None:
    with llama_server("--slot-save-path", str(tmp_path), "--metrics", "--ctx", "8192") as url:
        backend = await connected(url)
        assert (backend.connected, backend.window, backend.slots) == (True, 8_192, 2)
        assert backend.tokenizer is not None
        assert backend.tokenizer.name == "llama.cpp:stand-in.gguf"
        assert await backend.tokenizer.many(["one two", "", "one two"]) == [2, 0, 2]
        assert await backend.busy() is None
        assert await backend.metrics() == {"prompt_tokens_total": 0, "tokens_predicted_total": 0}
        saved = await backend.save(1, "sn_1")
        assert saved is not None and saved.name == "sn_1.bin"
        assert await backend.restore(1, "sn_1")
        assert await backend.erase(1)
        assert backend.degraded == ()
        assert not await backend.restore(1, "sn_2")
        assert "status 400" in backend.degraded[0]
        await backend.close()


async def test_what_is_not_enabled_is_told_with_what_enables_it() -> None:
    with llama_server("--no-slots") as url:
        backend = await connected(url)
        assert await backend.save(0, "sn_1") is None
        assert "cannot be read" in (await backend.busy() or "")
        assert await backend.metrics() == {}
        told = "\n".join(backend.degraded)
        for hint in ("--slot-save-path", "--slots", "--metrics"):
            assert hint in told
        await backend.close()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--loading"], "still loading"),
        (["--fail", "/props=500"], "status 500"),
        (["--garbage", "/props"], "no JSON"),
        (["--fail", "/health=404"], "status 404"),
    ],
)
async def test_a_server_that_fails_is_no_backend(options: list[str], why: str) -> None:
    with llama_server(*options) as url:
        backend = await connected(url)
        assert not backend.connected
        assert backend.tokenizer is None
        assert why in backend.degraded[0]
        await backend.close()


async def test_a_slow_server_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(llama_cpp.LIMITS, "probe", 0.2)
    with llama_server("--slow", "/health=5") as url:
        backend = await connected(url)
        assert "no answer within 0.2 s" in backend.degraded[0]
        await backend.close()


async def test_a_server_that_is_gone_is_told_without_its_password() -> None:
    backend = await connected("http://me:secret@127.0.0.1:9")
    assert backend.degraded == ("llama.cpp: server: 127.0.0.1:9 cannot be reached",)
    await backend.close()


async def test_a_tokenizer_that_fails_is_an_error_and_its_counts_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with llama_server("--fail", "/tokenize=500") as url:
        backend = await connected(url)
        assert backend.tokenizer is not None
        with pytest.raises(BackendError, match="status 500"):
            await backend.tokenizer.many(["a", "b"])
        await backend.close()
    monkeypatch.setattr(llama_cpp, "REMEMBERED", 3)
    with llama_server() as url:
        backend = await connected(url)
        assert backend.tokenizer is not None
        assert await backend.tokenizer.many([f"word {n}" for n in range(10)]) == [3] * 10
        assert len(backend.tokenizer._known) == 3
        await backend.close()


def test_settings_name_a_backend() -> None:
    assert isinstance(choice.named("none"), NullBackend)
    assert isinstance(choice.named("auto"), NullBackend)
    assert isinstance(choice.named("embedded"), EmbeddedBackend)
    assert isinstance(choice.named("https://gpu.example:8443/llama"), LlamaCppBackend)
    for bad in ("llama", "ftp://x", "http://", "http://[::1"):
        with pytest.raises(ConfigError):
            choice.named(bad)


async def test_auto_takes_a_server_of_this_machine_and_sends_it_no_content() -> None:
    with llama_server("--ctx", "4096") as url:
        port = int(url.rsplit(":", 1)[1])
        found = await choice.on_loopback(("127.0.0.1", port))
        assert isinstance(found, LlamaCppBackend)
        assert (found.window, found.tokenizer) == (4_096, None)
        await found.close()
    assert await choice.on_loopback(("127.0.0.1", port)) is None


async def test_auto_takes_nothing_else_that_listens() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        assert await choice.on_loopback(server.sockets[0].getsockname()[:2]) is None


async def test_a_configured_server_counts_everything(benches: Benches) -> None:
    with llama_server("--ctx", "4096") as url:
        bench = await benches.open(backend=url, reserve_output=0)
        await bench.fill(conversation(3))
        await bench.anchors.pin("Never touch the generated files.")
        receipt = await bench.window.receipt("s1")
        assert (receipt.counter, receipt.backend) == ("llama.cpp:stand-in.gguf", "llama.cpp")
        assert (receipt.window.value, receipt.window.basis) == (4_096, Basis.MEASURED)
        assert receipt.total.basis is Basis.COUNTED
        prompt = await bench.window.assemble("s1")
        backend = await connected(url)
        assert backend.tokenizer is not None
        texts = [slot.text or "" for slot in prompt.timeline]
        assert [slot.tokens for slot in prompt.timeline] == await backend.tokenizer.many(texts)
        plan = await bench.window.plan("s1", target=0.3)
        assert plan.tokens_before.value == receipt.total.value
        await backend.close()
        await bench.coherence.close()


async def test_when_the_server_goes_the_local_count_goes_on(benches: Benches) -> None:
    with llama_server() as url:
        bench = await benches.open(backend=url)
        await bench.fill(conversation(1))
        assert (await bench.window.receipt("s1")).counter.startswith("llama.cpp")
    await bench.fill([Turn("user", "And now without it?")])
    receipt = await bench.window.receipt("s1")
    assert receipt.counter == "o200k_base"
    assert any("cannot be reached" in problem for problem in bench.coherence.degraded)
    await bench.coherence.close()


async def test_a_slot_is_saved_and_comes_back_warm(benches: Benches, tmp_path: Path) -> None:
    with llama_server("--slot-save-path", str(tmp_path)) as url:
        bench = await benches.open(backend=url)
        await bench.fill([*conversation(2), Turn("user", "Go on.")])
        await bench.window.record_usage(session_id="s1", prompt_tokens=4_000, provider="llama.cpp")
        snapshot = await bench.coherence.snapshot("s1", 0)
        assert snapshot.bytes == 0
        assert "saved by llama.cpp" in snapshot.detail
        assert await bench.coherence.restore(snapshot.snapshot_id) == (
            True,
            "Slot 0 is warm again.",
        )
        await bench.window.record_usage(session_id="s1", prompt_tokens=4_000, provider="llama.cpp")
        cache = (await bench.window.receipt("s1")).cache
        assert (cache.verdict, cache.basis) == (Verdict.WARM_RESTORED, Basis.PREDICTED)
        (tmp_path / f"{snapshot.snapshot_id}.bin").unlink()
        restored, detail = await bench.coherence.restore(snapshot.snapshot_id)
        assert not restored and "could not restore" in detail
        await bench.coherence.close()


async def test_the_simulation_is_named_in_all_it_touches(benches: Benches) -> None:
    bench = await benches.open(
        window=20_000, reserve_output=1_000, backend="embedded", profile="window-first"
    )
    await bench.fill(conversation(18))
    await bench.window.record_usage(session_id="s1", prompt_tokens=19_000)
    await bench.fill([Turn("user", "Go on.")])
    await bench.window.record_usage(session_id="s1", prompt_tokens=19_100)
    receipt = await bench.window.receipt("s1")
    assert receipt.backend == "embedded simulation"
    assert any("embedded simulation" in note for note in receipt.notes)
    assert receipt.cache.basis is Basis.PREDICTED
    assert str(receipt.cache.cause).endswith("(embedded simulation)")
    plan = await bench.window.plan("s1")
    assert (plan.prefix_kept.value or 0) % 1_024 == 0
    assert any("a checkpoint every 1,024 tokens, 32 deep" in note for note in plan.notes)
