"""Whether a rule or a grant means one thing of a call: yes, no, or that it cannot be told.

What cannot be told counts for a prohibition, as a doubt that is asked about, and never for an allowance.
"""

import msgspec

from bottega.approvals import commands, paths, urls
from bottega.approvals.grant import Grant
from bottega.approvals.mode import Mode
from bottega.approvals.rule import Rule
from bottega.approvals.subject import Place, Rest, Run, Site, Subject, Thing


class Gate(msgspec.Struct, frozen=True):
    """What calls are judged by."""

    mode: Mode = "ask"
    rules: tuple[Rule, ...] = ()
    """The user's, in their order."""
    grants: tuple[Grant, ...] = ()
    """Given in this session."""
    trusted: bool = False
    """The sandbox's self-test has passed."""
    exposed: str = ""
    """Why allow mode is off in this workspace: code that runs outside of every sandbox could be changed from it."""
    masked: bool = False
    """The sandbox keeps commands from paths that a rule denies."""

    def holds(self, subject: Subject) -> bool:
        """Whatever programs this call runs, a sandbox is known to hold them."""
        if self.exposed and not subject.is_free:
            return False
        return not subject.runs or (subject.sandbox == "bubblewrap" and self.trusted)


def meets(rule: Rule, thing: Thing, subject: Subject, gate: Gate) -> bool | None:
    """Whether the rule means this thing of the call; None: it may."""
    if not rule.is_about(subject.tool):
        return False
    reaches = subject.touch.network or bool(subject.touch.url) or "network" in subject.effects
    if rule.network and not reaches:
        return False
    if rule.verdict == "allow":
        return _allows(rule, thing, subject, gate)
    return _forbids(rule, thing, subject, gate)


def _allows(rule: Rule, thing: Thing, subject: Subject, gate: Gate) -> bool:
    if subject.asks_network and not rule.network:
        return False
    if rule.command and isinstance(thing, Run) and commands.names(rule.command, thing.reading):
        return not subject.touch.shell
    pattern = rule.path or rule.command or rule.url
    if not pattern:
        return gate.holds(subject)
    kind = "path" if rule.path else "command" if rule.command else "url"
    return _covers(pattern, thing, subject, kind)


def _forbids(rule: Rule, thing: Thing, subject: Subject, gate: Gate) -> bool | None:
    if rule.path:
        return _forbids_path(rule, thing, subject, gate)
    if rule.command:
        return _forbids_command(rule, thing, subject)
    if rule.url:
        if isinstance(thing, Site):
            return urls.matched(rule.url, thing.url, loosely=True)
        unnamed = isinstance(thing, Rest) and ("network" in subject.effects or not subject.known)
        return None if unnamed or (isinstance(thing, Run) and subject.touch.network) else False
    return True


def _forbids_command(rule: Rule, thing: Thing, subject: Subject) -> bool | None:
    if not isinstance(thing, Run):
        return None if isinstance(thing, Rest) and not subject.known else False
    if thing.guessed:
        return None if commands.recalls(rule.command, thing.part) else False
    return commands.meets(rule.command, thing.part, thing.reading)


def _forbids_path(rule: Rule, thing: Thing, subject: Subject, gate: Gate) -> bool | None:
    if isinstance(thing, Place):
        if thing.written and thing.path == ".":
            return None  # all of the workspace, and so this too
        return paths.matched(rule.path, thing.path, loosely=True)
    if isinstance(thing, Site) or subject.is_free:
        return False
    if isinstance(thing, Run) or (subject.runs and subject.known):
        return False if gate.masked and subject.sandbox == "bubblewrap" else None
    files = not {"read", "write"}.isdisjoint(subject.effects)
    return None if files or not subject.known else False


def _covers(pattern: str, thing: Thing, subject: Subject, kind: str = "") -> bool:
    """Whether an allowance, of that kind if it has one, covers this thing."""
    if isinstance(thing, Place) and kind in ("", "path"):
        return paths.matched(pattern, thing.path)
    if isinstance(thing, Site) and kind in ("", "url"):
        return urls.matched(pattern, thing.url) is True
    if isinstance(thing, Run) and kind in ("", "command") and not subject.touch.shell:
        # In an open shell the same words may mean something else by now, or be read by another program.
        return commands.covers(pattern, thing.part, thing.reading)
    return False


def grants(grant: Grant, thing: Thing, subject: Subject, gate: Gate) -> bool:
    """Whether what was granted covers this thing of the call."""
    if grant.tool != subject.tool or (subject.asks_network and not grant.network):
        return False
    if not grant.pattern:
        return gate.holds(subject)
    try:
        return _covers(grant.pattern, thing, subject)
    except ValueError:  # a pattern of something else than what this call names
        return False
