"""What the home keeps for each person: outputs of commands, blobs, and logs. Each has a bound, and the disk a reserve.

Of outputs the person's oldest make room for new ones; logs, and the blobs that they name, are never dropped for that:
what would be too much is refused. Sizes are read from the disk, off the event loop, and remembered for a while.
"""

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock

import msgspec

from bottega.errors import Problem
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.disk import MIB, Disk, DiskNearlyFull
from bottega.workspaces.outputs.outputs import Outputs, size_of

FRESH = 5.0
"""Seconds for which what was counted is remembered, at least; else twenty times as long as counting took."""
FAR = 12
"""So many times as long, where less than half is kept of what may be."""
AGAIN = 0.5
"""Seconds for which nothing is counted anew for a person for whom no room could be made."""


class TooMuchKept(Problem):
    """As much is kept for this person as one may have."""

    code = "too_much_kept"


class _Counted:
    """What is kept for one person, as it was last counted, and what came since: never less than there is."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.until = 0.0
        self.refused = -AGAIN
        """When no room could be made."""
        self.size = 0


class Keeping:
    def __init__(self, database: Database, most: Callable[[], int], disk: Disk) -> None:
        """`most` is how many bytes are kept for one person."""
        self._database = database
        self._most = most
        self.disk = disk
        self._counted: dict[int, _Counted] = {}

    def admit(self, person: int, size: int) -> None:
        """Before a blob of that size is kept; raises where it would be too much. Waits for the disk."""
        self.disk.refuse_when_full(size)
        if not self._has_room(person, size):
            raise TooMuchKept(self._why(), hint=_NEXT)

    def extend(self, person: int, size: int) -> None:
        """Before an output grows by that size; raises an `OSError`, which ends its keeping. Waits for the disk."""
        try:
            self.disk.refuse_when_full(size)
        except DiskNearlyFull as problem:
            raise OSError(errno.ENOSPC, problem.message.rstrip(".")) from problem
        if not self._has_room(person, size):
            raise OSError(errno.EDQUOT, f"{self._why()} {_NEXT}".rstrip("."))

    def _why(self) -> str:
        most = self._most() // MIB
        return f"{most} MB of logs, outputs and attachments are kept for one person, and no more."

    def _has_room(self, person: int, size: int) -> bool:
        """Count so much more, once there is room for it."""
        counted = self._counted.setdefault(person, _Counted())
        with counted.lock:
            now = time.monotonic()
            if counted.until < now:
                self._count(person, counted)
            if counted.size + size > self._most() and counted.refused + AGAIN < now:
                self._count(person, counted)
                self._drop_oldest(person, counted, size)
                counted.refused = now
            if counted.size + size > self._most():
                return False
            counted.refused = -AGAIN
            counted.size += size
            return True

    def _count(self, person: int, counted: _Counted) -> None:
        began = time.monotonic()
        outputs = sum(map(size_of, self._folders(person)))
        taken_away = size_of(self._database.home.quarantine / f"person-{person}")
        counted.size = self._blobs(person) + self._logs(person) + outputs + taken_away
        ended = time.monotonic()
        times = FAR if counted.size < self._most() // 2 else 1
        counted.until = ended + times * max(FRESH, 20 * (ended - began))

    def _drop_oldest(self, person: int, counted: _Counted, wanted: int) -> None:
        """Drop complete outputs, whichever session they are of, until there is room."""
        found = [(name, folder) for folder in self._folders(person) for name in _names(folder)]
        for name, folder in sorted(found):
            if counted.size + wanted <= self._most():
                return
            if not Outputs(folder).running(name):
                counted.size -= size_of(folder / name)
                shutil.rmtree(folder / name, ignore_errors=True)

    def _folders(self, person: int) -> list[Path]:
        """Where outputs of the person's sessions are."""
        place = self._database.home.outputs
        there = _names(place)
        named = msgspec.json.encode(there).decode()
        rows = self._database.read_now(lambda c: c.execute(_OWN, (named, person)).fetchall())
        return [place / session_id for (session_id,) in rows]

    def _blobs(self, person: int) -> int:
        rows = self._database.read_now(lambda c: c.execute(_BLOBS, (person,)).fetchall())
        return sum(_size(self._database.home.blobs / name) for (name,) in rows)

    def _logs(self, person: int) -> int:
        """All words: in the log, in prompts that wait or ran, and in the tools that clients declared."""
        return sum(
            self._database.read_now(
                lambda c, query=query: c.execute(query, (person,)).fetchone()[0]
            )
            for query in (_LOGS, _PROMPTS, _TOOLS)
        )


class PersonsBlobs(Blobs):
    """The blobs, as they are kept for one person."""

    def __init__(self, folder: Path, keeping: Keeping, person: int) -> None:
        super().__init__(folder)
        self._keeping = keeping
        self._person = person

    def keep_all(self, contents: Iterable[bytes]) -> list[str]:
        whole = list(contents)
        if whole:
            self._keeping.admit(self._person, sum(map(len, whole)))
        return super().keep_all(whole)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


_NEXT = "Delete sessions that you no longer need; the owner sets `person_storage_mb`."
_OWN = "SELECT s.id FROM json_each(?) j JOIN sessions s ON s.id = j.value WHERE s.owner = ?"
_BLOBS = (
    "SELECT DISTINCT a.blob FROM sessions s INDEXED BY sessions_by_owner"
    " JOIN attachments a ON a.session = s.n WHERE s.owner = ?"
)
_LOGS = (
    "SELECT COALESCE(SUM(length(e.body)), 0) FROM sessions s INDEXED BY sessions_by_owner"
    " JOIN events e ON e.session = s.n WHERE s.owner = ?"
)
_PROMPTS = (
    "SELECT COALESCE(SUM(length(i.body)), 0) FROM sessions s INDEXED BY sessions_by_owner"
    " JOIN inbox i ON i.session = s.n WHERE s.owner = ?"
)
_TOOLS = (
    "SELECT COALESCE(SUM(length(t.spec)), 0) FROM sessions s INDEXED BY sessions_by_owner"
    " JOIN client_tools t ON t.session = s.n WHERE s.owner = ?"
)
