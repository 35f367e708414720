"""The right to write a session's log while its lease lasts.

Nobody awaits a delta: `emit` leaves it for the writer's next group, where neighbouring deltas are merged into one.
`record` returns when what it wrote, and all before it, is durable. Once fenced, or when the disk failed, the pen writes
nothing more.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import msgspec

from bottega.errors import Conflict, Fenced, Problem, Refused, StorageFailed, TooMany
from bottega.events import facts
from bottega.events.codec import encode
from bottega.events.event import Carried, Event
from bottega.events.facts import DELTAS
from bottega.failpoint import failpoint
from bottega.sessions.feed import Row
from bottega.sessions.lease import Lease
from bottega.sessions.log import Log, store
from bottega.sessions.session import now
from bottega.storage.writer import Job

ROOM = 1024 * 1024
"""Characters that may wait to become durable before the stream has to wait."""

Also = Callable[[sqlite3.Connection], Any]

_UNHURRIED = DELTAS | {"message_start", "assistant_message"}
"""What needs no commit of its own, as something that is waited for always follows it."""

_CLAIM = (
    "UPDATE sessions SET last_index = last_index + ?1, owner_seq = owner_seq + ?1"
    " WHERE n = ?2 AND generation = ?3 AND owner_seq = ?4 RETURNING last_index"
)
"""For mere deltas: to keep the index over `updated_at` in order would cost as much as they do."""
_CLAIM_AND_TOUCH = _CLAIM.replace(" WHERE", ", updated_at = ?5 WHERE")


class _Batch:
    """What goes into the next group together."""

    __slots__ = ("also", "events", "job", "size", "waiters")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.also: Also | None = None
        self.waiters: list[asyncio.Future[None]] = []
        self.size = 0
        self.job: Job | None = None


class Pen:
    def __init__(self, log: Log, lease: Lease) -> None:
        self.lease = lease
        self._writer = log.database.writer
        self._feed = log.feed(lease.n)
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._seq = lease.seq
        self._batch: _Batch | None = None
        self._size = 0
        self._crowded: list[asyncio.Future[None]] = []
        self._stopped: Exception | None = None
        """What the writer's thread met; the event loop hears of it as `failure`, a little later."""
        self.failure: BaseException | None = None
        """Why this pen writes no more."""

    @property
    def seq(self) -> int:
        """How many events owners have appended, this one's durable ones included."""
        return self._seq

    def emit(self, event: Event, also: Also | None = None) -> None:
        """Append without waiting, with `also` in the same transaction."""
        self._add([event], also, None, urgent=event.type not in _UNHURRIED)

    async def record(self, *events: Event, also: Also | None = None) -> None:
        """Append, with `also` in the same transaction; return when all that was emitted so far is durable."""
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._add(events, also, waiter, urgent=True)
        await waiter

    @property
    def is_full(self) -> bool:
        """Too much of this session is not yet durable, or the pen writes no more."""
        return self._size > ROOM or self.failure is not None

    async def room(self) -> None:
        """Wait while too much of this session is not yet durable."""
        while self._size > ROOM and not self.failure:
            waiter: asyncio.Future[None] = self._loop.create_future()
            self._crowded.append(waiter)
            await waiter
        if self.failure:
            raise self.failure

    def _add(
        self,
        events: list[Event] | tuple[Event, ...],
        also: Also | None,
        waiter: asyncio.Future[None] | None,
        *,
        urgent: bool,
    ) -> None:
        if self.failure:
            raise self.failure
        size = sum(map(weight, events))
        self._size += size
        with self._lock:
            # What may be refused goes apart: a refusal must not take with it what others wrote.
            batch = None if also else self._batch
            fresh = batch is None
            if batch is None:
                batch = _Batch()
                self._batch = None if also else batch
            batch.events += events
            batch.size += size
            batch.also = also
            if waiter:
                batch.waiters.append(waiter)
        if fresh:
            work, done = partial(self._write, batch), partial(self._written, batch)
            batch.job = Job(work, done, self._loop, urgent=urgent, clean=True)
            self._writer.submit(batch.job)
        elif urgent and batch.job and not batch.job.urgent:
            self._writer.hurry(batch.job)

    def _write(self, batch: _Batch, connection: sqlite3.Connection) -> list[Row]:
        """In the writer's thread: store everything that waits."""
        with self._lock:
            if self._batch is batch:
                self._batch = None
        if self._stopped:
            raise self._stopped  # what came before is missing: nothing may follow it
        try:
            return self._store(batch, connection)
        except (Conflict, TooMany):
            raise  # what `also` refused concerns its own batch alone
        except Exception as error:
            self._stopped = error
            raise

    def _store(self, batch: _Batch, connection: sqlite3.Connection) -> list[Row]:
        bodies = _encoded(batch.events)
        with _apart(connection) if batch.also else nullcontext():
            last = self._claim(connection, bodies)
            rows = store(connection, self.lease.n, last, bodies)
            if batch.also:
                batch.also(connection)
        failpoint("pen.after_write")
        self._seq += len(bodies)
        return rows

    def _claim(self, connection: sqlite3.Connection, bodies: list[tuple[str, bytes]]) -> int:
        count, lease = len(bodies), self.lease
        if all(kind in DELTAS for kind, _ in bodies):
            found = connection.execute(_CLAIM, (count, lease.n, lease.generation, self._seq))
        else:
            touched = (count, lease.n, lease.generation, self._seq, now())
            found = connection.execute(_CLAIM_AND_TOUCH, touched)
        row = found.fetchone()
        if row is None:
            raise Fenced(
                "Another worker has taken this session over; nothing more is written here."
            )
        return row[0]

    def _written(
        self, batch: _Batch, rows: list[Row] | None, failure: BaseException | None
    ) -> None:
        """In the event loop, once the group is durable or has failed."""
        self._size -= batch.size
        if isinstance(failure, Fenced | StorageFailed):
            self.failure = self.failure or failure
        if rows:
            self._feed.push(rows, own=True)
        crowded, self._crowded = self._crowded, []
        for waiter in crowded:
            if not waiter.done():
                waiter.set_result(None)  # it looks again
        for waiter in batch.waiters:
            if waiter.done():
                continue
            if failure:
                waiter.set_exception(failure)
            else:
                waiter.set_result(None)


def _encoded(events: list[Event]) -> list[tuple[str, bytes]]:
    try:
        return [(event.type, encode(event)) for event in merged(events)]
    except (TypeError, ValueError) as error:
        raise Refused(f"An event cannot be written as JSON: {error}") from error


@contextmanager
def _apart(connection: sqlite3.Connection) -> Generator[None]:
    """What is written inside goes if it is refused, and it alone."""
    connection.execute("SAVEPOINT batch")
    try:
        yield
    except Problem:
        connection.execute("ROLLBACK TO batch")
        connection.execute("RELEASE batch")
        raise
    connection.execute("RELEASE batch")


_Texts = facts.TextDelta | facts.ReasoningDelta | facts.ToolOutputDelta


def weight(event: Event) -> int:
    """How many characters of memory an event holds until it is durable; only deltas can pile up."""
    payload = event.data
    if isinstance(payload, _Texts):
        return len(payload.text)
    return len(payload.partial_json) if isinstance(payload, facts.InputJsonDelta) else 0


def merged(events: Sequence[Event]) -> list[Event]:
    """The same events in fewer rows: runs of deltas that belong together are joined, everything else is as it was."""
    out: list[Event] = []
    run: list[Event] = []
    for event in events:
        if run and not _joins(run[-1], event):
            out.append(_joined(run))
            run = []
        run.append(event)
    if run:
        out.append(_joined(run))
    return out


def _joins(last: Event, event: Event) -> bool:
    if last.type != event.type or event.type not in facts.DELTAS or isinstance(event, Carried):
        return False
    if (last.message_id, last.step, last.attempt) != (event.message_id, event.step, event.attempt):
        return False
    a, b = last.data, event.data
    if isinstance(a, facts.InputJsonDelta) and isinstance(b, facts.InputJsonDelta):
        return a.block == b.block
    if isinstance(a, facts.ToolOutputDelta) and isinstance(b, facts.ToolOutputDelta):
        return a.tool_id == b.tool_id
    return True


def _joined(run: list[Event]) -> Event:
    first = run[0]
    if len(run) == 1:
        return first
    payload = first.data
    if isinstance(payload, facts.InputJsonDelta):
        whole = "".join(event.data.partial_json for event in run)
        payload = msgspec.structs.replace(payload, partial_json=whole)
    else:
        payload = msgspec.structs.replace(payload, text="".join(event.data.text for event in run))
    return msgspec.structs.replace(first, data=payload)
