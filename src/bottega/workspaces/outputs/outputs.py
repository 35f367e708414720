"""The outputs of one session, or of the shells of one studio: each a folder with one spool a stream.

Whoever writes an output holds a lock on its folder: it is free once nothing more comes, even after a crash.
What was shown whole is not kept; of the rest the oldest goes when there is too much.
"""

import fcntl
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from bottega.errors import NotFound
from bottega.ids import fresh
from bottega.workspaces.outputs.source import Source
from bottega.workspaces.outputs.spool import CAP, MIB, Spool

ROOM = 512 * MIB
"""Bytes of all outputs in one folder together."""

Extend = Callable[[int], None]
"""Is told before an output grows by so many bytes; what it raises, an `OSError`, ends the keeping."""
Elsewhere = Callable[[str], Source | None]
"""Where an id leads that is none of the folder's own: a kept result, an output of another session of the project."""


class Output:
    """One that is being written; until something comes, it is nowhere."""

    def __init__(self, folder: Path, head: int, tail: int, extend: Extend | None = None) -> None:
        self.id = folder.name
        self._extend = extend
        self.folder = folder
        self._limits = head, tail
        self._spools: dict[str, Spool] = {}
        self._lock = -1
        self._beginning = Lock()
        """Each stream is written in a thread of its own, and either may be the first."""

    def spool(self, stream: str) -> Spool:
        if stream not in self._spools:
            self._spools[stream] = Spool(self.folder / stream, *self._limits, self._begin)
        return self._spools[stream]

    def _begin(self, size: int) -> None:
        if self._extend:
            self._extend(size)
        with self._beginning:
            if self._lock < 0:
                self.folder.mkdir(parents=True, mode=0o700)
                self._lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                fcntl.flock(self._lock, fcntl.LOCK_EX)

    @property
    def dropped(self) -> int:
        return sum(each.dropped for each in self._spools.values())

    @property
    def failed(self) -> str:
        return next((each.failed for each in self._spools.values() if each.failed), "")

    def close(self, *, keep: bool) -> None:
        """Nothing more comes. May be called again."""
        for each in self._spools.values():
            each.close()
        if self._lock >= 0:
            if not keep:
                shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1

    def drop(self) -> None:
        """Keep nothing of it any more, once it is closed."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Outputs:
    """Every method but `create` may wait for the disk."""

    def __init__(
        self,
        folder: Path,
        *,
        elsewhere: Elsewhere | None = None,
        head: int = CAP // 2,
        tail: int = CAP // 2,
        room: int = ROOM,
        extend: Extend | None = None,
    ) -> None:
        self._extend = extend
        self.folder = folder
        self._elsewhere = elsewhere
        self._limits = head, tail
        self._room = room

    def create(self, prefix: str = "out") -> Output:
        return Output(self.folder / fresh(prefix), *self._limits, self._extend)

    def find(self, output_id: str, stream: str = "") -> Source:
        """What was kept under that id, of that stream or the first that there is; raises `NotFound`."""
        if output_id in self.names():
            return Source(self._stream(output_id, stream))
        source = self._elsewhere(output_id) if self._elsewhere else None
        if source is None:
            raise NotFound(
                f"There is no output called {output_id!r}; the oldest are dropped where many are kept.",
                hint=self._there(),
            )
        return source

    def running(self, output_id: str) -> bool:
        """Whether somebody still writes to it."""
        try:
            lock = os.open(self.folder / output_id, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def names(self) -> list[str]:
        """The ids of all outputs here, oldest first."""
        try:
            return sorted(each.name for each in self.folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []

    def prune(self) -> None:
        """Drop the oldest that are complete, until there is room."""
        sizes = {name: size_of(self.folder / name) for name in self.names()}
        left = sum(sizes.values())
        for name, size in list(sizes.items())[:-1]:
            if left <= self._room:
                return
            if not self.running(name):
                shutil.rmtree(self.folder / name, ignore_errors=True)
                left -= size

    def _stream(self, output_id: str, stream: str) -> Path:
        folder = self.folder / output_id
        there = sorted(each.name for each in folder.iterdir())
        if stream and stream not in ("stdout", *there):
            raise NotFound(
                f"The output {output_id!r} has no {stream}.",
                hint=f"It has {' and '.join(there) or 'nothing yet'}.",
            )
        chosen = stream or ("stdout" if "stdout" in there or not there else there[0])
        return folder / chosen

    def _there(self) -> str:
        names = self.names()
        running = [name for name in names if self.running(name)]
        shown = [
            *(f"{name} (still running)" for name in running),
            *reversed([name for name in names if name not in running]),
        ]
        return f"There are: {', '.join(shown[:20])}." if shown else "None is kept here."


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    total = 0
    for at, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += os.lstat(os.path.join(at, name)).st_size
    return total
