"""The model's side: the stand-in server as a process, and what each arm cost there."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER = Path(__file__).parents[3] / "fixtures" / "fake_llama" / "server.py"
sys.path.insert(0, str(SERVER.parent))
from server import tokenize  # noqa: E402


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the tokens of its prompt, and how many of them came from the cache."""

    prompt: int
    cached: int


class Model:
    """One slot of a server; counts what is sent to it and what it has to evaluate."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.calls = 0
        self.sent = 0
        self.evaluated = 0

    def complete(self, prompt: str) -> Call:
        """Send a prompt."""
        body = json.dumps({"prompt": prompt, "id_slot": 0, "n_predict": 0}).encode()
        request = urllib.request.Request(
            f"{self._url}/completion", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            timings = json.load(answer)["timings"]
        call = Call(timings["prompt_n"] + timings["cache_n"], timings["cache_n"])
        self.calls += 1
        self.sent += call.prompt
        self.evaluated += timings["prompt_n"]
        return call


@contextmanager
def served(context: int) -> Iterator[Model]:
    """A fresh server with one slot of ``context`` tokens."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), "--slots", "1", "--ctx", str(context)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Model(f"http://127.0.0.1:{process.stdout.readline().split()[-1]}")
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def count(text: str) -> int:
    """Tokens of a text, by the server's tokenizer."""
    return len(tokenize(text))
