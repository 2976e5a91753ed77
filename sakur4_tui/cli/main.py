"""The console script: one entry, one place where errors become sentences and exit codes.

Exit codes: 0 done, 1 failed, 2 bad usage, 3 found a problem (doctor, verify).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click
from sakur4_core import __version__

from sakur4_tui.cli.commands import (
    anchors,
    code,
    connect,
    demo,
    hook,
    memory,
    moving,
    proposals,
    redaction,
    setup,
    window,
)
from sakur4_tui.cli.output import complain
from sakur4_tui.cli.place import Place

EXAMPLES = """\b
Examples:
  sakur4-tui                       open the interface on this project
  sakur4-tui demo                  see it at work on a sample project
  sakur4-tui --serve               serve this project's memory to an agent (MCP on stdio)
  sakur4-tui map --budget 2000     the repository in two thousand tokens
  sakur4-tui recall "retry policy" --json
"""


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
    help=f"See and steer what fills a coding agent's context window.\n\n{EXAMPLES}",
    epilog="Exit codes: 0 done, 1 failed, 2 bad usage, 3 found a problem (doctor, verify).",
)
@click.option(
    "--project",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=Path(),
    help="The project; the working directory by default.",
)
@click.option("--store", metavar="FILE", help="A store file instead of the project's own.")
@click.option("--theme", metavar="NAME", help="The interface's theme.")
@click.option("--serve", is_flag=True, help="Serve MCP on stdio instead of the interface.")
@click.option("--toolset", type=click.Choice(["core", "full"]), help="The tools that are served.")
@click.option(
    "--policy",
    type=click.Choice(["ask", "auto", "plan-only"]),
    help="What happens when a served agent asks for a decision.",
)
@click.option("--tty", metavar="DEV", help="Serve MCP here and draw the interface on DEV.")
@click.version_option(__version__, prog_name="sakur4-tui")
@click.pass_context
def root(
    context: click.Context,
    project: Path,
    store: str | None,
    theme: str | None,
    serve: bool,
    toolset: str | None,
    policy: str | None,
    tty: str | None,
) -> None:
    """Open the interface, serve, or hand over to a subcommand."""
    context.obj = Place(project, store)
    flags = {"tui.theme": theme, "mcp.toolset": toolset, "mcp.policy": policy}
    chosen = {key: value for key, value in flags.items() if value is not None}
    if context.invoked_subcommand is not None:
        if chosen or serve or tty:
            raise click.UsageError(
                f"{context.invoked_subcommand} takes no option of the interface or the server.",
                context,
            )
    elif serve or tty:
        from sakur4_tui.cli.serve import ServeOptions
        from sakur4_tui.cli.serve import serve as serve_mcp

        serve_mcp(ServeOptions(project, store, chosen, tty))
    else:
        from sakur4_tui.cli.interface import open_interface

        open_interface(context.obj, chosen)


for module in (
    anchors,
    code,
    connect,
    demo,
    hook,
    memory,
    moving,
    proposals,
    redaction,
    setup,
    window,
):
    for command in module.COMMANDS:
        root.add_command(command)


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(_code(arguments))


def _code(arguments: Sequence[str] | None) -> int:
    from sakur4_core.errors import Sakur4Error

    try:
        result = root.main(
            args=None if arguments is None else list(arguments),
            prog_name="sakur4-tui",
            standalone_mode=False,
        )
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "sakur4-tui"
        complain(error.format_message(), f"See `{path} --help`.")
        return error.exit_code
    except Sakur4Error as error:
        complain(error.message, error.hint)
        return 1
    except (click.Abort, KeyboardInterrupt):
        complain("Interrupted; what was committed stays.")
        return 130
    except Exception as error:
        complain(f"Something unexpected happened ({type(error).__name__}).", _logged(error))
        return 1
    return result if isinstance(result, int) else 0


def _logged(error: Exception) -> str:
    """Keep the traceback where its owner can find it; say where."""
    import os
    import traceback
    from datetime import UTC, datetime

    from sakur4_core.paths import Home

    file = Home.resolve().logs / "cli.log"
    text = "".join(traceback.format_exception(error))
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
            stream.write(f"{datetime.now(UTC).isoformat()}\n{text}\n")
    except OSError:
        return f"It could not be logged: {file} cannot be written."
    return f"Details are in {file}; please report them."
