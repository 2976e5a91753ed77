"""Secrets are taken out before a text reaches the disk, the index or an event."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and the types of what was taken out, in order."""

    text: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Detector:
    """One kind of secret: the group ``secret`` of the pattern, or all of it, is replaced."""

    name: str
    pattern: re.Pattern[str]


def _detector(name: str, pattern: str) -> Detector:
    return Detector(name, re.compile(pattern))


DETECTORS = (
    _detector("private", r"(?is)<private>.*?(?:</private>|\Z)"),
    _detector(
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    _detector("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    _detector("openai-key", r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}"),
    _detector("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    _detector("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    _detector("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    _detector("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _detector("google-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    _detector("stripe-key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _detector("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    _detector(
        "authorization",
        r"(?i)\bauthorization\s*[:=]\s*(?:bearer|basic|token)\s+(?P<secret>\S{8,})",
    ),
    _detector("url-password", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:(?P<secret>[^\s/@]{3,})@"),
    _detector(
        "password",
        r"(?i)\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token)"
        r"[\"']?\s*[:=]\s*[\"'](?P<secret>[^\"'\s]{8,})[\"']",
    ),
)


def redact(text: str) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted:<type>]``."""
    types: list[str] = []
    for detector in DETECTORS:

        def replace(match: re.Match[str], name: str = detector.name) -> str:
            types.append(name)
            placeholder = f"[redacted:{name}]"
            if "secret" not in match.re.groupindex:
                return placeholder
            start, end = match.span("secret")
            whole = match.group(0)
            offset = match.start()
            return whole[: start - offset] + placeholder + whole[end - offset :]

        text = detector.pattern.sub(replace, text)
    return Redacted(text, tuple(types))
