"""Whether the index finds every definition that universal-ctags lists. Prints one JSON document.

Reads the newest commit of every repository below a folder (bare git directories at any depth),
Python, Go and Rust only, and compares file by file: a tag is found where the index has a
definition, an import or a module of that name whose lines hold the tag's line. What is not found
falls under one of the rules of ``EXPLAINED`` or is counted as missed, with examples.

    python tests/bench/definitions.py ~/mirrors [name ...]

The folder may stand in ``SAKUR4_BENCH_MIRRORS`` instead.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sakur4_core.cortex.extraction import parse
from sakur4_core.cortex.languages import language_of
from sakur4_core.cortex.model import Definition
from sakur4_core.cortex.reading import decode
from sakur4_core.models import FactKind

LANGUAGES = ("python", "go", "rust")
MAX_BYTES = 1_000_000
EXAMPLES = 8
CALLABLE = frozenset({FactKind.FUNCTION, FactKind.METHOD})


@dataclass(frozen=True, slots=True)
class Tag:
    """One line of what ctags prints."""

    name: str
    path: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Read:
    """One file as the index reads it."""

    lines: Sequence[str]
    definitions: Sequence[Definition]
    imports: frozenset[str]
    tree: Any

    def source(self, tag: Tag) -> str:
        """The line that a tag points to."""
        return self.lines[tag.line - 1] if 0 < tag.line <= len(self.lines) else ""


@dataclass(slots=True)
class Tally:
    """What became of the tags of one language in one repository."""

    tags: int = 0
    found: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    missed: list[Tag] = field(default_factory=list)


def main() -> None:
    """Compare every repository, or those named."""
    arguments = sys.argv[1:] or [os.environ.get("SAKUR4_BENCH_MIRRORS", "")]
    folder = Path(arguments[0]).expanduser()
    if not arguments[0] or not folder.is_dir():
        sys.exit("Name the folder that holds the repositories.")
    report = {}
    for place in sorted(folder.glob("**/HEAD")):
        name = place.parent.parent.name if place.parent.name == "repo" else place.parent.name
        if not arguments[1:] or any(wanted in name for wanted in arguments[1:]):
            report[name] = compare(place.parent)
    json.dump({"ctags": _version(), "repositories": report}, sys.stdout, indent=2)
    print()


def compare(repository: Path) -> dict[str, Any]:
    """The tallies of one repository, by language."""
    with tempfile.TemporaryDirectory() as root:
        paths = list(_write_tree(repository, Path(root)))
        tallies: dict[str, Tally] = defaultdict(Tally)
        read: dict[str, Read | None] = {}
        for tag in _tags(Path(root)):
            if tag.path not in read:
                read[tag.path] = _read(Path(root), tag.path)
            file = read[tag.path]
            language = language_of(tag.path)
            if file is not None and language is not None:
                _judge(tag, file, tallies[language.name])
        return {
            "files": len(paths),
            **{name: _summary(tally) for name, tally in sorted(tallies.items())},
        }


def _judge(tag: Tag, file: Read, tally: Tally) -> None:
    tally.tags += 1
    if _found(tag, file):
        tally.found += 1
        return
    reason = next((why for why, holds in EXPLAINED.items() if holds(tag, file)), None)
    if reason is None:
        tally.missed.append(tag)
    else:
        tally.explained[reason] += 1


def _found(tag: Tag, file: Read) -> bool:
    return tag.name in file.imports or any(
        one.name == tag.name and one.line_start <= tag.line <= one.line_end
        for one in file.definitions[1:]
    )


# -- why a tag may be no definition of ours ---------------------------------------


def _in_a_function(tag: Tag, file: Read) -> bool:
    return any(
        one.kind in CALLABLE and one.line_start < tag.line <= one.line_end
        for one in file.definitions
    )


def _in_text(tag: Tag, file: Read) -> bool:
    """Whether the name's place is within a string or a comment."""
    column = file.source(tag).find(tag.name)
    if column < 0:
        return False
    at = (tag.line - 1, len(file.source(tag)[:column].encode()))
    node = file.tree.root_node.descendant_for_point_range(at, at)
    while node is not None:
        if "string" in node.type or "comment" in node.type:
            return True
        node = node.parent
    return False


def _in_a_macro(tag: Tag, file: Read) -> bool:
    at = (tag.line - 1, len(file.source(tag)) - len(file.source(tag).lstrip()))
    node = file.tree.root_node.descendant_for_point_range(at, at)
    while node is not None:
        if node.type in ("token_tree", "macro_definition", "token_tree_pattern"):
            return True
        node = node.parent
    return False


def _a_constants_type(tag: Tag, file: Read) -> bool:
    named = re.search(rf"(?:const|static) .*&'static {re.escape(tag.name)}\b", file.source(tag))
    if named is None and tag.line > 1:
        above = Tag(tag.name, tag.path, tag.line - 1, tag.kind)
        return _inside_a_constant(tag, file) and _a_constants_type(above, file)
    return tag.kind == "variable" and named is not None


def _inside_a_constant(tag: Tag, file: Read) -> bool:
    return any(
        one.kind is FactKind.CONSTANT and one.line_start < tag.line <= one.line_end
        for one in file.definitions
    )


def _in_a_constants_value(tag: Tag, file: Read) -> bool:
    return tag.kind in ("const", "var") and _inside_a_constant(tag, file)


def _a_literals_result(tag: Tag, file: Read) -> bool:
    literal = re.search(rf"func\(.*\) {re.escape(tag.name)}\b", file.source(tag))
    return tag.kind == "func" and literal is not None


EXPLAINED: dict[str, Callable[[Tag, Read], bool]] = {
    "the file's package: its module stands for it": lambda tag, _: tag.kind == "package",
    "an impl block: what it holds belongs to the type": lambda tag, _: (
        tag.kind == "implementation"
    ),
    "a type behind `&'static`, which ctags takes for the constant's name": _a_constants_type,
    "the result of a function literal, which ctags takes for its name": _a_literals_result,
    "a blank name": lambda tag, _: tag.name in ("_", "."),
    "in a string or a comment": _in_text,
    "in a macro's tokens, which are no definitions until they are expanded": _in_a_macro,
    "an operand on a further line of a constant's value": _in_a_constants_value,
    "a local variable": lambda tag, file: (
        (tag.kind in ("variable", "var", "const", "unknown") or "lambda" in file.source(tag))
        and _in_a_function(tag, file)
    ),
}


# -- reading ---------------------------------------------------------------------


def _read(root: Path, path: str) -> Read | None:
    """One file as the index reads it; None where it is no text."""
    from sakur4_core.cortex.extraction import _tools

    language = language_of(path)
    text, _, _ = decode((root / path).read_bytes())
    if text is None or language is None:
        return None
    parts = parse(path, text, language)
    parser, _ = _tools(language.name)
    imports = frozenset(
        part for i in parts["scopes"].imports for part in (i.alias, i.name, i.module) if part
    )
    return Read(text.splitlines(), parts["definitions"], imports, parser.parse(text.encode()))


def _write_tree(repository: Path, root: Path) -> Iterator[str]:
    """Write the newest commit's sources below ``root``; blobs that are absent are left out."""
    git = ["git", "--git-dir", str(repository)]
    listed = subprocess.run([*git, "ls-tree", "-rlz", "HEAD"], check=True, capture_output=True)
    wanted = {}
    for entry in listed.stdout.decode("utf-8", "replace").split("\0"):
        about, _, path = entry.partition("\t")
        language = language_of(path)
        if about.startswith("100") and language and language.name in LANGUAGES:
            _, _, blob, size = about.split()
            if size.isdigit() and int(size) <= MAX_BYTES:
                wanted[path] = blob
    for path, blob in wanted.items():
        shown = subprocess.run([*git, "cat-file", "blob", blob], capture_output=True, check=False)
        if shown.returncode == 0:
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(shown.stdout)
            yield path


def _tags(root: Path) -> Iterator[Tag]:
    command = [
        "ctags", "-R", "-f", "-", "--sort=no", "--excmd=number", "--fields=Kz",
        "--languages=Python,Go,Rust", "--langmap=Python:.py.pyi",
    ]  # fmt: skip
    done = subprocess.run([*command, "."], cwd=root, check=True, capture_output=True)
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if not line.startswith("!"):
            name, path, number, *fields = line.split("\t")
            kind = next(f for f in fields if f.startswith("kind:")).removeprefix("kind:")
            yield Tag(name, path.removeprefix("./"), int(number.removesuffix(';"')), kind)


def _version() -> str:
    done = subprocess.run(["ctags", "--version"], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[0]


def _summary(tally: Tally) -> dict[str, Any]:
    kinds = Counter(tag.kind for tag in tally.missed)
    return {
        "tags": tally.tags,
        "found": tally.found,
        "explained": dict(tally.explained.most_common()),
        "missed": len(tally.missed),
        "missed_by_kind": dict(kinds.most_common()),
        "examples": [f"{t.path}:{t.line} {t.kind} {t.name}" for t in tally.missed[:EXAMPLES]],
    }


if __name__ == "__main__":
    main()
