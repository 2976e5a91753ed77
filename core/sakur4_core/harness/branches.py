"""Which branch of a harness's graph a conversation goes on in, told line by line.

Almost every line continues the one before it; then nothing has to be looked up. Where one does
not (a rewind, two terminals in one session), the session is settled from the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sakur4_core.harness.records import Node


@dataclass(slots=True)
class Branch:
    """The live end of one session's graph.

    Attributes:
        tip: The newest node from which the conversation goes on.
        strayed: Whether a line continued something else since the session was settled.
    """

    tip: str | None = None
    strayed: bool = False
    # The tip, and lines behind it that are no turns.
    _behind: set[str] = field(default_factory=set)
    # Parallel calls part the graph: lines of one API message and the results of its calls.
    _beside: set[str] = field(default_factory=set)
    _message: str | None = None

    def grow(self, node: Node) -> None:
        """Take a new line in."""
        follows = node.parent in self._behind if node.parent is not None else self.tip is None
        beside = node.parent in self._beside
        if not node.leaf:
            if follows:
                self._behind.add(node.node)
            if beside:
                self._beside.add(node.node)
            return
        same = node.answers or (node.message is not None and node.message == self._message)
        self.strayed = self.strayed or not (follows or (beside and same))
        if not same:
            self._beside.clear()
            self._message = node.message
        self._beside.add(node.node)
        self._behind = {node.node}
        self.tip = node.node

    def settled(self, tip: str | None) -> None:
        """Go on from what the whole graph says."""
        self.tip = tip
        self.strayed = False
        self._message = None
        self._behind = set() if tip is None else {tip}
        self._beside = set(self._behind)
