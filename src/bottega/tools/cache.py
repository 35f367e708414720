"""Remembers what calls that only read files have given, for as long as those files stay the same (A45).

A file's version is what the system notes of it, which every write changes: its identity, size, and times of change. The
clock of a file system may be coarse: a file that changed only just now is not remembered, as another write within the
same tick would not show. Only files count: of a folder no such version can be had without reading all of it.
"""

import os
import stat
import time
from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Any, cast

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import Problem
from bottega.tools.bound import weight
from bottega.tools.context import Context
from bottega.tools.tool import Arguments, Outcome, Tool
from bottega.workspaces.confine import Root

ROOM = 32 * 1024 * 1024
"""Characters of all results together."""
SETTLED = 2_000_000_000
"""Nanoseconds for which a file must have been left alone before it is remembered."""

Version = tuple[int, ...]


class _Entry(msgspec.Struct, frozen=True):
    outcome: Outcome
    versions: tuple[Version, ...]
    saw: tuple[tuple[str, str], ...]
    paths: frozenset[tuple[str, str]]
    size: int


class Cache:
    """Of one process; sessions and threads share it."""

    def __init__(self, room: int = ROOM, settled: int = SETTLED) -> None:
        self._room = room
        self._settled = settled
        self._left = room
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._lock = Lock()

    async def run(self, tool: Tool, arguments: Arguments, context: Context) -> Outcome:
        """What the tool gives: remembered if nothing that it read has changed since, else by running it."""
        assert tool.run is not None
        began = time.time_ns()
        reads = _reads(tool, arguments, context)
        before = _versions(context.root, reads)
        if not reads or before is None:
            return await tool.run(arguments, context)
        key = _key(tool, arguments, context)
        found = self._find(key, before)
        if found is not None:
            for path, digest in found.saw:
                context.saw(path, digest)
            return found.outcome
        watched = _Watched(context)
        outcome = await tool.run(arguments, cast("Context", watched))
        if (
            outcome.status == "success"
            and _rested(before, began - self._settled)
            and _versions(context.root, reads) == before
        ):
            paths = frozenset((context.root.path, path) for path in reads)
            self._keep(key, _Entry(outcome, before, tuple(watched.seen_now), paths, _size(outcome)))
        return outcome

    def drop(self, root: str, paths: Iterable[str] | None = None) -> None:
        """Forget what was read of these canonical paths, or of all in that workspace: they were written."""
        gone = None if paths is None else {(root, path) for path in paths}
        with self._lock:
            for key, entry in list(self._entries.items()):
                if any(at[0] == root if gone is None else at in gone for at in entry.paths):
                    self._forget(key)

    def __len__(self) -> int:
        return len(self._entries)

    def _find(self, key: bytes, versions: tuple[Version, ...]) -> _Entry | None:
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            if found.versions != versions:
                self._forget(key)
                return None
            self._entries.move_to_end(key)
            return found

    def _keep(self, key: bytes, entry: _Entry) -> None:
        if entry.size > self._room:
            return
        with self._lock:
            self._forget(key)
            self._entries[key] = entry
            self._left -= entry.size
            while self._left < 0:
                self._forget(next(iter(self._entries)))

    def _forget(self, key: bytes) -> None:
        entry = self._entries.pop(key, None)
        self._left += entry.size if entry else 0


class _Watched:
    """A context that also notes what the model has seen: a remembered call must say it again."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.seen_now: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def saw(self, path: str, digest: str) -> None:
        self.seen_now.append((path, digest))
        self._context.saw(path, digest)


def _reads(tool: Tool, arguments: Arguments, context: Context) -> tuple[str, ...]:
    """The files that a call would read; none where it might do anything else."""
    if not tool.effects <= {"read"} or tool.touch is None:
        return ()
    try:
        touched = tool.touch(arguments, context.root)
    except (Problem, OSError):
        return ()
    judged = context.judged
    if judged is not None and not set(touched.reads) <= set(judged.reads):
        return ()  # a link leads elsewhere by now: the tool itself says so
    return touched.reads if touched == Touch(reads=touched.reads) else ()


def _versions(root: Root, paths: tuple[str, ...]) -> tuple[Version, ...] | None:
    """One for each; None where one of them is no file, or not there."""
    try:
        found = [root.stat(path, follow=False) for path in paths]
    except (Problem, OSError):
        return None
    if not all(stat.S_ISREG(each.st_mode) for each in found):
        return None
    return tuple(map(_version, found))


def _version(found: os.stat_result) -> Version:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _rested(versions: tuple[Version, ...], until: int) -> bool:
    """Whether the files were left alone since then: no write can hide behind the tick of an earlier one."""
    return all(max(version[-2:]) <= until for version in versions)


def _size(outcome: Outcome) -> int:
    return weight(outcome.result) + sum(len(each.data) for each in outcome.media)


def _key(tool: Tool, arguments: Arguments, context: Context) -> bytes:
    asked = [tool.name, context.root.path, arguments, dict(context.settings)]
    try:
        return msgspec.json.encode(asked, order="sorted")
    except UnicodeEncodeError:  # a path may be no valid text
        import json

        return json.dumps(asked, sort_keys=True).encode()
