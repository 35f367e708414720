"""A worker that attends by itself: it finds what waits for a server's worker, and takes what it has a place for.

It looks when it begins, within 25 ms of any commit in the home, and every 5 s, as a holder that died commits nothing.
What it finds is rows of the inbox: no event is read. Of those that wait for a slot, whoever has the fewest sessions at
work comes first; of one person's sessions the one that was not taken for longest. `slots` says who may have one.
"""

import asyncio
import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Collection

import msgspec

from bottega.errors import NotFound, Problem
from bottega.sessions.log import POLL
from bottega.sessions.session import VERSION, Sessions
from bottega.storage.database import Database
from bottega.workers.slots import Counted, Slots
from bottega.workers.worker import Worker

_log = logging.getLogger(__name__)

EVERY = 5.0
"""Seconds between two looks where nobody commits anything."""
AGAIN = 0.5
"""Seconds before another look where one failed."""
CROWDED = 0.1
"""Seconds between two looks, at least, while something waits for a slot: each costs as much as there is to find."""
SHARE = 20
"""Times as long as a look took, at least, until the next one."""
NEAR = 0.1
"""Seconds for which a session's next prompt is left to whoever ran its last one: shells and what it knows are there."""
REMEMBERED = 4096
"""Sessions that were run here, as far as they are remembered."""


class _Found(msgspec.Struct, frozen=True):
    n: int
    owner: int
    holder: str | None
    generation: int
    beat: int
    begun: bool
    """An exchange of it was left in the middle."""
    since: int
    """When the oldest of its prompts was admitted."""


_FIND = """
SELECT s.n, s.owner, s.holder, s.generation, s.beat, MAX(i.status = 'running'), MIN(i.created_at)
FROM inbox i INDEXED BY inbox_open CROSS JOIN sessions s ON s.n = i.session
WHERE i.status IN ('queued', 'running') AND s.needs <= ?
  AND (i.admitted_by = 'server' OR (i.status = 'running' AND s.holder IS NULL))
  AND (s.status <> 'waiting' OR NOT EXISTS
    (SELECT 1 FROM asks WHERE session = s.n AND status = 'open' AND kind <> 'plan'))
  AND (s.parent IS NULL OR NOT EXISTS
    (SELECT 1 FROM inbox p WHERE p.session = s.parent AND p.status = 'running'))
GROUP BY s.n
"""
"""What a server admitted, and what nobody holds though it has begun: its answer came, or its process let go of it.

A child is its parent's to go on with, as long as that runs. CROSS keeps the order: from what is open to its session."""


class Sweep:
    def __init__(self, worker: Worker, database: Database, slots: Slots) -> None:
        """`slots` are for sessions, children aside."""
        self._worker = worker
        self._database = database
        self._sessions = Sessions(database)
        self._slots = slots
        self._task: asyncio.Task[None] | None = None
        self._rests: dict[int, float] = {}
        """Sessions in which this worker failed, and until when it leaves them alone."""
        self._ran: dict[int, int] = {}
        """Sessions that were taken here, and in which turn."""
        self._turn = 0
        self._left: dict[int, float] = {}
        """Sessions that others ran before, and since when they are left to them."""
        self._waiting = 0
        self._looks = True
        worker.crowded = lambda: self._waiting > 0

    def has_room(self, person: int) -> bool:
        """Whether something new of that person's may be taken right away, before anything that waits."""
        counted = self._counted()
        if self._waiting:
            return counted.is_assured(person)
        return counted.has_place(person)

    def _counted(self) -> Counted:
        return self._slots.count(self._worker.tops.values(), self._worker.at_work_for())

    @property
    def ran(self) -> Collection[int]:
        """The sessions that were taken here, as far as they are remembered."""
        return self._ran.keys()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Take nothing more; what runs goes on."""
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        seen, due, rests = -1, 0.0, 0.0
        while True:
            clock = time.monotonic()
            try:
                version = self._database.version()
                changed = version != seen and (not self._waiting or clock >= rests)
                if changed or self._looks or clock >= due:
                    seen, due, self._looks = version, clock + EVERY, False
                    self._look(clock)
                    took = time.monotonic() - clock
                    rests = clock + max(CROWDED, SHARE * took)
            except Problem as problem:
                _log.warning("what waits could not be looked for: %s", problem)
                self._looks = True
                await asyncio.sleep(AGAIN)
            await asyncio.sleep(POLL)

    def _look(self, clock: float) -> None:
        found = self._database.read_now(_find)
        self._rests = {n: until for n, until in self._rests.items() if until > clock}
        self._left = {each.n: self._left.get(each.n, clock) for each in found}
        free = [each for each in found if self._is_free(each, clock)]
        counted = self._counted()
        taken: list[_Found] = []
        for each in self._in_turn(free):
            if counted.has_place(each.owner):
                counted.take(each.owner)
                taken.append(each)
        self._waiting = len(free) - len(taken)
        for each in taken:
            self._take(each)

    def _is_free(self, each: _Found, clock: float) -> bool:
        if self._worker.at_work(each.n) or each.n in self._rests:
            return False
        elsewhere = each.holder is None and each.generation and each.n not in self._ran
        if elsewhere and not each.begun and clock - self._left[each.n] < NEAR:
            self._looks = True
            return False
        contender = self._worker.contender
        return each.holder is None or contender.is_free(
            each.n, each.holder, each.generation, each.beat
        )

    def _in_turn(self, found: list[_Found]) -> list[_Found]:
        """What has begun before what has not, then a session of each person in turn, the last one taken last."""
        at_work = Counter(self._worker.at_work_for())
        places: dict[int, int] = {}

        def age(each: _Found) -> tuple[bool, int, int]:
            return not each.begun, self._ran.get(each.n, 0), each.since

        for each in sorted(found, key=age):
            at_work[each.owner] += 1
            places[each.n] = at_work[each.owner]
        return sorted(found, key=lambda each: (not each.begun, places[each.n], age(each)))

    def _take(self, each: _Found) -> None:
        try:
            session = self._sessions.numbered(each.n)
        except NotFound:
            return  # deleted meanwhile
        self._ran.pop(each.n, None)
        self._turn += 1
        self._ran[each.n] = self._turn
        if len(self._ran) > REMEMBERED:
            del self._ran[next(iter(self._ran))]
        task = self._worker.attend(session)
        task.add_done_callback(lambda done: self._ended(each.n, done))

    def _ended(self, n: int, task: asyncio.Task[None]) -> None:
        self._looks = self._looks or self._waiting > 0  # there is a place again
        if not task.cancelled() and (error := task.exception()):
            self._rests[n] = time.monotonic() + EVERY
            _log.warning("session %d could not be run here: %s", n, type(error).__name__)


def _find(connection: sqlite3.Connection) -> list[_Found]:
    rows = connection.execute(_FIND, (VERSION,)).fetchall()
    return [
        _Found(n, owner, holder, generation, beat, bool(begun), since)
        for n, owner, holder, generation, beat, begun, since in rows
    ]
