"""Which anchors hold at a moment, and their order: said once for all who ask."""

from typing import Final

# Takes the moment, in the store's notation.
HOLDS: Final = "unpinned_at IS NULL AND (expires_at IS NULL OR expires_at > ?)"
OF_SESSION: Final = "(scope = 'project' OR session_id = ?)"
IN_ORDER: Final = (
    "CASE kind WHEN 'safety_constraint' THEN 0 WHEN 'task_contract' THEN 1 ELSE 2 END,"
    " created_at, anchor_id"
)
