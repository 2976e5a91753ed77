"""A Textual driver on a terminal that is not this process's own."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

if TYPE_CHECKING:
    from textual.app import App

RESIZE_POLL_S: Final = 0.5
"""The system tells a new size only to the processes of the terminal's own session."""


def driver_on(terminal: int) -> type[LinuxDriver]:
    """A driver class that reads and draws on the descriptor ``terminal``."""

    class DeviceDriver(LinuxDriver):
        """The Linux driver with its input, output and size taken from the device."""

        def __init__(self, app: App[Any], **arguments: Any) -> None:
            super().__init__(app, **arguments)
            self._file = os.fdopen(terminal, "w", encoding="utf-8", closefd=False)
            self.fileno = terminal
            self.input_tty = True
            self._sizes: asyncio.Task[None] | None = None

        @property
        def can_suspend(self) -> bool:
            """Never: suspending the process would stop the server too."""
            return False

        def start_application_mode(self) -> None:
            super().start_application_mode()  # type: ignore[no-untyped-call]
            self._sizes = asyncio.get_running_loop().create_task(self._follow_size())

        def stop_application_mode(self) -> None:
            if self._sizes is not None:
                self._sizes.cancel()
            super().stop_application_mode()

        def _sigtstp_application(self, *_: Any) -> None:
            """Stay awake for the client."""

        def _get_terminal_size(self) -> tuple[int, int]:
            size = os.get_terminal_size(terminal)
            return size.columns or 80, size.lines or 24

        async def _follow_size(self) -> None:
            known = self._get_terminal_size()
            while True:
                await asyncio.sleep(RESIZE_POLL_S)
                size = self._get_terminal_size()
                if size != known:
                    known = size
                    self.process_message(events.Resize(Size(*size), Size(*size)))

    return DeviceDriver
