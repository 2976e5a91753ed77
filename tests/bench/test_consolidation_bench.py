"""Summaries are shorter than their turns, in the turns' own words, and cost recall nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent
SAMPLES = BENCH.parents[2] / "shared" / "samples"


@pytest.mark.slow
@pytest.mark.parametrize("source", ["written", "samples"])
def test_500_episodes_keep_their_recall(tmp_path: Path, source: str) -> None:
    transcripts = SAMPLES
    if source == "written":
        transcripts = tmp_path / "transcript.jsonl"
        write = [sys.executable, str(BENCH / "claude_file.py"), "200000", str(transcripts)]
        subprocess.run(write, check=True)
    elif not SAMPLES.is_dir():
        pytest.skip("the sample transcripts are not beside this checkout")
    command = [sys.executable, str(BENCH / "consolidation.py"), "--transcripts", str(transcripts)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["episodes"] == 500
    assert report["summaries"] > 50
    assert report["not_shorter"] == report["with_foreign_words"] == 0
    assert report["share_of_tokens"] < 0.5
    assert report["recall_at_8_with"] >= report["recall_at_8_without"]
