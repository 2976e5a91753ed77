"""A process that opens a store, says so, and emits numbered events when its input ends.

burst.py STORE EVENTS A_TRANSACTION
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sakur4_core.clock import SystemClock
from sakur4_core.events import RECALL_RAN
from sakur4_core.store.database import Database, Transaction


async def main() -> None:
    store, events, size = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    database = await Database.open(store, SystemClock())
    await asyncio.to_thread(_started)
    for first in range(0, events, size):

        def work(tx: Transaction, first: int = first) -> None:
            for number in range(first, min(first + size, events)):
                tx.emit(RECALL_RAN, actor="agent", subject=str(number))

        await database.write(work)
    await database.close()


def _started() -> None:
    sys.stdout.write("open\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    asyncio.run(main())
