"""Commands on the installation itself: locate, doctor."""

from __future__ import annotations

from dataclasses import asdict

import click

from sakur4_tui.cli.output import Output, pairs, visible
from sakur4_tui.cli.place import Place, output_options, place_options

FOUND_A_PROBLEM = 3
MARKS = {"well": "✓", "limited": "○ limited", "bad": "! bad"}


@click.command("locate")
@place_options
@output_options
def locate(place: Place, output: Output) -> None:
    """Where settings, stores, logs and themes stand."""
    from sakur4_core.paths import Home, find_root, identify, place_store
    from sakur4_core.settings import PROJECT_FILE

    home = Home.resolve()
    root = find_root(place.project)
    project = identify(root, home)
    found = {
        "project": str(root),
        "project_id": project.project_id,
        "store": str(place_store(project, home, place.store).file),
        "settings": str(home.settings_file),
        "project_settings": str(root / PROJECT_FILE),
        "data": str(home.data),
        "registry": str(home.registry),
        "logs": str(home.logs),
        "themes": str(home.themes),
    }
    output.show(found, pairs((name, visible(value)) for name, value in found.items()))


@click.command("doctor")
@place_options
@output_options
def doctor(place: Place, output: Output) -> None:
    """Check that everything works, and say which settings are in force; exit 3 if not."""
    import asyncio

    from sakur4_tui.cli.checks import examine

    checks, settings = asyncio.run(examine(place))
    lines = []
    for check in checks:
        lines.append(f"{MARKS[check.state]} {check.name}: {visible(check.detail)}")
        if check.state != "well" and check.hint:
            lines.append(f"    {visible(check.hint)}")
    changed = [f"  {s.key} = {visible(s.value)}  ({visible(s.source)})" for s in settings]
    lines += ["", "Settings that are not defaults:", *(changed or ["  none"])]
    document = {
        "ok": all(check.state != "bad" for check in checks),
        "checks": [asdict(check) for check in checks],
        "settings": [asdict(setting) for setting in settings],
    }
    output.show(document, "\n".join(lines))
    if not document["ok"]:
        raise click.exceptions.Exit(FOUND_A_PROBLEM)


COMMANDS = (locate, doctor)
