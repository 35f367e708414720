"""What is judged: a call and what it would touch, and the things in it that are judged one by one.

Harm is told by effects: a tool that declares none, an unknown one, or a word not known here counts as harmful. The two
lists of names only add to that: what is always asked for, and what the house's own tools may do in every mode.
"""

from typing import Literal

import msgspec

from bottega.approvals.shell.read import Reading, read
from bottega.approvals.shell.tree import Part
from bottega.approvals.touch import NOTHING, Touch

SandboxKind = Literal["bubblewrap", "landlock", "none"]

HARMLESS = frozenset({"read", "state"})
ALWAYS_FREE = frozenset(
    {
        *("read_file", "get_project_info", "todo_read", "todo_write", "shell_close"),
        *("list_dir", "glob", "grep", "ask_user", "read_output", "recall"),
    }
)
NEVER_FREE = frozenset(
    {
        *("write_file", "patch_file", "multi_edit", "bash_exec", "shell_exec"),
        *("shell_open", "web_fetch"),
    }
)


class Subject(msgspec.Struct, frozen=True):
    """One call."""

    tool: str
    effects: frozenset[str]
    known: bool = True
    """One of the house's own tools."""
    touch: Touch = NOTHING
    sandbox: SandboxKind = "none"
    """Where its commands would run."""
    danger: str = ""
    """Why a person decides on this very call, whatever is allowed otherwise: what it writes would run outside."""
    reading: Reading | None = None
    """Of its command, where it was read before."""

    @property
    def is_free(self) -> bool:
        """It changes nothing and reaches nobody: every mode lets it run."""
        acts = bool(self.touch.command or self.touch.writes or self.touch.url or self.touch.network)
        if not self.known or acts or self.tool in NEVER_FREE:
            return False
        return self.tool in ALWAYS_FREE or bool(self.effects) and self.effects <= HARMLESS

    @property
    def runs(self) -> bool:
        """It runs programs, which only a sandbox holds."""
        return "execute" in self.effects or bool(self.touch.command)

    @property
    def asks_network(self) -> bool:
        """Its program would have the network."""
        return self.touch.network and self.runs


class Place(msgspec.Struct, frozen=True):
    """A path that is read or written."""

    path: str
    written: bool = False


class Site(msgspec.Struct, frozen=True):
    """An address that is fetched."""

    url: str


class Run(msgspec.Struct, frozen=True):
    """A simple command in what a shell would be given."""

    part: Part
    """Empty: nothing in it is a command, or none can be told."""
    reading: Reading
    guessed: bool = False
    """It only might be a command."""

    @property
    def only_moves(self) -> bool:
        """It is the `cd` with which the whole command goes to its folder."""
        return bool(self.reading.moves) and self.part == self.reading.parts[0]


class Rest(msgspec.Struct, frozen=True):
    """What the call may do that it names nothing of."""


Thing = Place | Site | Run | Rest


def things(subject: Subject) -> list[Thing]:
    """All that is to be judged of a call; its verdict is that of the worst."""
    touch = subject.touch
    found: list[Thing] = [Place(path, True) for path in dict.fromkeys(touch.writes)]
    found += [Place(path) for path in dict.fromkeys(touch.reads)]
    found += [Site(touch.url)] if touch.url else []
    if touch.command:
        reading = subject.reading or read(touch.command)
        found += [Run(part, reading) for part in reading.parts] or [Run((), reading)]
        found += [Run(part, reading, True) for part in reading.guesses]
    return found if found and not _says_too_little(subject) else [*found, Rest()]


def _says_too_little(subject: Subject) -> bool:
    """It may do more than it names."""
    touch = subject.touch
    if subject.is_free or (subject.known and touch.command):
        return False
    unnamed = {
        "write": not touch.writes,
        "execute": not touch.command,
        "network": not touch.url,
    }
    return not subject.known or any(unnamed.get(e, e not in HARMLESS) for e in subject.effects)
