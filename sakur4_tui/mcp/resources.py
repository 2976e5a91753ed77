"""What an agent may read without calling a tool."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sakur4_core.errors import NotFound
from sakur4_core.models import to_json

if TYPE_CHECKING:
    from sakur4_core.engine import Engine

SCHEME: Final = "sakur4://"
LATEST_RECEIPT: Final = f"{SCHEME}receipt/latest"


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource. ``uri`` has the place ``{project}`` where it belongs to a project."""

    name: str
    uri: str
    description: str
    mime_type: str
    read: Callable[[Engine, str | None], Awaitable[str]]

    def of(self, project_id: str) -> str:
        """Its address in one project."""
        return self.uri.replace("{project}", project_id)

    @property
    def is_template(self) -> bool:
        return "{project}" in self.uri


async def _repo_map(engine: Engine, session_id: str | None) -> str:
    return (await engine.repo_map(engine.settings.cortex.map_budget)).text


async def _receipt(engine: Engine, session_id: str | None) -> str:
    if session_id is None:
        newest = await engine.sessions.list(1)
        if not newest:
            return _json({"receipt": None, "note": "No session has been recorded yet."})
        session_id = newest[0].session_id
    return _json(await engine.receipt(session_id))


async def _anchors(engine: Engine, session_id: str | None) -> str:
    return _json(await engine.anchors(session_id))


async def _status(engine: Engine, session_id: str | None) -> str:
    return _json(await engine.status())


def _json(value: Any) -> str:
    return json.dumps(to_json(value), ensure_ascii=False, indent=1)


ALL: tuple[Resource, ...] = (
    Resource(
        "repo-map",
        f"{SCHEME}repo-map/{{project}}",
        "The repository's files and signatures, the most central first.",
        "text/plain",
        _repo_map,
    ),
    Resource(
        "receipt",
        LATEST_RECEIPT,
        "What fills the context window of this connection's session, or of the newest.",
        "application/json",
        _receipt,
    ),
    Resource(
        "anchors",
        f"{SCHEME}anchors/{{project}}",
        "The pinned statements that hold now.",
        "application/json",
        _anchors,
    ),
    Resource(
        "status",
        f"{SCHEME}status/{{project}}",
        "How the memory stands.",
        "application/json",
        _status,
    ),
)


def find(uri: str, engine: Engine) -> Resource:
    """The resource at ``uri``. A project may be named by its id or its folder's name.

    Raises:
        NotFound: No such resource in this project.
    """
    project = engine.project
    for resource in ALL:
        if uri in (resource.of(project.project_id), resource.of(project.root.name)):
            return resource
    raise NotFound(f"No resource {uri!r} in this project.", "List them with resources/list.")
