"""What need not be kept: deltas whose whole is there, and sessions that nobody wants any more.

Everything is removed in small transactions, so that running sessions are never kept waiting. A crash half-way leaves
nothing that anyone can see; `leftovers.sweep` removes what is left over.
"""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from bottega.errors import Conflict, NotFound
from bottega.failpoint import failpoint
from bottega.sessions.attach import drop_unnamed
from bottega.sessions.care.search import forget_words
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, now
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home, is_dead

BATCH = 2_000
"""Rows that one transaction removes at most."""


class Trimmed(msgspec.Struct, frozen=True):
    rows: int = 0
    bytes: int = 0
    sessions: int = 0


class _Body(msgspec.Struct):
    type: str
    at: int
    message_id: str = ""
    step: int = 0
    data: msgspec.Raw = msgspec.Raw(b"{}")


class _Named(msgspec.Struct):
    tool_id: str


_read = msgspec.json.Decoder(_Body).decode
_tool = msgspec.json.Decoder(_Named).decode
_Row = tuple[int, int, int, bytes]


async def trim(
    database: Database, older_than_ms: int | None = None, session: SessionRow | None = None
) -> Trimmed:
    """Remove the deltas of answers and outputs that are stored whole; with an age, only of older ones.

    The deltas of an answer that broke off are all there is of it, and stay.
    """
    before = 2**62 if older_than_ms is None else now() - older_than_ms
    chosen = [session.n] if session else await database.read(_with_deltas)
    total = Trimmed()
    for n in chosen:
        removed = await _trim_one(database, n, before)
        total = Trimmed(
            total.rows + removed.rows,
            total.bytes + removed.bytes,
            total.sessions + bool(removed.rows),
        )
    return total


def _with_deltas(connection: sqlite3.Connection) -> list[int]:
    """Sessions that have any; asked of indexes alone."""
    rows = connection.execute(
        "SELECT n FROM sessions WHERE (SELECT COUNT(*) FROM events WHERE session = sessions.n)"
        " > (SELECT COUNT(*) FROM events WHERE session = sessions.n AND kind = 0)"
    )
    return [row[0] for row in rows]


async def _trim_one(database: Database, n: int, before: int) -> Trimmed:
    ripe = _Ripe(before)
    cursor = rows = size = 0
    while page := await database.read(lambda connection, after=cursor: _page(connection, n, after)):
        cursor = page[-1][1]
        for row in page:
            ripe.add(row)
        for batch in ripe.batches():
            events = [event for event, _ in batch]
            rows += await database.write(lambda connection, e=events: _remove(connection, e))
            size += sum(length for _, length in batch)
    return Trimmed(rows, size)


def _page(connection: sqlite3.Connection, n: int, after: int) -> list[_Row]:
    return connection.execute(
        "SELECT n, idx, kind, body FROM events WHERE session = ? AND idx > ? ORDER BY idx LIMIT ?",
        (n, after, BATCH),
    ).fetchall()


class _Ripe:
    """Deltas on the way to be removed: each waits for the whole that says it again."""

    def __init__(self, before: int) -> None:
        self._before = before
        self._waiting: dict[Any, list[tuple[int, int]]] = {}
        self._ready: list[tuple[int, int]] = []

    def add(self, row: _Row) -> None:
        number, _, kind, body = row
        try:
            event = _read(body)
            key = _key(event)
        except msgspec.MsgspecError:
            return  # `check` tells of it
        if kind == 1:
            self._waiting.setdefault(key, []).append((number, len(body)))
        elif event.type in ("assistant_message", "tool_result"):
            told = self._waiting.pop(key, [])
            self._ready += told if event.at < self._before else []

    def batches(self) -> Iterator[list[tuple[int, int]]]:
        ready, self._ready = self._ready, []
        for start in range(0, len(ready), BATCH):
            yield ready[start : start + BATCH]


def _key(event: _Body) -> tuple[str, int, str]:
    if event.type in ("tool_output_delta", "tool_result"):
        return event.message_id, 0, _tool(event.data).tool_id
    return event.message_id, event.step, ""


def _remove(connection: sqlite3.Connection, events: list[int]) -> int:
    connection.executemany("DELETE FROM events WHERE n = ?", [(n,) for n in events])
    failpoint("retention.after_remove")
    return len(events)


async def delete(
    database: Database, log: Log, blobs: Blobs, session: SessionRow, *, force: bool = False
) -> None:
    """Delete a session, its children, and all that only they have; refuse while a living worker runs one.

    They are gone for everyone, and their followers end, before the first of their events is removed.
    """
    gone, names = await database.write(
        lambda connection: _delete_rows(connection, database.home, session, force)
    )
    for n, _ in gone:
        log.forget(n)
    for n, session_id in gone:
        await delete_events(database, n)
        outputs = database.home.outputs / session_id
        await asyncio.to_thread(shutil.rmtree, outputs, ignore_errors=True)
    await database.write(lambda connection: drop_unnamed(connection, blobs, names))


def _delete_rows(
    connection: sqlite3.Connection, home: Home, session: SessionRow, force: bool
) -> tuple[list[tuple[int, str]], list[str]]:
    """The sessions that went, the deepest first, and the blobs that they had."""
    rows = connection.execute(_TREE, (session.n,)).fetchall()
    if not rows:
        raise NotFound(f"The session {session.id!r} was deleted before.")
    names: list[str] = []
    for n, session_id, holder in rows:
        if holder is not None and not force and not is_dead(home, holder):
            raise Conflict(
                f"The session {session_id!r} is being run by a worker.",
                hint="Stop it first, or force its deletion.",
            )
        had = connection.execute("SELECT blob FROM attachments WHERE session = ?", (n,))
        names += [name for (name,) in had.fetchall()]
    for n, _, _ in rows:
        connection.execute("DELETE FROM sessions WHERE n = ?", (n,))
    return [(n, session_id) for n, session_id, _ in rows], names


_TREE = (
    "WITH RECURSIVE tree (n) AS (SELECT n FROM sessions WHERE n = ?1 UNION"
    " SELECT s.n FROM sessions s JOIN tree ON s.parent = tree.n)"
    " SELECT n, id, holder FROM sessions WHERE n IN tree ORDER BY depth DESC, n"
)


async def delete_events(database: Database, n: int) -> int:
    """Remove all of a session that is gone; returns how many there were."""
    total = 0
    while removed := await database.write(lambda connection: _delete_some(connection, n)):
        total += removed
    return total


def _delete_some(connection: sqlite3.Connection, n: int) -> int:
    rows = connection.execute(
        "SELECT n FROM events WHERE session = ? ORDER BY idx LIMIT ?", (n, BATCH)
    ).fetchall()
    events = [number for (number,) in rows]
    forget_words(connection, events)
    return _remove(connection, events)
