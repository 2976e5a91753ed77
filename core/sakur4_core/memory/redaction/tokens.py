"""Keys and tokens that their issuers marked: by a prefix, or by their shape.

Prefixes and lengths are those that the issuers document, or that their own secret scanning
publishes. Every one of them holds a run of at least ``RUN`` name characters, so only such runs
are looked at: ordinary text has few, and finding them costs one pass at memory speed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sakur4_core.memory.redaction.judgement import is_random
from sakur4_core.memory.redaction.span import Span

RUN = 20
# How far before a run its prefix may stand: that of a webhook's address is the longest.
BEFORE = 64
LEAST_DRAWN = 16

_NAME = r"[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_HEX = "[0-9a-f]"
_DOTTED = r"[A-Za-z0-9_.-]"


# An escaped line break is as many of them in a shadow.
_NEXT = r"(?:[\r\n]{1,4}[ \t]*)"


def _wrapped(letters: str, length: int) -> str:
    """So many letters, perhaps over several lines."""
    return rf"{letters}(?:{_NEXT}?{letters}){{{length - 1}}}"


def _body(letters: str, length: int, least: int | None = None) -> str:
    """At least ``length`` letters, perhaps wrapped to the next line, or ``least`` on one."""
    wrapped = rf"{_wrapped(letters, length)}{letters}*"
    return rf"(?:{letters}{{{length},}}|{wrapped}|{letters}{{{least or length},}})"


def _exactly(letters: str, length: int) -> str:
    return rf"(?:{letters}{{{length}}}|{_wrapped(letters, length)})(?![A-Za-z0-9])"


_LINES = rf"{_NAME}{{8,}}+(?:{_NEXT}{_NAME}++){{0,40}}+"
# Only where a run begins: within one, it would be read again from each place.
_JWT = rf"(?<![\w-]eyJ){_LINES}\.{_NEXT}?{_LINES}\.{_NEXT}?{_NAME}{{8,}}(?:\.{_NAME}+){{0,2}}"

# Type, prefixes, what follows a prefix. The first that fits a place names it.
_PREFIXED: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-", _body(_NAME, 80, 16)),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", _body(_NAME, 40, 16)),
    ("openrouter-key", "sk-or-", _body(_NAME, 40, 16)),
    (
        "aws-key",
        "AKIA ASIA ABIA ACCA",
        # The console's CSV and many logs have the secret right behind the key's id.
        _exactly("[A-Z0-9]", 16)
        + r"(?:[^A-Za-z0-9+/=\n]{1,8}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=]))?",
    ),
    ("aws-key", "ABSK", r"[A-Za-z0-9+/]{40,}={0,2}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _body(r"\w", 36, 20)),
    ("github-token", "github_pat_", _body(r"\w", 82, 20)),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas-",
        _body(_DOTTED, 20),
    ),
    ("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxd-", r"[A-Za-z0-9%-]{10,}"),
    ("slack-token", "xoxe.xoxb- xoxe.xoxp- xapp-", r"[A-Za-z0-9-]{20,}"),
    ("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}"),
    ("google-key", "AIza", _body(_NAME, 35, 30)),
    ("google-oauth", "GOCSPX-", _body(_NAME, 28, 20)),
    ("google-oauth", "ya29. 1//0", _body(_DOTTED, 40, 20)),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", _body(_ALNUM, 24, 10)),
    ("stripe-key", "whsec_", r"[A-Za-z0-9+/]{24,}={0,2}"),
    ("twilio-key", "AC SK", _exactly(_HEX, 32)),
    ("sendgrid-key", "SG.", rf"{_NAME}{{16,}}\.{_NEXT}?{_body(_NAME, 43, 16)}"),
    ("mailgun-key", "key-", _exactly(_HEX, 32)),
    ("npm-token", "npm_", _body(_ALNUM, 36, 30)),
    ("pypi-token", "pypi-AgE", _body(_NAME, 50)),
    ("huggingface-token", "hf_ api_org_", _body(_ALNUM, 34, 30)),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _body(_HEX, 64, 40)),
    (
        "discord-webhook",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        rf"\d+/{_NAME}{{20,}}",
    ),
    ("teams-webhook", "webhook.office.com/webhookb2/", r"[\w@/-]{40,}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", _body("[0-9a-fA-F]", 32)),
    ("cloudflare-key", "v1.0-", rf"{_HEX}{{24}}-{_NEXT}?{_body(_HEX, 146, 100)}"),
    ("databricks-token", "dapi", rf"{_exactly(_HEX, 32)}(?:-\d)?"),
    ("heroku-key", "HRKU-", _body(_NAME, 30)),
    ("vault-token", "hvs. hvb. hvr.", _body(_NAME, 90, 20)),
    ("docker-token", "dckr_pat_ dckr_oat_", _body(_NAME, 27, 20)),
    ("grafana-token", "glsa_ glc_", _body(r"[\w=+/]", 32)),
    ("linear-key", "lin_api_ lin_oauth_", _body(_ALNUM, 40, 30)),
    ("newrelic-key", "NRAK- NRII- NRJS-", _body(_NAME, 19)),
    ("square-token", "sq0atp- sq0csp- EAAAE EAAAl", _body(_NAME, 22)),
    ("postman-key", "PMAK-", _body(_NAME, 50)),
    ("notion-token", "ntn_", _body(_ALNUM, 40)),
    ("figma-token", "figd_ figdr_", _body(_NAME, 40, 30)),
    ("sentry-token", "sntrys_ sntryu_", _body(r"[\w=+/-]", 60, 40)),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _body(_DOTTED, 32)),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", _body(_DOTTED, 40)),
    ("fly-token", "fm1_ fm2_ fo1_", _body(r"[\w+/=-]", 40)),
    ("supabase-token", "sbp_ sb_secret_", _body(_NAME, 40, 28)),
    ("groq-key", "gsk_", _body(_ALNUM, 52, 40)),
    ("xai-key", "xai-", _body(_ALNUM, 80, 40)),
    ("perplexity-key", "pplx-", _body(_ALNUM, 48, 40)),
    ("replicate-token", "r8_", _body(_ALNUM, 37)),
    ("atlassian-token", "ATATT3 ATCTT3", _body(r"[\w=-]", 180, 50)),
    ("bitbucket-token", "ATBB", _body(r"[\w=]", 32, 28)),
    ("circleci-token", "CCIPAT_", _body(_NAME, 40)),
    ("rubygems-key", "rubygems_", _body(_HEX, 48)),
    ("pulumi-token", "pul-", _exactly(_HEX, 40)),
    ("age-key", "AGE-SECRET-KEY-1", _body("[A-Z0-9]", 58, 50)),
    ("onepassword-token", "ops_eyJ", _body(r"[\w=-]", 100)),
    ("contentful-token", "CFPAT-", _body(_NAME, 43)),
    ("buildkite-token", "bkua_", _body(_HEX, 40)),
    ("dropbox-token", "sl.", _body(_NAME, 130, 100)),
    ("easypost-key", "EZAK EZTK", _body(_ALNUM, 54)),
    ("netlify-token", "nfp_ nfc_", _body(_ALNUM, 36)),
    ("alibaba-key", "LTAI", _body(_ALNUM, 20, 16)),
    ("facebook-token", "EAACEdEose0cBA", _body(_ALNUM, 20)),
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", _body(r"[\w%]", 80, 50)),
    ("jwt", "eyJ", _JWT),
    ("airtable-token", "pat", rf"{_ALNUM}{{14}}\.{_HEX}{{64}}"),
    # A bot's token begins with its number, in base64: with one of these letters.
    ("discord-token", "M N O", rf"{_NAME}{{23,27}}\.{_NAME}{{6}}\.{_NAME}{{27,}}"),
)
# Prefixes that ordinary names share: what follows must look drawn by lot as well.
_SHARED: tuple[tuple[str, str, str], ...] = (
    ("openai-key", "sk-", rf"(?:{_NAME}{{48,200}}|{_wrapped(_NAME, 48)}|{_NAME}{{20,200}})"),
    ("pypi-token", "pypi-", rf"{_NAME}{{20,200}}"),
)
# What follows may be wrapped: what a line that is full leaves over stands on the next.
_LEFT_OVER = re.compile(
    r"\\?[\r\n]{1,4}[ \t]*(?P<rest>[\w+/=.-]{2,})(?=[\s\"'`,;)\]}<|]|\Z)", re.ASCII
)
_FULL_LINE = 60

# Tokens marked within: type, mark, how many letters may stand before it, all of the token.
_MARKED: tuple[tuple[str, str, tuple[int, ...], re.Pattern[str]], ...] = tuple(
    (kind, mark, before, re.compile(rf"(?<![A-Za-z0-9]){token}", re.ASCII))
    for kind, mark, before, token in (
        ("telegram-token", ":AA", (10, 9, 8), rf"\d{{8,10}}:AA{_NAME}{{33}}(?![\w-])"),
        ("mailchimp-key", "-us", (32,), rf"{_HEX}{{32}}-us\d{{1,2}}(?!\d)"),
        ("azure-secret", "Q~", (4,), r"[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w~-])"),
        ("terraform-token", ".atlasv1.", (14,), rf"{_ALNUM}{{14}}\.atlasv1\.{_NAME}{{60,}}"),
    )
)

_RULES: dict[str, list[tuple[str, re.Pattern[str], bool]]] = {}
for _table, _judged in ((_PREFIXED, False), (_SHARED, True)):
    for _type, _prefixes, _rest in _table:
        for _prefix in _prefixes.split():
            _rule = (_type, re.compile(_rest, re.ASCII), _judged)
            _RULES.setdefault(_prefix, []).append(_rule)


def _any_prefix() -> str:
    """An alternation of the prefixes by first letter, so that most words cost one comparison."""
    initials: dict[str, list[str]] = {}
    for prefix in sorted(_RULES, key=lambda one: (-len(one), one)):
        initials.setdefault(prefix[0], []).append(re.escape(prefix[1:]))
    return "|".join(f"{re.escape(key)}(?:{'|'.join(rests)})" for key, rests in initials.items())


# The next prefix that begins a word; words without one are stepped over whole.
_WORDS = re.compile(
    rf"(?:[^A-Za-z0-9]*+(?!{_any_prefix()})[A-Za-z0-9]++)*+[^A-Za-z0-9]*+(?P<prefix>{_any_prefix()})"
)
_WORD_REST = re.compile("[A-Za-z0-9]*")

_IN_RUN = bytes(
    97 if chr(code) in "_-\n" or (code < 128 and chr(code).isalnum()) else 32
    for code in range(256)
)


def find(text: str) -> Iterator[Span]:
    """The marked secrets of a shadow."""
    if len(text) < RUN:
        return
    for kind, mark, before, token in _MARKED:
        at = text.find(mark)
        while at >= 0:
            matches = (token.match(text, at - count) for count in before if count <= at)
            if match := next(filter(None, matches), None):
                yield _span(text, match.start(), match.end(), kind)
            at = text.find(mark, at + len(mark))
    done = 0
    for start, end in _runs(text):
        for span in _prefixed(text, max(start - BEFORE, done), end):
            done = span.end
            yield span


def _prefixed(text: str, at: int, end: int) -> Iterator[Span]:
    """The tokens whose prefix begins a word between ``at`` and ``end``."""
    if at and text[at - 1].isalnum():
        at = _end(_WORD_REST, text, at)
    while match := _WORDS.match(text, at, end):
        start, at = match.span("prefix")
        for kind, rest, judged in _RULES[match["prefix"]]:
            body = rest.match(text, at)
            if body and (_is_drawn(body[0]) if judged or "\n" in body[0] else True):
                yield (span := _span(text, start, body.end(), kind))
                at = span.end
                break
        else:
            at = _end(_WORD_REST, text, at)


def _is_drawn(body: str) -> bool:
    """Whether what may be words, or the lines of a list, looks drawn by lot."""
    return is_random("".join(body.split()), LEAST_DRAWN)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the letters of ``pattern`` that begin at ``at`` end."""
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Where ``RUN`` or more name characters stand in a row, line breaks counted in."""
    letters = text.encode("ascii", "replace").translate(_IN_RUN)
    wanted = b"a" * RUN
    at = 0
    while (at := letters.find(wanted, at)) >= 0:
        start = letters.rfind(b" ", 0, at) + 1
        end = letters.find(b" ", at)
        end = len(text) if end < 0 else end
        yield start, end
        at = end


def _span(text: str, start: int, end: int, kind: str) -> Span:
    """The span from ``start`` to ``end``, with what was wrapped to the next line of it."""
    line = text.rfind("\n", max(0, end - 1000), end) + 1
    if end - line >= _FULL_LINE and (rest := _LEFT_OVER.match(text, end)):
        whole_line = rest.end() == len(text) or text[rest.end()] in "\r\n"
        if whole_line or is_random(rest["rest"], 4):
            end = rest.end()
    return Span(start, end, kind)
