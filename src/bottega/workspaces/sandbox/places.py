"""How many sandboxes one person may have open, in all processes of a home together.

Each open sandbox holds a lock on one of the person's numbered files, which the kernel drops when its process ends.
"""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from bottega.errors import Refused
from bottega.workspaces.sandbox.bounds import GIB, machine

MOST = 64


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What all sandboxes of one person may use together."""

    sandboxes: int = MOST
    memory: int = 0
    """Bytes; 0: three quarters of the machine's. Held where there are control groups."""
    processes: int = 2048
    reserve: int = 0
    """Bytes of the home's disk that stay free, whatever is to be kept of what sandboxes did."""

    @property
    def bytes(self) -> int:
        return self.memory or max(GIB, machine() * 3 // 4)


class Places:
    def __init__(self, folder: Path, allowance: Callable[[], Allowance] = Allowance) -> None:
        """`folder` is in the home; `allowance` says what one person has now."""
        self._folder = folder
        self.allowance = allowance

    def take(self, person: int) -> "Place":
        """A place of that person's, until it is left; raises where all are taken. Waits for the disk."""
        most = self.allowance().sandboxes
        folder = self._folder / f"person-{person}"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(most):
            lock = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            return Place(lock)
        raise Refused(
            f"{most} sandboxes are open for one person already: each run with commands, each shell"
            " and each MCP server has one.",
            hint="Close shells, or wait until a run has ended; the owner sets `person_sandboxes`.",
        )


class Place:
    def __init__(self, lock: int) -> None:
        self._lock = lock

    def leave(self) -> None:
        """May be called again."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            with suppress(OSError):
                os.close(lock)
