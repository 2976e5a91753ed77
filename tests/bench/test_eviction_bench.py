"""The eviction bench runs, and what must hold of every session holds of a short one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_eviction_bench_keeps_its_promises_on_a_short_session(tmp_path: Path) -> None:
    script = Path(__file__).parent / "eviction" / "run.py"
    file = tmp_path / "report.json"
    command = [sys.executable, str(script), "--turns", "12", "--window", "9000"]
    done = subprocess.run(
        [*command, "--json", str(file)], capture_output=True, text=True, check=True
    )
    assert done.stderr.startswith("arm ")
    report = json.loads(file.read_text())
    baseline, _, _, own = report["arms"]
    assert own["compactions"] > 0 and baseline["compactions"] > 0
    assert own["receipts"] == own["calls"] > 12
    assert own["sums_wrong"] == own["pressure_wrong"] == 0
    assert own["rules_kept"] == 1.0
    assert own["tokens_a_turn"] < baseline["tokens_a_turn"] * 1.05
