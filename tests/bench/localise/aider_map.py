"""Answers with aider's RepoMap; run by an interpreter that has aider's packages.

    INTERPRETER aider_map.py TREE

One request a line on standard input, ``{"query", "paths", "budgets"}``, and one reply a line on
standard output, ``{"ranking", "maps", "seconds"}``. Every word of the query counts as a mentioned
identifier, and every file whose stem is such a word as mentioned, which is what aider itself
reads from a message. The vocabulary is the engine's own, so that a token is a token in every
figure.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from pathlib import Path

import tiktoken
from aider.repomap import RepoMap


class Model:
    """What RepoMap asks of a model."""

    def __init__(self) -> None:
        self._encoding = tiktoken.get_encoding("o200k_base")

    def token_count(self, text: str) -> int:
        return len(self._encoding.encode(text, disallowed_special=()))


class Quiet:
    """What RepoMap asks of a terminal."""

    def read_text(self, path: str) -> str | None:
        try:
            return Path(path).read_text("utf-8")
        except (OSError, UnicodeError):
            return None

    def tool_output(self, *_: object) -> None: ...

    tool_warning = tool_error = tool_output


def answer(repo_map: RepoMap, tree: Path, request: dict[str, object]) -> dict[str, object]:
    """The ranking of files and the maps for one request."""
    words = set(re.split(r"\W+", str(request["query"])))
    paths = [str(path) for path in request["paths"]]  # type: ignore[attr-defined]
    lower = {word.lower() for word in words if len(word) >= 5}
    named = {path for path in paths if Path(path).stem.lower() in lower}
    others = [str(tree / path) for path in paths]
    started = time.perf_counter()
    tags = repo_map.get_ranked_tags([], others, named, words)
    ranking = list(dict.fromkeys(tag[0] for tag in tags))
    maps = {
        budget: repo_map.get_ranked_tags_map([], others, budget, named, words, True) or ""
        for budget in request["budgets"]  # type: ignore[attr-defined]
    }
    seconds = (time.perf_counter() - started) / (1 + len(maps))
    return {"ranking": ranking, "maps": maps, "seconds": seconds}


def main() -> None:
    """Answer until the input ends; what the packages print goes to standard error."""
    tree, replies = Path(sys.argv[1]), sys.stdout
    sys.stdout = sys.stderr
    with tempfile.TemporaryDirectory() as cache:
        # Beside the tree, so that the other systems do not index it.
        RepoMap.TAGS_CACHE_DIR = cache
        repo_map = RepoMap(root=str(tree), main_model=Model(), io=Quiet())
        for line in sys.stdin:
            replies.write(json.dumps(answer(repo_map, tree, json.loads(line))) + "\n")
            replies.flush()


if __name__ == "__main__":
    main()
