"""A session's work on files, folded from its facts: for each path what was there first and what it left last.

What was about to be written counts once its call has succeeded; what a command was found to have changed counts however
the command ended.
"""

from collections.abc import Iterable, Iterator
from heapq import merge
from operator import itemgetter
from typing import Literal

import msgspec

from bottega.errors import Problem
from bottega.events.event import Event
from bottega.events.facts import FileChange, RemoteStarted, ToolIntent, ToolResultFact
from bottega.workspaces.changes.kept import Read

Kind = Literal["added", "modified", "deleted"]


class Work(msgspec.Struct, frozen=True):
    """One file, from before the session to after it. Both sides are blobs of the session; empty: no file."""

    path: str
    before: str
    after: str
    mode: int = 0
    """Permission bits of a file that went; 0: as usual."""
    mixed: bool = False
    """Somebody else changed the file between two changes of the session."""
    imported: bool = False
    """An imported log tells of it: it was done in another folder, and is never undone in this one."""

    @property
    def kind(self) -> Kind:
        if not self.before:
            return "added"
        return "modified" if self.after else "deleted"


def work(*logs: Iterable[Event], imported: Iterable[Event] = ()) -> tuple[Work, ...]:
    """Every file that is now other than before the session and its children, whose logs these are, by its path.

    Files of which only the `imported` part of a log tells are among them, marked as such; what was done here is told,
    and undone, as if there were no such part.
    """
    theirs = (msgspec.structs.replace(each, imported=True) for each in _folded(imported))
    found = {each.path: each for each in (*theirs, *_folded(*logs))}
    return tuple(each for _, each in sorted(found.items()))


def _folded(*logs: Iterable[Event]) -> list[Work]:
    found: dict[str, Work] = {}
    for _, write in merge(*map(_writes, logs), key=itemgetter(0)):
        first = found.get(write.path)
        # Where the file was brought back to what it was at first, the work on it begins anew.
        if first is None or write.before == first.before:
            found[write.path] = Work(write.path, write.before, write.after, write.mode)
        else:
            found[write.path] = msgspec.structs.replace(
                first,
                after=write.after,
                mode=write.mode or first.mode,
                mixed=first.mixed or first.after != write.before,
            )
    return [each for each in found.values() if each.before != each.after]


def held(events: Iterable[Event], path: str, read: Read) -> bytes | None:
    """The newest content of a file that the log still holds; None: nothing, or the session itself removed it."""
    for name in reversed(list(_contents(events, path))):
        if not name:
            return None
        try:
            return read(name)
        except Problem:  # seen, and not kept
            continue
    return None


def _contents(events: Iterable[Event], path: str) -> Iterator[str]:
    """What the file was, each time that the log tells of it: by sha256, empty where it went."""
    open_intents: dict[str, tuple[FileChange, ...]] = {}
    for event in _here(events):
        for write in _done(event, open_intents):
            if write.path == path:
                # What was there before is known too, and is all there is of a file that others removed later.
                yield from (write.before, write.after) if write.before else (write.after,)
        if isinstance(event.data, ToolResultFact):
            yield from (seen.hash for seen in event.data.seen if seen.path == path)


def _writes(events: Iterable[Event]) -> Iterator[tuple[int, FileChange]]:
    """Each write, with when it was done."""
    open_intents: dict[str, tuple[FileChange, ...]] = {}
    for event in _here(events):
        for write in _done(event, open_intents):
            yield event.at, write


def _here(events: Iterable[Event]) -> Iterator[Event]:
    """All but what another Bottega did: its files are not here."""
    elsewhere: set[str] = set()
    for event in events:
        if isinstance(event.data, RemoteStarted):
            elsewhere.add(event.message_id)
        if event.message_id not in elsewhere:
            yield event


def _done(event: Event, intents: dict[str, tuple[FileChange, ...]]) -> Iterator[FileChange]:
    """The writes that this fact completes; `intents` holds what was meant and has no result yet."""
    what = event.data
    if isinstance(what, ToolIntent):
        intents[what.tool_id] = what.writes
    elif isinstance(what, ToolResultFact):
        meant = intents.pop(what.tool_id, ())
        if not what.is_error:
            yield from meant
        yield from what.writes
