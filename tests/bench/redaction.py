"""Redaction's recall, false alarms and speed, as one JSON document.

Run it with ``python tests/bench/redaction.py``; times are CPU seconds of one core.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "core" / "memory"))

from redaction_corpus import ordinary_lines, planted
from sakur4_core.memory.redaction import redact

MEGABYTE = 1024 * 1024


def main() -> None:
    """Measure and print."""
    plants, lines = planted(), ordinary_lines()
    kept = [line for line in lines if redact(line).text == line]
    removed = [
        plant
        for plant in plants
        if not any(secret in redact(plant.text).text for secret in plant.secrets)
    ]
    library = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    code = "".join(file.read_text("utf-8", "replace") for file in library)
    figures = {
        "planted": len(plants),
        "kinds": len({plant.kind for plant in plants}),
        "removed": len(removed),
        "ordinary_lines": len(lines),
        "left_alone_percent": round(100 * len(kept) / len(lines), 2),
        "code_1mb_ms": _milliseconds(code[:MEGABYTE]),
        "short_lines_16mb_ms": _milliseconds("lorem ipsum\n" * (16 * MEGABYTE // 12)),
    }
    print(json.dumps(figures, indent=2))


def _milliseconds(text: str) -> int:
    begun = time.process_time()
    redact(text)
    return round((time.process_time() - begun) * 1000)


if __name__ == "__main__":
    main()
