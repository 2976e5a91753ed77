"""What a sentence is worth by itself: whether somebody will ask for what it says.

People come back to a session for what was decided, what failed and why, and for particulars: the
hour, the host, the number of days, the version, the test's name. They do not come back for code,
which stands in the repository, nor for what an agent was about to do. The weights say so; they
are relative, and 1.0 is a plain sentence.
"""

from __future__ import annotations

import re
from typing import Final

from sakur4_core.consolidate.sentences import is_prose
from sakur4_core.words import UNSPACED_RUN

# A sentence for people, at its full length: it says something, where a line of code does not.
STATEMENT: Final = 1.0
FULL_LENGTH: Final = 8
# Each further word, up to so many: who, where and what for, which a short one leaves out.
FURTHER_WORD: Final = 0.03
MOST_WORDS: Final = 24
# Of the kinds of particulars in a sentence the best counts in full, the others by this share: a
# sentence with five kinds is a listing more often than a fact.
FURTHER: Final = 0.25
# What went wrong, and the outcome of a run, are asked for whatever else was said.
FAILURE: Final = 1.5
# The share of that for a sentence without a particular: that something fails, but not what.
VAGUE: Final = 0.5
OUTCOME: Final = 2.0
# Why it did, and what was decided: the rarest of sentences, and never found again in the code.
CAUSE: Final = 1.2
DECISION: Final = 1.5
# `file:line` says where to look.
PLACE: Final = 0.6
# A definition's head names what a file holds; the rest of the code is read from the file.
DEFINITION: Final = 0.8
CODE: Final = 0.15
# The share of that for a line that a diff takes away.
REMOVED: Final = 0.4
# The share that a sentence of two or three words keeps: it leans on what stood before it.
SCRAP: Final = 0.3
# The share of a statement that a line of a tool's output has, which seldom is one.
REPORT: Final = 0.4
# What is left of the worth of an announcement, of chatter, of progress and of a question.
ANNOUNCED: Final = 0.3
CHATTER: Final = 0.25
PROGRESS: Final = 0.1
ASKED: Final = 0.6
# A sentence that opens with "It" or "And" leans on one that may not be chosen.
LEANING: Final = 0.75
# What is exclaimed is felt more often than it is so.
EXCLAIMED: Final = 0.75

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_FAILED: Final = frozenset(
    """
    error failed fails failing failure failures traceback exception crash crashed crashes
    panic panicked fatal denied refused broken broke breaks bug regression flaky undefined
    invalid cannot unable wrong missing conflict deadlock leak leaks segfault killed rejected
    timed
    """.split()  # noqa: SIM905 - as a list it would not be read
)
_REASONS: Final = frozenset(
    """
    because cause caused causes due fixed fixes fix resolved solved reason workaround therefore
    culprit since
    """.split()  # noqa: SIM905
)
_DECIDED: Final = frozenset(
    """
    decided decision agreed chose chosen settled must never always instead shall prefer
    preferred adopted switched requires required forbidden policy convention deadline
    """.split()  # noqa: SIM905
)
_PHRASES: Final = re.compile(
    r"\b(?:(?:we|i|it|they)(?: will|['’]ll) (?:use|keep|stay)|do not|don['’]t (?:ever|\w+ the)"
    r"|from now on|rather than|no longer|going with|make sure|not allowed|may not|must not"
    r"|root cause|(?:use|may|should|change|edit|run) only|only (?:use|change|edit|run|\w+ may)"
    r"|turned out|turns out|is called)\b"
    r"|決定|决定|必須|必须|禁止|原因|修正|修复|결정|원인"
)
_RAISED: Final = re.compile(
    r"\b[A-Z]\w{0,60}(?:Error|Exception|Fault)(?=:|\s*$)|^E {2,}\S|\bFAILED\b"
    r"|エラー|失敗|失败|错误|오류|실패"
)
_OUTCOME: Final = re.compile(
    r"\b\d{1,6} (?:passed|failed|errors?|warnings?|skipped|failures?|problems?|tests?)\b"
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,2}-?\d{1,5}\b"
    r"|^(?:FAILED|ERROR|FAIL|---? FAIL)\b|\b[1-5]\d\d (?:OK|Not Found|Internal|Bad|Forbidden)"
)
_PLACE: Final = re.compile(r"[\w/-]\.\w{1,8}(?::\d{1,7}\b|\(\d{1,7}[,)]|\", line \d)")
# Said in a sentence, a particular makes a fact: "kept for 590 days". What nobody can guess weighs
# most; a word with a capital may be anything.
_PARTICULARS: Final = tuple(
    (weight, re.compile(pattern))
    for weight, pattern in (
        # Clock times, dates, days.
        (
            1.4,
            r"\b\d{1,2}:\d\d\b|\b\d{4}-\d\d-\d\d\b"
            r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
            r"|\b(?:January|February|March|April|June|July|August|September|October|November"
            r"|December)\b|\b(?:yesterday|tomorrow|tonight|last (?:night|week|month|year)"
            r"|next (?:week|month|year)|(?:week|month|year)s? ago|weekend)\b",
        ),
        # Versions, addresses, tickets, hashes.
        (
            1.4,
            r"\bv?\d{1,5}\.\d{1,5}\.\d{1,5}|://|\b\w[\w.+-]{0,60}@\w|#\d{2,7}\b"
            r"|\b(?=[a-f]{0,12}\d)[0-9a-f]{7,40}\b",
        ),
        # Numbers, with a unit or not; not those within names.
        (
            1.4,
            r"(?<![A-Za-z0-9_.-])[$€£#]?\d{1,12}(?:[.,]\d{1,9}){0,3}(?:%|[a-zA-Zµ]{1,3}\b)?(?![A-Za-z0-9_])",
        ),
        # Numbers as words, before what they count.
        (
            1.1,
            r"(?i:\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty"
            r"|half|hundred|thousand|million)\b(?= \w))",
        ),
        # Names with digits in or after them, with an underscore, a dot or a slash within, options.
        (1.2, r"\b[A-Za-z]{2,20}-?\d"),
        (1.2, r"[A-Za-z]{2}\w{0,60}_\w|\b_\w+\(|\b[a-z]\w{1,40}\.[a-z]\w|\w/\w|\B--[a-z]"),
        (0.9, r"`[^`]{2,80}`|\b[A-Za-z][a-z0-9]{1,40}[A-Z]\w{0,40}\b"),
        # Names of people and things: capitals within a sentence, two of them, or one, or a word.
        (1.2, r"(?<=[\w,] )[A-Z][a-z]{1,20} [A-Z][a-z]{1,20}\b"),
        (0.6, r"(?<=[a-z] )[A-Z][a-z]{2,20}\b|\b[A-Z][A-Z0-9]{2,12}\b"),
    )
)
_PREFIX: Final = re.compile(
    r"\s*+(?:[\w./\\-]{1,200}:\d{1,7}(?::\d{1,7})?[:-]|\d{1,7}[\t→|:]|[+-](?=\s*[\w\"'@#])"
    r"|\d{1,3}[.)](?=\s))\s*+"
)
_DEFINES: Final = re.compile(
    r"(?:export |pub |public |static |async |default )*"
    r"(?:def|class|func|fn|function|interface|struct|enum|trait|type|CREATE TABLE) \w"
    r"|[A-Z][A-Z0-9_]{2,40}(?:: ?\w{1,40})? ?= ?[\w\"'(\[/.-]"
)
_KEYWORD: Final = re.compile(
    r"(?:raise|return|def|class|import|async|await|assert|elif|except|yield|const|func|fn|pub)\b"
)
_CODE: Final = re.compile(
    r"(?:from [\w.]+ import|import |return\b|elif\b|else\b|try:|except\b|raise |@\w|#include"
    r"|use \w|(?:if|for|while|with) .{0,300}[:{]\s*$|(?:const|let|var) \w+ ?=|package \w+$"
    r"|assert )|[\w.\[\]]{1,80}(?:: ?[\w\[\] |.]{1,60})? ?[-+|]?= ?\S"
    r"|[\w.]{1,80}\(.{0,300}[)(,:;{]\s*$"
    r"|.{0,380}[{};]\s*$"
)
_ANNOUNCED: Final = re.compile(
    r"(?:(?:ok|okay|now|next|first|then|so|good|right|great|sure)[,.:]? )?(?:let(?:['’]s| me| us)|"
    r"i(?:['’]ll| will| shall| am going to|['’]m going to| need to| want to)|we(?:['’]ll| will))\b"
    r"|(?:checking|reading|running|looking|searching|opening|starting|here (?:is|are))\b"
)
_LEANS: Final = re.compile(r"(?:and|but|it|its|this|that|these|those|they|both|so|then|which)\b")
_CHATTER: Final = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|great|sure|ok|okay|perfect|wow|cool|nice|good|awesome"
    r"|sounds|done|yes|no|yeah|understood|got it|you['’]re|absolutely|congrats|morning)\b"
    r"|おはよう|こんにちは|よろしく|ありがとう|わかりました|你好|谢谢|好的|안녕|감사"
)
_PROGRESS: Final = re.compile(
    r"\bPASSED\b|\[ {0,2}\d{1,3}%\]|\d{1,3}%[ |]{0,3}[|█▏#=\[]|^(?:ok|PASS|---? PASS|✓|√)\s"
    r"|^(?:Downloading|Collecting|Requirement already|Fetching|Compiling|Installing|Unpacking"
    r"|Resolving|Using cached|Building|Receiving objects|remote:|Get:|Hit:|Preparing"
    r"|index [0-9a-f]|--- a/|Selecting|Setting up|platform |rootdir|plugins|collected "
    r"|=+ test session)"
)


def worth(sentence: str) -> float:
    """What the sentence is worth: 0 for nothing, 1 for a plain one, 2 and more for a fact."""
    prefix = _PREFIX.match(sentence)
    body = sentence[prefix.end() :] if prefix else sentence
    lower = body.casefold()
    words = _WORD.findall(lower)
    if not any(len(word) > 1 for word in words):
        return 0.0
    particulars = _particulars(body)
    told = _cues(body, lower, frozenset(words), 1.0 if particulars or prefix else VAGUE)
    outcome = OUTCOME * (_OUTCOME.search(body) is not None)
    place = PLACE * (_PLACE.search(sentence) is not None)
    if _says_something(body, words):
        value = (STATEMENT + told + particulars) * (SCRAP + (1 - SCRAP) * _length(body, words))
        value += FURTHER_WORD * max(0, min(len(words), MOST_WORDS) - FULL_LENGTH)
    elif (kept := _of_code(body, told, particulars, outcome)) is not None:
        return (kept + place / 2) * (REMOVED if sentence.startswith("-") else 1.0)
    else:
        value = STATEMENT * REPORT * _length(body, words) + told + particulars * REPORT
    return (value + outcome + place) * _left(body, lower, words, told + outcome)


def _of_code(body: str, told: float, particulars: float, outcome: float) -> float | None:
    """The worth of a line of code, or None where it is none."""
    code = body.lstrip("+- \t")
    if _DEFINES.match(code):
        return DEFINITION + particulars * REPORT
    return CODE * (1 + told) if not outcome and _CODE.match(code) else None


def _length(body: str, words: list[str]) -> float:
    """How much of a sentence's full length the line has; scripts without spaces by characters."""
    unspaced = UNSPACED_RUN.search(body) is not None
    return min(1.0, len(body) / (2 * FULL_LENGTH) if unspaced else len(words) / FULL_LENGTH)


def _says_something(body: str, words: list[str]) -> bool:
    """Whether the line is a sentence, and no code or heading."""
    if _KEYWORD.match(body.lstrip("+- \t")):
        return False
    if UNSPACED_RUN.search(body):
        return is_prose(body)
    return len(words) >= 4 and not body.rstrip().endswith((":", "{", ";")) and is_prose(body)


def _cues(body: str, lower: str, words: frozenset[str], named: float) -> float:
    """The worth of failures, reasons and decisions."""
    value = FAILURE * named * (not _FAILED.isdisjoint(words) or _RAISED.search(body) is not None)
    value += CAUSE * (not _REASONS.isdisjoint(words))
    decided = not _DECIDED.isdisjoint(words) or _PHRASES.search(lower) is not None
    return value + DECISION * decided


def _particulars(body: str) -> float:
    """The worth of what the sentence holds that another would not."""
    held = [weight for weight, pattern in _PARTICULARS if pattern.search(body)]
    return max(held) * (1 - FURTHER) + sum(held) * FURTHER if held else 0.0


def _left(body: str, lower: str, words: list[str], told: float) -> float:
    """The share of its worth that a sentence keeps: less for what leads nowhere."""
    start = lower.lstrip("*_-> \"'(")
    if not told and _PROGRESS.search(body):
        return PROGRESS
    share = 1.0
    if _ANNOUNCED.match(start) and not told:
        share = ANNOUNCED
    elif _CHATTER.match(start) and len(words) < 2 * FULL_LENGTH and not told:
        share = CHATTER
    elif _LEANS.match(start):
        share = LEANING
    mark = body.rstrip("\"'”’)*_ ")[-1:]
    return share * (ASKED if mark in "?？" else EXCLAIMED if mark in "!！" else 1.0)
