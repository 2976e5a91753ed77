"""SQL: what its statements create."""

from __future__ import annotations

from sakur4_core.cortex.languages.declared import by_patterns, declared

_NAME = r"(?P<name>[\w.\"`\[\]]+)"

_CREATE = (
    r"\s*create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|virtual|materialized"
    r"|unlogged|concurrently)\s+)*"
)
_IF_NEW = r"\s+(?:if\s+not\s+exists\s+)?"

SQL = declared(
    "sql",
    (".sql",),
    by_patterns(
        type=rf"{_CREATE}(?:table|view|type|domain){_IF_NEW}{_NAME}",
        function=rf"{_CREATE}(?:function|procedure|trigger){_IF_NEW}{_NAME}",
        constant=rf"{_CREATE}(?:index|sequence|schema|extension){_IF_NEW}{_NAME}",
    ),
)
