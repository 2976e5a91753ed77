"""A long session of an agent's work, made from recorded ones; the same for a seed.

Every turn is a request, one to three tool calls with outputs that were recorded, and a closing
remark. Each turn's texts are about another part of another service, so that no two are the same.
Rules and facts are told on the way, in what the user, the agent or a tool says.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field

from recorded import Recorded

NOUNS = [
    "invoice",
    "parcel",
    "voucher",
    "coupon",
    "basket",
    "ticket",
    "booking",
    "payout",
    "claim",
    "quote",
    "batch",
    "lease",
    "deposit",
    "permit",
    "survey",
    "roster",
    "budget",
    "tariff",
    "rebate",
    "cargo",
    "docket",
    "pledge",
    "ballot",
    "meter",
    "seat",
    "plan",
]
VERBS = [
    "check",
    "audit",
    "merge",
    "split",
    "close",
    "reopen",
    "retry",
    "cancel",
    "archive",
    "verify",
    "price",
    "lock",
]
REQUESTS = (
    "Please {verb} how the {noun} code treats an empty list.",
    "The {noun} page is slow; {verb} what it loads.",
    "{verb} the {noun} tests and tell me which of them matter.",
    "Somebody reported a wrong {noun}; {verb} the path that makes it.",
    "Let us {verb} the {noun} module next.",
)
RULES = (
    "Never edit the generated migrations under orderdesk/migrations.",
    "Money is whole cents everywhere; floats are not allowed.",
    "Do not push to main; every change goes through a branch.",
    "Only orderdesk/orders.py may change orders and stock together.",
    "Never log the e-mail address of a customer.",
    "All times are stored in UTC and shown in the user's zone.",
    "Do not add a dependency without asking me first.",
    "Every new endpoint needs a test through the HTTP interface.",
    "Keep the public function names of pricing.py as they are.",
    "Never run the tests against the production database.",
)
SERVICES = [
    "ledger",
    "catalogue",
    "shipping",
    "loyalty",
    "invoicing",
    "returns",
    "warehouse",
    "newsletter",
    "checkout",
    "gift-cards",
    "price-feed",
    "sign-up",
]
PEOPLE = [
    "Ada Brandt",
    "Ben Okafor",
    "Chiara Neri",
    "Dewi Lestari",
    "Emre Kaya",
    "Freja Holm",
    "Goran Babic",
    "Hana Sato",
    "Ivo Novak",
    "Jola Wrona",
    "Kofi Mensah",
    "Lucia Prado",
]
# Said so, asked so, and the word that only the right answer holds.
FACTS = (
    (
        "The nightly export of {s} starts at {v} UTC.",
        "When does the night-time export job of {s} begin?",
        "clock",
    ),
    (
        "The staging copy of {s} runs on host {v}.",
        "Which machine serves {s} in the staging environment?",
        "host",
    ),
    (
        "We settled on {v} retries for the webhook of {s} before it gives up.",
        "How often is the {s} webhook retried until it is abandoned?",
        "number",
    ),
    (
        "Audit rows of {s} are kept for {v} days.",
        "How long are the audit records of {s} retained?",
        "number",
    ),
    (
        "The on-call contact for {s} is {v}.",
        "Who is to be contacted when {s} fails at night?",
        "person",
    ),
    (
        "The queue behind {s} is called {v}.",
        "What is the name of the queue that {s} uses?",
        "host",
    ),
    (
        "The flaky test of {s} is {v}; it depends on the time zone.",
        "Which test of {s} is unreliable?",
        "test",
    ),
    (
        "The rate limit of {s} is {v} requests a minute for each key.",
        "How many requests per minute does {s} allow?",
        "number",
    ),
    (
        "The feature flag {v} hides the new screen of {s}.",
        "Which flag conceals the new page of {s}?",
        "flag",
    ),
    (
        "The release of {s} that broke the totals was {v}.",
        "Which version of {s} damaged the sums?",
        "version",
    ),
)


@dataclass(frozen=True, slots=True)
class Step:
    """What one party says."""

    role: str
    content: str
    tool_name: str | None = None
    call: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """Something told once at a turn, how it is asked for later, and what the answer holds."""

    turn: int
    text: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Work:
    """A session: its fixed parts, its turns, and what must not be lost."""

    system: str
    tools: str
    turns: list[list[Step]]
    rules: dict[int, str]
    facts: list[Fact] = field(default_factory=list)


def make(turns: int, seed: int, recorded: Recorded) -> Work:
    """The session of a seed."""
    chance = random.Random(seed)
    facts = _facts(turns, chance)
    told: dict[int, list[str]] = {}
    for fact in facts:
        told.setdefault(fact.turn, []).append(fact.text)
    rules = {1 + place * 4: rule for place, rule in enumerate(RULES)}
    made = []
    for number in range(turns):
        words = [*told.get(number, ())]
        made.append(_turn(number, chance, recorded, words, rules.get(number)))
    return Work(_system(), _tools(), made, rules, facts)


def _turn(
    number: int,
    chance: random.Random,
    recorded: Recorded,
    facts: list[str],
    rule: str | None,
) -> list[Step]:
    noun, verb = chance.choice(NOUNS), chance.choice(VERBS)
    asked = chance.choice(REQUESTS).format(noun=noun, verb=verb)
    said: dict[str, list[str]] = {"user": [], "assistant": [], "tool": []}
    for text in facts:
        said[chance.choice(tuple(said))].append(text)
    if rule is not None:
        said["user"].append(rule)
    steps = [Step("user", " ".join([asked[0].upper() + asked[1:], *said["user"]]))]
    for place in range(chance.randint(1, 3)):
        tool, output = chance.choice(recorded.outputs)
        remark = _about(chance.choice(recorded.remarks), noun, verb, number)
        call = f"call_{number}_{place}"
        steps.append(Step("assistant", f"{remark}\n\n{tool} {noun}_{number}.py", tool, call))
        steps.append(Step("tool", _about(output, noun, verb, number), tool, call))
    for place, text in enumerate(said["tool"]):
        call = f"note_{number}_{place}"
        steps.append(Step("assistant", f"What do the notes say?\n\nGrep {noun}", "Grep", call))
        found = [
            f"docs/notes.md:{number + 9}:{text}",
            f"docs/notes.md:{number + 31}:see {noun}.py",
        ]
        steps.append(Step("tool", "\n".join(found), "Grep", call))
    closing = _about(chance.choice(recorded.remarks), noun, verb, number)
    steps.append(Step("assistant", " ".join([closing, *said["assistant"]])))
    return steps


def _about(text: str, noun: str, verb: str, number: int) -> str:
    """A recorded text, told of another thing."""
    for old, new in (("order", noun), ("refund", f"{verb}_{noun}"), ("user", f"{noun}_{number}")):
        text = text.replace(old, new).replace(old.title(), new.title())
    return re.sub(r"\b\d\.\d\ds\b", f"{number % 7}.{number % 90 + 10}s", text)


def _facts(turns: int, chance: random.Random) -> list[Fact]:
    """Every service's ten facts, told at random turns, no two with the same answer."""
    makers = {
        "clock": [f"{hour:02}:{minute:02}" for hour in range(1, 5) for minute in range(1, 59, 7)],
        "host": [f"{bird}-{n}" for bird in ("grebe", "heron", "plover") for n in range(11, 31)],
        "number": [str(n) for n in range(131, 979, 17)],
        "person": list(PEOPLE),
        "test": [f"test_{a}_{b}" for a in VERBS for b in NOUNS[:6]],
        "flag": [f"ff_{a}_{b}" for a in VERBS for b in NOUNS[6:12]],
        "version": [f"{a}.{b}.{a + b}" for a in range(2, 9) for b in range(3, 9)],
    }
    for values in makers.values():
        chance.shuffle(values)
    facts = []
    for service in SERVICES:
        for text, question, kind in FACTS:
            answer = makers[kind].pop()
            facts.append(
                Fact(
                    chance.randrange(turns),
                    text.format(s=service, v=answer),
                    question.format(s=service),
                    answer,
                )
            )
    return facts


def _system() -> str:
    lines = [
        "You are a careful engineer who works in the repository orderdesk with the tools below.",
        "Read before you write, run the tests after each change, and say what you could not do.",
    ]
    lines += [
        f"Guideline {n}: prefer the smaller change, and name the file." for n in range(1, 30)
    ]
    return "\n".join(lines)


def _tools() -> str:
    return json.dumps(
        [
            {
                "name": name,
                "description": f"{name} a file or a command of the repository, within its root.",
                "input_schema": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "description": "relative to the root"},
                        "text": {"type": "string", "description": "what to write or to look for"},
                    },
                },
            }
            for name in ("Read", "Write", "Edit", "Grep", "Bash", "Glob")
        ],
        indent=1,
    )
