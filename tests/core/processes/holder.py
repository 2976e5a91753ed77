"""A process that holds an engine open, says so, and waits to be killed.

holder.py PROJECT HOME KIND
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sakur4_core.engine import Engine
from sakur4_core.paths import Home


async def main() -> None:
    project, home, kind = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    async with Engine.open(project, home=Home(home, home), kind=kind) as engine:  # type: ignore[arg-type]
        await engine.index(full=True)
        while kind == "serve" and not (await engine.status()).holds_lease:
            await asyncio.sleep(0.02)
        sys.stdout.write("open\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
