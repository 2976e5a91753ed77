"""The end of a process, whatever stands in its way."""

from __future__ import annotations

import os
import threading


def exit_within(seconds: float, code: int = 0) -> threading.Timer:
    """End the process after ``seconds`` if it has not ended by then, come what may.

    A terminal that is gone, or a client that reads no more, can hold an orderly end up for ever.
    Nothing is lost: what was acknowledged is in the store. Whoever is past what may hang, and has
    more to do than this allows for, cancels the timer that is returned.
    """
    timer = threading.Timer(seconds, os._exit, args=(code,))
    timer.daemon = True
    timer.start()
    return timer
