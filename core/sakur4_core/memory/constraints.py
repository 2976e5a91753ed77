"""Finds lasting rules in what the user says, sentence by sentence. It only ever proposes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sakur4_core.models import AnchorKind

MAX_SENTENCE = 400
MIN_WORDS = 3
_BOUNDARY = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(])|\n+")
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^\s*(?:>|\|)")


@dataclass(frozen=True, slots=True)
class Constraint:
    """A sentence that reads like a lasting rule, and why."""

    sentence: str
    kind: AnchorKind
    rule: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    kind: AnchorKind
    confidence: float
    pattern: re.Pattern[str]


def _rule(name: str, kind: AnchorKind, confidence: float, pattern: str) -> _Rule:
    return _Rule(name, kind, confidence, re.compile(pattern, re.IGNORECASE))


# Tried in order; the first that matches names the kind. Confidences order the inbox and are
# no probabilities.
_RULES = (
    _rule(
        "never",
        AnchorKind.SAFETY_CONSTRAINT,
        0.9,
        r"^(?:please\s+)?(?:(?:you|we)\s+(?:must|should)\s+)?never\s+\w+"
        r"|\bmust\s+never\b|\bunder no circumstances\b",
    ),
    _rule(
        "do not",
        AnchorKind.SAFETY_CONSTRAINT,
        0.8,
        r"^(?:please,?\s+)?(?:do not|don['’]t)\s+(?:ever\s+)?(?:edit|change|touch|modify|delete"
        r"|remove|commit|push|force|run|use|call|add|install|deploy|write|create|rename|move"
        r"|expose|log|store|send|access|break|drop|introduce|rely|depend|import)\b",
    ),
    _rule(
        "not allowed",
        AnchorKind.SAFETY_CONSTRAINT,
        0.8,
        r"\b(?:is|are)\s+(?:not allowed|forbidden|off[- ]limits|prohibited)\b"
        r"|\bmust\s+not\b|\bmay\s+not\b|\bno\s+\w+(?:\s+\w+)?\s+(?:is|are)\s+allowed\b",
    ),
    _rule(
        "correction",
        AnchorKind.USER_CORRECTION,
        0.75,
        r"^(?:no|actually|wrong|correction|that['’]s (?:wrong|not (?:right|true|correct)))\b"
        r"[,:;—-]*\s+(?=.*\b(?:is|are|should|means|use|uses|lives?|belongs?|was|not)\b)",
    ),
    _rule(
        "always",
        AnchorKind.TASK_CONTRACT,
        0.85,
        r"^(?:please\s+)?(?:(?:you|we)\s+(?:must|should)\s+)?always\s+\w+|\bmust\s+always\b",
    ),
    _rule(
        "must",
        AnchorKind.TASK_CONTRACT,
        0.7,
        r"\b(?:all|every|each|any|the|we|you|it|they|this|tests?|endpoints?|functions?|changes?)"
        r"\s+(?:[\w-]+\s+){0,4}?must\s+(?!have\s+been\b)\w+",
    ),
    _rule(
        "only",
        AnchorKind.TASK_CONTRACT,
        0.7,
        r"^(?:please\s+)?(?:only\s+(?:use|touch|change|edit|run|write|return|modify)\b"
        r"|(?:use|touch|change|edit|run|write|modify)\s+only\b)"
        r"|\bshould\s+only\b|\bmust\s+only\b",
    ),
    _rule(
        "from now on",
        AnchorKind.TASK_CONTRACT,
        0.85,
        r"\b(?:from now on|going forward|from here on|in this (?:project|repo(?:sitory)?),? we)\b",
    ),
    _rule(
        "make sure",
        AnchorKind.TASK_CONTRACT,
        0.65,
        r"^(?:please\s+)?(?:make sure|ensure|be sure|remember)\s+(?:that\s+|to\s+)?(?:\w+\s+){0,6}"
        r"(?:always|never|all|every|each|only|not)\b",
    ),
)
# Every rule's pattern needs one of these words, so most sentences need no pattern at all.
_CUES = frozenset(
    (
        "never",
        "circumstances",
        "don",
        "not",
        "forbidden",
        "limits",
        "prohibited",
        "allowed",
        "must",
        "no",
        "actually",
        "wrong",
        "correction",
        "always",
        "only",
        "now",
        "forward",
        "here",
        "project",
        "repo",
        "repository",
        "sure",
        "ensure",
        "remember",
    )
)
_WORD = re.compile(r"[a-z]+")
# A question or a condition on the moment is no rule.
_NOT_A_RULE = re.compile(
    r"\?\s*$|^(?:why|how|what|when|where|who|which|does|did|do you|is it|are we|can you|could you"
    r"|would|should i|should we|if)\b",
    re.IGNORECASE,
)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message, without code blocks and quotations."""
    prose = _FENCE.sub("\n", text)
    found = []
    for line in prose.split("\n"):
        if _QUOTED.match(line):
            continue
        for part in _BOUNDARY.split(line):
            sentence = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", part).strip()
            if len(sentence.split()) >= MIN_WORDS and len(sentence) <= MAX_SENTENCE:
                found.append(sentence)
    return tuple(found)


def detect(text: str) -> tuple[Constraint, ...]:
    """The lasting rules that a user's or system's message states, in order, each once."""
    found: dict[str, Constraint] = {}
    if not _has_cue(text):
        return ()
    for sentence in sentences(text):
        if not _has_cue(sentence) or _NOT_A_RULE.search(sentence):
            continue
        for rule in _RULES:
            if rule.pattern.search(sentence):
                found.setdefault(
                    sentence.casefold(),
                    Constraint(sentence, rule.kind, rule.name, rule.confidence),
                )
                break
    return tuple(found.values())


def _has_cue(text: str) -> bool:
    return not _CUES.isdisjoint(_WORD.findall(text.lower()))
