"""Who may run a session: one worker at a time, and what it writes carries the number of its turn.

A lease is free when it was released, when its holder's process is dead (its life lock can be had: known at once), or
when a contender has seen its beat stand still for 15 s on the contender's own clock. Taking it raises `generation`;
appends of an older generation are refused, so a worker that only slept cannot write over its successor.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Container

import msgspec

from bottega.errors import NewerSchema, NotFound, StorageFailed
from bottega.failpoint import failpoint
from bottega.sessions import asks
from bottega.sessions.session import VERSION, top_of
from bottega.storage.database import Database
from bottega.storage.home import Home, is_dead

_log = logging.getLogger(__name__)

STALE = 15.0
"""Seconds without a beat after which a holder that still has its life lock counts as stuck."""
BEAT = 5.0
"""Seconds between two beats."""


class Lease(msgspec.Struct, frozen=True):
    n: int
    worker: str
    generation: int
    seq: int
    """How many events owners have appended: the next append must find this number."""
    takeovers: int
    """How often in a row a dead holder left an exchange unfinished."""
    parked: bool = False
    """The exchange that is unfinished waited for an answer, which has come."""
    handed: bool = False
    """The exchange that is unfinished was handed over: nothing died, its worker let go of it."""


class Contender:
    """A worker's view of the leases that others hold."""

    def __init__(
        self,
        home: Home,
        worker: str,
        in_use: Container[int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self.worker = worker
        self._in_use = in_use
        """The sessions that this worker itself runs; None: all whose lease it holds."""
        self._clock = clock
        self._seen: dict[int, tuple[int, int, float]] = {}

    def take(
        self, connection: sqlite3.Connection, n: int, *, adopted: bool = False
    ) -> Lease | None:
        """Inside a transaction: take the lease if it is free; None while somebody holds it.

        What waits for an answer is nobody's to take, unless its parent, which goes on, has `adopted` it.
        """
        row = connection.execute(
            "SELECT holder, generation, beat, owner_seq, takeovers, needs, status FROM sessions"
            " WHERE n = ?",
            (n,),
        ).fetchone()
        if row is None:
            raise NotFound("This session was deleted.", hint="Begin another one.")
        holder, generation, beat, seq, takeovers, needs, status = row
        if needs > VERSION:
            raise NewerSchema(
                "This session was run by a newer Bottega; this one can show it, but not go on with it.",
                hint="Use the newer one.",
            )
        if holder is not None and not self.is_free(n, holder, generation, beat):
            return None
        unfinished = connection.execute(
            "SELECT 1 FROM inbox WHERE session = ? AND status = 'running'", (n,)
        ).fetchone()
        parked = bool(unfinished) and holder is None and (adopted or status == "waiting")
        waits = status == "waiting" and not adopted
        if waits and asks.waits(connection, top_of(connection, n)):
            return None
        failpoint("lease.before_take")
        if not unfinished or parked:  # a person has looked at it since
            takeovers = 0
        elif holder is not None:  # one that waits for a person has let go: that is no crash
            takeovers += 1
        connection.execute(
            "UPDATE sessions SET holder = ?, generation = generation + 1, beat = beat + 1,"
            " takeovers = ?, status = CASE status WHEN 'waiting' THEN 'running' ELSE status END"
            " WHERE n = ?",
            (self.worker, takeovers, n),
        )
        handed = bool(unfinished) and holder is None and not parked
        return Lease(n, self.worker, generation + 1, seq, takeovers, parked, handed)

    def is_free(self, n: int, holder: str, generation: int, beat: int) -> bool:
        """Whether a lease that somebody has, by what its row says, could be taken now."""
        if holder == self.worker:
            # One that was taken for a caller who went away before it could be used is free.
            return self._in_use is not None and n not in self._in_use
        if is_dead(self._home, holder):
            return True
        seen = self._seen.get(n)
        if seen is None or seen[:2] != (generation, beat):
            self._seen[n] = (generation, beat, self._clock())
            return False
        return self._clock() - seen[2] >= STALE


def beat(connection: sqlite3.Connection, lease: Lease) -> bool:
    """Say that the holder is alive; False if the lease is no longer its."""
    changed = connection.execute(
        "UPDATE sessions SET beat = beat + 1 WHERE n = ? AND generation = ? AND holder = ?",
        (lease.n, lease.generation, lease.worker),
    )
    return changed.rowcount == 1


async def beating(database: Database, lease: Lease, every: float = BEAT) -> None:
    """Beat until this is cancelled; where one cannot be stored, the next one may."""
    while True:
        await asyncio.sleep(every)
        try:
            await database.write(lambda connection: beat(connection, lease))
        except StorageFailed as problem:
            _log.warning("a beat could not be stored: %s", problem)


def release(connection: sqlite3.Connection, lease: Lease) -> bool:
    """Let go, unless a prompt waits: False then, and the holder goes on."""
    waits = connection.execute(
        "SELECT 1 FROM inbox WHERE session = ? AND status IN ('queued', 'running')", (lease.n,)
    ).fetchone()
    if waits:
        return False
    let_go(connection, lease)
    return True


def park(connection: sqlite3.Connection, lease: Lease, asked_in: int = 0) -> bool:
    """Let go while an answer is waited for; False if it has come meanwhile, and the holder goes on.

    `asked_in` is the session at the top, where a child asks; 0: this one.
    """
    if not asks.waits(connection, asked_in or lease.n):
        return False
    connection.execute(
        "UPDATE sessions SET status = 'waiting' WHERE n = ? AND generation = ? AND holder = ?",
        (lease.n, lease.generation, lease.worker),
    )
    let_go(connection, lease)
    return True


def let_go(connection: sqlite3.Connection, lease: Lease) -> None:
    """Let go whatever waits: whoever comes next goes on from the log."""
    failpoint("lease.before_release")
    connection.execute(
        "UPDATE sessions SET holder = NULL WHERE n = ? AND generation = ? AND holder = ?",
        (lease.n, lease.generation, lease.worker),
    )


class Held(msgspec.Struct, frozen=True):
    """A session that a worker holds, and the exchange that runs in it; empty: none does."""

    n: int
    id: str
    message_id: str


def held_by(connection: sqlite3.Connection, worker: str) -> list[Held]:
    """What that worker holds, dead or alive."""
    rows = connection.execute(
        "SELECT s.n, s.id, COALESCE(i.message_id, '') FROM sessions s LEFT JOIN inbox i"
        " ON i.session = s.n AND i.status = 'running' WHERE s.holder = ? ORDER BY s.n",
        (worker,),
    ).fetchall()
    return [Held(*row) for row in rows]


def holder(connection: sqlite3.Connection, n: int) -> str | None:
    """The worker that holds that session, dead or alive."""
    row = connection.execute("SELECT holder FROM sessions WHERE n = ?", (n,)).fetchone()
    return row[0] if row else None


def holders(connection: sqlite3.Connection) -> dict[str, int]:
    """How many sessions each worker holds."""
    return dict(
        connection.execute(
            "SELECT holder, COUNT(*) FROM sessions WHERE holder IS NOT NULL GROUP BY holder"
        ).fetchall()
    )


def stir(connection: sqlite3.Connection, worker: str) -> None:
    """Have every process look at a dead holder's leases: they are free, and it cannot say so.

    By a beat that means nothing: SQLite makes no commit of an update after which all is as it was.
    """
    connection.execute("UPDATE sessions SET beat = beat + 1 WHERE holder = ?", (worker,))
