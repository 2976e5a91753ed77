"""The terminal program: themes, keys, the bridge from the engine, and a clean way out."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from contextlib import suppress
from datetime import tzinfo
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.text import Text
from sakur4_core.errors import ConfigError
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver

from sakur4_tui import theming
from sakur4_tui.actions import Scope, bindings
from sakur4_tui.bridge import carry_events
from sakur4_tui.ending import exit_within
from sakur4_tui.glyphs import ASCII, UNICODE
from sakur4_tui.keymap import key_name, resolve
from sakur4_tui.look import Look
from sakur4_tui.palette import ActionProvider
from sakur4_tui.screens.main import MainScreen

if TYPE_CHECKING:
    from sakur4_tui.gate import EngineGate
    from sakur4_tui.opening import Opening

log = logging.getLogger(__name__)

STYLES = Path(__file__).parent / "styles"
STOPPED = (
    "sakur4-tui stopped on an error of its own ({name}). Its log has the details; start it again."
)


END_GRACE_S: Final = 3.0
"""How long giving the terminal back may take after a signal."""


class Sakur4App(App[None]):
    """The interface over one engine, which it draws before the engine is open.

    It never closes the engine.

    Args:
        opening: The project that is shown, and its settings.
        gate: The engine, open or not yet.
        theme: A theme's name instead of the settings'.
        driver_class: Where to draw instead of the standard terminal.
        zone: The zone times are shown in; None is the machine's own.

    Raises:
        ConfigError: The theme asked for does not exist or is bad.
    """

    TITLE = "sakur4"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        STYLES / name for name in ("global.tcss", "main.tcss", "plan.tcss")
    ]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    COMMANDS = {ActionProvider}  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = True
    AUTO_FOCUS = None

    def __init__(
        self,
        opening: Opening,
        gate: EngineGate,
        *,
        theme: str | None = None,
        driver_class: type[Driver] | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self._gate = gate
        self._clock = opening.clock
        self._zone = zone
        self.unopened: Exception | None = None
        self._deadline: threading.Timer | None = None
        settings = opening.settings.tui
        self._glyphs = ASCII if settings.ascii else UNICODE
        self._themes, problems = theming.load_themes(
            (theming.shipped_folder(), opening.home.themes)
        )
        self._problems = [str(problem) for problem in problems]
        wanted = self._themes.get(theme or settings.theme)
        if wanted is None:
            names = ", ".join(sorted(self._themes))
            raise ConfigError(
                f"There is no theme {theme or settings.theme!r}.", f"Known are: {names}."
            )
        self._variables = wanted.variables
        super().__init__(driver_class=driver_class)
        for known in tuple(self.available_themes):
            self.unregister_theme(known)
        for loaded in self._themes.values():
            self.register_theme(loaded)
        self.theme = wanted.name
        if not settings.animations:
            self.animation_level = "none"
        keymap = resolve(settings.keymap, settings.keys)
        self._problems += keymap.problems
        self._keys = keymap.keys
        self.set_keymap(keymap.keys)
        self.main = MainScreen(gate, opening.root.name, self.look)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return self._variables

    def get_key_display(self, binding: Binding) -> str:
        return key_name(binding.key)

    def look(self) -> Look:
        """How and when to draw."""
        return Look(self._glyphs, self._clock.now(), self._zone)

    def get_default_screen(self) -> MainScreen:
        return self.main

    # -- life ------------------------------------------------------------------

    def on_mount(self) -> None:
        self._catch_signals()
        self.call_after_refresh(self.run_worker, self._begin, group="bridge", exit_on_error=False)
        for problem in self._problems:
            self.notify(problem, title="Settings", severity="warning", markup=False)

    async def _begin(self) -> None:
        """Open the engine, then show what is in it and what happens in it."""
        try:
            engine = await self._gate.engine()
        except Exception as error:
            # Told by whoever started this, where it started it.
            self.unopened = error
            self.exit(return_code=1)
            return
        self.main.begin()
        await carry_events(engine, self.main.post_message)

    def _catch_signals(self) -> None:
        """End as `q` does when told to end, so that the terminal is given back as it was."""
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._ended_by, number)

    def _ended_by(self, number: int) -> None:
        # Where the terminal is gone, Textual waits for ever to write its last words to it.
        self._deadline = exit_within(END_GRACE_S, 128 + number)
        self.exit(return_code=128 + number)

    async def _shutdown(self) -> None:
        """As Textual's; what comes after it, the demo's cleaning up for one, may take its time."""
        await super()._shutdown()
        if self._deadline is not None:
            self._deadline.cancel()

    def _fatal_error(self) -> None:
        """One sentence on the way out; the traceback goes to the log, not over the screen."""
        error = self._exception
        log.critical("the interface stopped", exc_info=error)
        self.bell()
        self._exit_renderables.append(Text(STOPPED.format(name=type(error).__name__)))
        self._close_messages_no_wait()

    # -- actions ---------------------------------------------------------------

    def action_help(self) -> None:
        """The keys that work on the screen below."""
        from sakur4_tui.screens.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.action_close()
            return
        scopes = cast(
            "tuple[Scope, ...]", getattr(self.screen, "HELP_SCOPES", ("dialog", "list", "app"))
        )
        self.push_screen(HelpScreen(scopes, self._keys, self._glyphs))

    def action_next_theme(self) -> None:
        """Draw in the next theme by name."""
        names = sorted(self._themes)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        self.notify(f"Theme: {self.theme}.", markup=False)
