"""The eviction bench runs, and what must hold of every session holds of a short one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_eviction_bench_keeps_its_promises_on_a_short_session(tmp_path: Path) -> None:
    bench = Path(__file__).parent
    file, transcript = tmp_path / "report.json", tmp_path / "transcript.jsonl"
    write = [sys.executable, str(bench / "claude_file.py"), "200000", str(transcript)]
    subprocess.run(write, check=True)
    command = [sys.executable, str(bench / "eviction" / "run.py"), "--turns", "12"]
    command += ["--window", "9000", "--transcripts", str(transcript)]
    done = subprocess.run(
        [*command, "--json", str(file)], capture_output=True, text=True, check=True
    )
    assert done.stderr.startswith("arm ")
    report = json.loads(file.read_text())
    assert report["outputs_recorded"] > 20
    baseline, _, _, own = report["arms"]
    assert own["compactions"] > 0 and baseline["compactions"] > 0
    assert own["receipts"] == own["calls"] > 12
    assert own["sums_wrong"] == own["pressure_wrong"] == 0
    assert own["rules_kept"] == 1.0
    assert own["tokens_a_turn"] < baseline["tokens_a_turn"] * 1.05
