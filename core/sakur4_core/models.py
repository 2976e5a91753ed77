"""The data that crosses the engine's boundary: frozen, typed, JSON-clean.

Field names here are the field names of ``--json`` output, of MCP results and of the store.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Basis(StrEnum):
    """How a figure came to be known."""

    MEASURED = "measured"
    COUNTED = "counted"
    CALIBRATED = "calibrated"
    ESTIMATED = "estimated"
    PREDICTED = "predicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that says how it is known.

    Attributes:
        value: The number, or None where it is not known; never 0 for unknown.
        basis: How it is known.
        error: Half-width of the relative error (0.04 = ±4 %), or None.
    """

    value: float | None
    basis: Basis
    error: float | None = None


NOT_KNOWN = Figure(None, Basis.UNKNOWN)


def counted(value: float) -> Figure:
    """A figure that this program counted itself."""
    return Figure(value, Basis.COUNTED)


class Role(StrEnum):
    """Who speaks in an episode."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Tier(StrEnum):
    """How much of an episode the prompt still carries, from all to nothing."""

    LIVE = "live"
    MASKED = "masked"
    REFERENCED = "referenced"
    ARCHIVED = "archived"
    DROPPED = "dropped"

    @property
    def rung(self) -> int:
        """Its place on the ladder: live is 0, dropped is 4."""
        return _RUNGS[self.value]


_RUNGS = {tier.value: rung for rung, tier in enumerate(Tier)}


class InWindow(StrEnum):
    """Whether an episode is in the model's window now."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of an agent."""

    session_id: str
    harness: str
    parent_session: str | None
    slot_id: int | None
    model: str | None
    branch: str | None
    created_at: str
    title: str | None = None
    last_seen_at: str | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One turn, verbatim after redaction, with its mutable state."""

    seq: int
    episode_id: str
    session_id: str
    turn: int
    role: Role
    content: str
    tool_name: str | None
    tool_call_id: str | None
    token_count: int
    origin: str
    created_at: str
    tier: Tier = Tier.LIVE
    droppable: bool = False
    superseded_by: str | None = None
    fold_id: str | None = None
    in_window: InWindow = InWindow.YES
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Committed:
    """What came of a commit."""

    episode_id: str
    seq: int
    session_id: str
    token_count: int
    facts_extracted: int
    symbolic_summary: str
    parser: str
    anchor_proposal: str | None = None
    redactions: tuple[str, ...] = ()
    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Redaction:
    """What came of taking a turn's content out for good.

    Attributes:
        tombstone: What stands in its place.
        facts: How many facts of its tool result were deleted.
        summaries, anchors, proposals: The ids of those that quoted it: retired, unpinned,
            expired.
        scrubbed: Whether the deleted bytes are gone from the disk too; False where another
            process read the store all the while, then redacting again finishes it.
    """

    episode_id: str
    seq: int
    session_id: str
    tombstone: str
    facts: int = 0
    summaries: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    scrubbed: bool = False


class FactKind(StrEnum):
    """The closed set of fact kinds; the schema checks the same list."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    STRUCT = "struct"
    ENUM = "enum"
    TRAIT = "trait"
    INTERFACE = "interface"
    TYPE = "type"
    CONSTANT = "constant"
    MODULE = "module"
    IMPORT = "import"
    EXPORT = "export"
    TOOL_OUTPUT_FIELD = "tool_output_field"
    TOOL_EXIT_CODE = "tool_exit_code"
    HTTP_HEADER = "http_header"
    JSON_FIELD = "json_field"
    CSV_COLUMN = "csv_column"
    DIFF_HUNK = "diff_hunk"
    REGEX_MATCH = "regex_match"
    TEST_RESULT = "test_result"
    DIAGNOSTIC = "diagnostic"
    STACK_FRAME = "stack_frame"
    VCS_STATUS = "vcs_status"


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of the Symbolic Ledger: what a parser saw.

    Lines are 1-based and inclusive. ``interface_hash`` covers the declared surface,
    ``body_hash`` the whole; both are None for facts that are no code.
    """

    fact_id: str
    kind: FactKind
    qualified_name: str
    file_path: str | None
    line_start: int | None
    line_end: int | None
    signature: str | None
    value: str | None
    interface_hash: str | None
    body_hash: str | None
    source: str
    scope: str


class AnchorKind(StrEnum):
    """What a pinned statement is."""

    USER_CORRECTION = "user_correction"
    SAFETY_CONSTRAINT = "safety_constraint"
    TASK_CONTRACT = "task_contract"


class Scope(StrEnum):
    """How far a pinned statement reaches."""

    PROJECT = "project"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A pinned statement, exempt from eviction because it is no episode."""

    anchor_id: str
    kind: AnchorKind
    scope: Scope
    content: str
    session_id: str | None
    pinned_by: str
    token_cost: int
    created_at: str
    expires_at: str | None = None
    unpinned_at: str | None = None
    source_episode: str | None = None


class ProposalKind(StrEnum):
    """What a proposal asks for."""

    EVICTION = "eviction"
    ANCHOR = "anchor"
    UNPIN = "unpin"


class ProposalStatus(StrEnum):
    """Where a proposal stands; all but pending and applied are final."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    APPLIED = "applied"
    EXPIRED = "expired"
    UNDONE = "undone"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Contribution:
    """One feature's share of a score or a value."""

    name: str
    amount: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step down the ladder: a tier and what the episode costs there, in tokens."""

    tier: Tier
    tokens: int
    shrinks: bool = True


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One episode that a plan moves down.

    Attributes:
        rungs: Every tier visited, in order, from the one below the present to the target.
        reasons: What made its value; they sum to ``value``.
        group: Items that move together (a tool call and its result) share it.
        kept: What the rendered text still holds ("2 failures, exit code 1").
    """

    episode_id: str
    seq: int
    role: Role
    tool_name: str | None
    preview: str
    tokens_before: int
    tokens_after: int
    from_tier: Tier
    to_tier: Tier
    rungs: tuple[Rung, ...]
    value: float
    reasons: tuple[Contribution, ...]
    group: str
    kept: str = ""


class Pressure(StrEnum):
    """How the window stands against its trigger, and the anchors against their budget."""

    RELAXED = "relaxed"
    COMPACTING = "compacting"
    ANCHOR_OVERFLOW = "anchor_overflow"


@dataclass(frozen=True, slots=True)
class Plan:
    """What would leave the window, what that saves and what it costs.

    Token totals are of the prompt as assembled. ``savings_curve[k]`` is the prompt's total
    after the first k items, so it has one entry more than ``items``.
    """

    session_id: str
    pressure: Pressure
    items: tuple[PlanItem, ...]
    window: Figure
    tokens_before: Figure
    tokens_after: Figure
    tokens_freed: Figure
    target_tokens: int | None
    trigger_tokens: int | None
    prefix_kept: Figure
    tokens_to_prefill: Figure
    price: Figure
    break_even_turns: int | None
    savings_curve: tuple[int, ...]
    profile: str
    reaches_target: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that waits for, or has had, a person's decision."""

    proposal_id: str
    kind: ProposalKind
    status: ProposalStatus
    session_id: str | None
    payload: Mapping[str, Any]
    base_revision: str
    asked_by: str
    created_at: str
    expires_at: str
    decided_by: str | None = None
    decided_at: str | None = None
    reason: str | None = None
    replaced_by: str | None = None
    effect: str | None = None
    plan: Plan | None = None
    anchor_id: str | None = None

    @property
    def open(self) -> bool:
        """Whether it still waits for a decision."""
        return self.status is ProposalStatus.PENDING


@dataclass(frozen=True, slots=True)
class ReceiptPart:
    """One part of the window. ``detail`` breaks raw history down by role and tool."""

    name: str
    tokens: Figure
    detail: tuple[ReceiptPart, ...] = ()
    note: str = ""


class Verdict(StrEnum):
    """What became of the prompt cache."""

    UNKNOWN = "unknown"
    COLD = "cold"
    FULL_RE_PREFILL = "full-re-prefill"
    PARTIAL_REUSE = "partial-reuse"
    WARM_RESTORED = "warm-restored"


@dataclass(frozen=True, slots=True)
class CacheState:
    """A cache verdict with the share of the prompt that was, or will be, read from cache."""

    verdict: Verdict
    basis: Basis
    reused: Figure = NOT_KNOWN
    cause: str | None = None
    price: Figure = NOT_KNOWN


@dataclass(frozen=True, slots=True)
class Usage:
    """One API call's token usage, normalised: ``context_tokens`` counts cached input too.

    None means that the provider did not say. Some harnesses count the answer into the context.
    """

    session_id: str
    turn: int
    context_tokens: int
    input_tokens: int | None
    completion_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    provider: str | None
    model: str | None
    created_at: str
    message_id: str | None = None

    @property
    def sent_tokens(self) -> int:
        """What the call sent: the prompt, without any answer."""
        if self.input_tokens is None:
            return self.context_tokens
        return self.input_tokens + (self.cache_read_tokens or 0) + (self.cache_write_tokens or 0)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What fills the window of one session at one turn. Parts sum to ``total``."""

    receipt_id: str
    session_id: str
    turn: int
    created_at: str
    window: Figure
    total: Figure
    fill: Figure
    parts: tuple[ReceiptPart, ...]
    per_tool: tuple[ReceiptPart, ...]
    overhead: Figure
    cache: CacheState
    pressure: Pressure
    trigger_tokens: int | None
    target_tokens: int | None
    counter: str
    backend: str
    price: Figure
    session_price: Figure
    evicted_tokens: Figure
    compactions: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TierCount:
    """How many episodes stand at a tier, and what they cost the window there."""

    tier: Tier
    episodes: int
    tokens: Figure


@dataclass(frozen=True, slots=True)
class Tiers:
    """The tiers pane: counts in the window, what has left it, what would leave next."""

    session_id: str
    counts: tuple[TierCount, ...]
    left_window: int
    next_to_leave: tuple[PlanItem, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence. ``text`` is what may be shown; stale text is labelled in it."""

    id: str
    kind: str
    score: float
    text: str
    retrievers: tuple[str, ...]
    reasons: tuple[Contribution, ...]
    tokens: int
    stale: bool = False
    unverified: bool = False
    current_value: str | None = None
    session_id: str | None = None
    seq: int | None = None
    role: Role | None = None
    tool_name: str | None = None
    tier: Tier | None = None
    created_at: str | None = None
    superseded_by: str | None = None
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query, best hit first."""

    query: str
    hits: tuple[Hit, ...]
    views: tuple[str, ...]
    lexical_only: bool
    stale_ids: tuple[str, ...]
    notes: tuple[str, ...]
    tokens: int
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an indexing pass did. ``skipped`` counts files by status other than parsed."""

    files: int
    parsed: int
    unchanged: int
    removed: int
    facts: int
    edges: int
    skipped: Mapping[str, int]
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class RankedFile:
    """One file of the full ranking."""

    path: str
    score: float
    reasons: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class RepoMap:
    """A map of the repository within a token budget.

    ``files`` is the full ranking (50 or more where there are as many), ``shown`` the
    paths whose entries stand in ``text``.
    """

    text: str
    tokens: int
    budget: int
    files: tuple[RankedFile, ...]
    shown: tuple[str, ...]
    indexed_at: str | None
    coverage: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SymbolHit:
    """One definition, with its source as it stands on disk."""

    qualified_name: str
    kind: str
    signature: str
    file: str
    line_start: int
    line_end: int
    hash: str
    source: str
    verified: bool
    fact_id: str


@dataclass(frozen=True, slots=True)
class SymbolAnswer:
    """What is known by a name; ``candidates`` are near names when nothing is found."""

    name: str
    found: bool
    symbols: tuple[SymbolHit, ...]
    candidates: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """One caller on a path to a symbol. ``stale`` is None where it was not checked."""

    qualified_name: str
    file: str
    line: int
    depth: int
    kind: str
    confidence: str
    stale: bool | None
    via: str


@dataclass(frozen=True, slots=True)
class Impact:
    """Who is reached by a change to a symbol."""

    symbol: str
    found: bool
    callers: tuple[Caller, ...]
    rendered: str
    unresolved: int
    candidates: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class StaleAnchor:
    """One thing a summary rests on, then and now."""

    anchor_type: str
    anchor_id: str
    name: str
    location: str
    hash_at_write: str
    hash_now: str | None
    value_at_write: str
    value_now: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class AtlasEntry:
    """A summary with what it was derived from. Stale if any anchor is."""

    atlas_id: str
    content: str
    origin: str
    created_at: str
    stale: bool
    stale_anchors: tuple[StaleAnchor, ...]
    session_id: str | None = None
    unverified: bool = False


@dataclass(frozen=True, slots=True)
class Staleness:
    """The Atlas as a whole: counts are of the whole store, ``entries`` a page of the stale."""

    total: int
    stale_count: int
    stale_rate: float
    entries: tuple[AtlasEntry, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A sub-task whose turns leave the prompt when it closes."""

    fold_id: str
    session_id: str
    description: str
    goal: str
    status: str
    summary: str | None
    tokens_reclaimed: int
    episodes: tuple[str, ...]
    created_at: str
    closed_at: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A saved state of a session, and of its slot where a backend can save one."""

    snapshot_id: str
    session_id: str
    bytes: int | None
    ms: float
    detail: str


@dataclass(frozen=True, slots=True)
class DreamReport:
    """What a consolidation pass did and what it left, with reasons."""

    ran: bool
    reason: str
    promoted: int = 0
    regenerated: int = 0
    embedded: int = 0
    archived: int = 0
    pruned: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttachedProcess:
    """A process that has this store open now."""

    pid: int
    kind: str
    lease: bool


@dataclass(frozen=True, slots=True)
class Status:
    """The engine in one look. ``degraded`` lists what does not work and why."""

    project: str
    project_id: str
    store: str
    schema_version: int
    episodes: int
    facts: int
    files: int
    sessions: int
    anchors: int
    pending: int
    stale: int
    atlas: int
    lease_holder: int | None
    holds_lease: bool
    processes: tuple[AttachedProcess, ...]
    watching: str
    indexed_at: str | None
    counter: str
    backend: str
    embedder: str
    policy: str
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the transcript's chain holds; ``broken_seq`` is the first bad row."""

    ok: bool
    episodes: int
    broken_seq: int | None
    detail: str


def to_json(value: Any) -> Any:
    """A model, or anything made of models, as plain JSON data with the fields' own names."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [to_json(item) for item in value]
    return value
