"""The benchmark runs and prints what it says it prints; its figures are not judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_the_memory_benchmark_prints_one_document() -> None:
    script = Path(__file__).with_name("memory.py")
    done = subprocess.run(
        [sys.executable, str(script), "--quick"], capture_output=True, text=True, check=True
    )
    report = json.loads(done.stdout)
    assert report["episodes"] == 300
    assert report["writers"]["errors"] == report["writers"]["peer"]["errors"] == 0
    for part in (report["commit"], report["commit"]["peer"]):
        assert 0 < part["p50_ms"] <= part["p95_ms"] <= part["max_ms"]
    assert report["open"]["ms"] > 0
    assert report["idle"]["idle_mb"] > report["idle"]["interpreter_mb"] > 0
