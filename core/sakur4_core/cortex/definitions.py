"""From where definitions stand to what is kept of each: signature, value and hashes."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from sakur4_core.cortex.model import MODULE_SCOPE, Definition
from sakur4_core.cortex.normal_form import NormalForm, digest, normal_form
from sakur4_core.cortex.outline import FUNCTIONS, Outline, Site, Source
from sakur4_core.memory.redaction import redact
from sakur4_core.models import FactKind

MAX_SIGNATURE = 300
MAX_VALUE = 120


def definitions(source: Source, outline: Outline) -> tuple[Definition, ...]:
    """Every definition of a file, the module itself first, in the order of the text."""
    module, *inner = sites = outline.sites
    bodies = {site.body.start_byte for site in sites if site.body is not None}
    form = normal_form(
        source.data,
        source.captures,
        source.language.normal,
        {site.start for site in inner} | bodies,
        {site.end for site in inner},
    )
    surfaces = _surfaces(sites, form)
    signatures = _Signatures(source)
    ordinals: dict[tuple[str, str], int] = defaultdict(int)
    made = []
    for site, surface in zip(sites, surfaces, strict=True):
        key = (site.kind, site.qualified_name)
        signature, value = signatures.of(site)
        made.append(
            Definition(
                site.kind,
                site.name,
                site.qualified_name,
                ordinals[key],
                site.parent,
                site.line,
                site.last_line,
                signature,
                value,
                surface,
                digest(form.file() if site is module else form.whole(site.start, site.end)),
            )
        )
        ordinals[key] += 1
    return tuple(made)


def _surfaces(sites: Sequence[Site], form: NormalForm) -> list[str]:
    """Interface hashes. What holds members declares theirs too, in whatever order.

    Members that stand apart from their type (Go's methods, Rust's ``impl``) are not of its text:
    the type and each of them may move alone, and the type stays what it is.
    """
    surfaces = [""] * len(sites)
    members: dict[int, list[bytes]] = defaultdict(list)
    for index in _inside_out(sites):
        site = sites[index]
        head = b""
        if site.body is not None:
            head = form.head(site.start, site.body.start_byte)
        elif index != MODULE_SCOPE:
            head = form.whole(site.start, site.end)
        if site.kind not in FUNCTIONS and index in members:
            head = b"\0".join((head, *sorted(members[index])))
        surfaces[index] = surface = digest(head)
        if not site.owner:
            members[site.parent].append(f"{site.name}={surface}".encode())
    return surfaces


def _inside_out(sites: Sequence[Site]) -> Sequence[int]:
    """The sites, members before what holds them."""
    if all(site.parent < index for index, site in enumerate(sites)):
        return range(len(sites) - 1, -1, -1)

    def depth(index: int) -> int:
        steps = 0
        while (index := sites[index].parent) >= 0 and steps <= len(sites):
            steps += 1
        return steps

    return sorted(range(len(sites)), key=depth, reverse=True)


class _Signatures:
    """Reads the declarations of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        captures = source.captures
        self._comments = [(c.start_byte, c.end_byte) for c in captures.get("comment", ())]
        self._has_decorators = "decorator" in captures

    def of(self, site: Site) -> tuple[str, str | None]:
        """The declaration on one line up to its body, and a constant's value."""
        if site.parent < 0:
            return site.name, None
        body = site.body
        end = site.declared.end_byte if body is None else body.start_byte
        line = site.prefix + self._uncommented(self._start(site), end)
        value = None
        if site.kind is FactKind.CONSTANT and body is not None:
            value, shown = self._value(site.name, line, self._source.text(body))
            line += shown
        if self._source.redacted:
            line = redact(line).text
        return _tidied(folded(line, MAX_SIGNATURE)), value

    def _value(self, name: str, head: str, text: str) -> tuple[str | None, str]:
        """A constant's value as it is kept, and as it is shown behind its name."""
        if self._source.secret:
            return None, ""
        # A secret told by its name alone is seen in the whole text unless a type stands between.
        if self._source.redacted or (":" in head and ('"' in text or "'" in text)):
            text = redact(f"{name} = {text}").text.partition(" = ")[2]
        return folded(text, MAX_VALUE), text[:MAX_SIGNATURE]

    def _start(self, site: Site) -> int:
        if self._has_decorators:
            for inner in site.declared.children:
                if inner.type != "decorator":
                    return inner.start_byte
        return site.declared.start_byte

    def _uncommented(self, start: int, end: int) -> str:
        data = self._source.data
        end = min(end, start + 4 * MAX_SIGNATURE)
        at = bisect_left(self._comments, (start, 0))
        pieces = []
        while at < len(self._comments) and self._comments[at][0] < end:
            comment, stop = self._comments[at]
            pieces.append(data[start:comment])
            start, at = stop, at + 1
        pieces.append(data[start:end])
        return b" ".join(pieces).decode("utf-8", "replace")


def folded(text: str, limit: int) -> str:
    """Text on one line, cut at ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _tidied(line: str) -> str:
    """A declaration without what led to its body, and without the marks of broken lines."""
    line = line.rstrip(" {:;=").removesuffix("=>").rstrip()
    if "( " in line or " )" in line:
        line = line.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return line
