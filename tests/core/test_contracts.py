"""The walls between the parts hold, and the check that says so can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONT_ENDS = ("textual", "rich", "mcp", "click", "sakur4_tui")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{folder / 'core'}:{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copied_tree(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("core", "sakur4_tui"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("models.py", "import textual", "The engine knows no front end"),
        ("memory/ledger.py", "import httpx", "The ledger's write path cannot reach a model"),
        (
            "consolidate/dream.py",
            "from sakur4_core.store import ledger",
            "What may reach a model cannot write the ledger",
        ),
    ],
)
def test_planted_import_breaks_the_contract(
    copied_tree: Path, module: str, line: str, contract: str
) -> None:
    file = copied_tree / "core" / "sakur4_core" / module
    file.write_text(file.read_text() + f"\n{line}\n")
    result = lint_imports(copied_tree)
    assert result.returncode != 0
    assert f"{contract} BROKEN" in result.stdout


def test_importing_the_engine_loads_no_front_end() -> None:
    code = (
        "import sys, sakur4_core.engine;"
        f"print([name for name in {FRONT_ENDS!r} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
