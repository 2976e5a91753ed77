"""The console script. A hook's answer is due in 300 ms, so it goes past the command line."""

from __future__ import annotations

import sys
from typing import NoReturn

HOOK_WORDS = 3


def run() -> NoReturn:
    """Run the command line, or answer ``hook HARNESS EVENT``, and exit."""
    words = sys.argv[1:]
    hook = len(words) == HOOK_WORDS and words[:2] == ["hook", "claude-code"]
    if hook and not words[2].startswith("-"):
        from sakur4_tui.hook.run import run_hook

        run_hook(words[2])
        sys.exit(0)
    from sakur4_tui.cli import main

    main.run()
