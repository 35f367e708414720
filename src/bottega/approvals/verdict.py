"""May it? A call and the gate go in, a verdict comes out: allow, ask, deny, or blocked by plan mode.

A call is judged by its worst part. A rule's denial beats every mode and grant; plan mode beats what rules allow; what a
person granted beats what they are asked for, if it is at least as precise as the rule that asks. What would run outside
of every sandbox is asked about each time: no mode, rule or grant allows it.
"""

from typing import Literal

import msgspec

from bottega.approvals import matching
from bottega.approvals.grant import Grant
from bottega.approvals.matching import Gate
from bottega.approvals.offers import candidates
from bottega.approvals.rule import Rule
from bottega.approvals.shown import MOST_SHOWN
from bottega.approvals.subject import Run, Subject, Thing, things

Decision = Literal["allow", "ask", "deny", "blocked"]

BLOCKED = "Tool blocked in plan mode"


class Verdict(msgspec.Struct, frozen=True):
    decision: Decision
    reason: str
    """A sentence that is shown."""
    offers: tuple[Grant, ...] = ()
    """Of an ask: each of these, granted for the session, would let this call and its like run."""


class _Word(msgspec.Struct, frozen=True):
    """What is said of one thing of a call."""

    decision: Decision
    reason: str
    narrow: bool = False
    """Of an ask: only a grant with a pattern answers it."""


def judge(subject: Subject, gate: Gate) -> Verdict:
    """Whether this call may run now."""
    found = things(subject)
    words = [_judged(thing, subject, gate) for thing in found]
    if denial := _first(words, "deny"):
        return Verdict("deny", denial.reason)
    if gate.mode == "plan" and not subject.is_free:
        return Verdict("blocked", f"{BLOCKED}: {subject.tool} {_does(subject)}.")
    if subject.danger:
        return Verdict("ask", subject.danger)
    if not (question := _first(words, "ask")):
        return Verdict("allow", words[0].reason)
    if (length := len(subject.touch.command)) > MOST_SHOWN:
        return Verdict(
            "deny",
            f"The command is {length:,} characters long, too long to be shown whole and asked about"
            f" (at most {MOST_SHOWN:,}). Put it into a file and run that.",
        )
    asked = [each for each in zip(found, words, strict=True) if each[1].decision == "ask"]
    offers = tuple(
        grant
        for grant in candidates(subject, [thing for thing, _ in asked])
        if all(_lifts(grant, word, thing, subject, gate) for thing, word in asked)
    )
    return Verdict("ask", question.reason + _unsafe(subject, question.reason), offers)


def _first(words: list[_Word], decision: Decision) -> _Word | None:
    return next((word for word in words if word.decision == decision), None)


def _judged(thing: Thing, subject: Subject, gate: Gate) -> _Word:
    word = _by_rules(thing, subject, gate) or _by_mode(subject, gate)
    if word.decision != "ask":
        return word
    grants = gate.grants
    if isinstance(thing, Run) and not thing.reading.clear:  # no pattern covers it
        grants = tuple(grant for grant in grants if not grant.pattern)
    granted = next((g for g in grants if _lifts(g, word, thing, subject, gate)), None)
    return word if granted is None else _Word("allow", f"granted: {granted}")


def _by_rules(thing: Thing, subject: Subject, gate: Gate) -> _Word | None:
    """The last rule that means this thing; one that may mean it makes an allowance, or silence, a question."""
    found: Rule | None = None
    doubted: Rule | None = None
    for rule in gate.rules:
        met = matching.meets(rule, thing, subject, gate)
        if met:
            found, doubted = rule, None
        elif met is None and not (found and found.is_narrow and found.verdict == "allow"):
            doubted = rule
    if found and (doubted is None or found.verdict != "allow"):
        return _Word(found.verdict, f"rule: {found}{_unread(found, thing)}", found.is_narrow)
    if doubted:
        return _Word("ask", f"it could be what a rule is about: {doubted}", True)
    return None


def _unread(rule: Rule, thing: Thing) -> str:
    """Why a rule may be met by no more than its words."""
    if rule.command and isinstance(thing, Run) and thing.reading.crowd:
        return " (it is mentioned in a command of too many parts; run fewer at once, or put them into a file)"
    return ""


def _by_mode(subject: Subject, gate: Gate) -> _Word:
    if subject.is_free:
        return _Word("allow", "it changes nothing")
    if gate.mode != "allow":
        return _Word("ask", f"{gate.mode} mode asks before {_kind(subject)}")
    if gate.holds(subject):
        return _Word("allow", "allow mode")
    if gate.exposed:
        return _Word("ask", f"allow mode is off here: {gate.exposed}")
    return _Word("ask", f"allow mode is off for commands: {_why_off(subject)}")


def _why_off(subject: Subject) -> str:
    if subject.sandbox == "none":
        return "not sandboxed"
    if subject.sandbox == "landlock":
        return "Landlock alone does not hold them"
    return "the sandbox has not passed its self-test"


def _lifts(grant: Grant, word: _Word, thing: Thing, subject: Subject, gate: Gate) -> bool:
    precise = bool(grant.pattern) or not word.narrow
    return precise and matching.grants(grant, thing, subject, gate)


def _unsafe(subject: Subject, reason: str) -> str:
    bare = subject.runs and subject.sandbox == "none" and "not sandboxed" not in reason
    return "; not sandboxed" if bare else ""


def _kind(subject: Subject) -> str:
    if not subject.known:
        return "tools that are not its own"
    if subject.asks_network:
        return "commands with network"
    if subject.runs:
        return "commands"
    if subject.touch.url or subject.touch.network or "network" in subject.effects:
        return "the network is used"
    return "files are written" if "write" in subject.effects else f"{subject.tool} is used"


def _does(subject: Subject) -> str:
    if not subject.known:
        return "is not one of the house's own tools"
    if subject.runs:
        return "would run a command"
    if subject.touch.url or subject.touch.network or "network" in subject.effects:
        return "would use the network"
    return "could change something"
