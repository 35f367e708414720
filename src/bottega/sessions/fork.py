"""A session that begins as another one was at an index, and goes its own way from there.

It has the same facts under the same indexes, byte for byte; what was open there is closed in it, as nobody will go on
with that. Grants, asks and prompts that wait stay where they were. It is copied in pieces (`exports/filling.py`).
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from bottega.errors import BadUsage, Conflict
from bottega.events.codec import decode, encode
from bottega.ids import fresh_session
from bottega.sessions.attach import attach
from bottega.sessions.exports.closing import SAFE, Closing
from bottega.sessions.exports.filling import Piece, fill, in_pieces
from bottega.sessions.log import PAGE_BYTES
from bottega.sessions.session import SessionRow, Sessions, now, top_of
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database

REASON = "The session was forked before this exchange had ended."
PAGE = 1_000

_BLOB = re.compile(rb'"([0-9a-f]{64})"')


class _Read(msgspec.Struct):
    closing: Closing
    indexes: list[int] = msgspec.field(default_factory=list[int])
    sizes: list[int] = msgspec.field(default_factory=list[int])
    named: set[str] = msgspec.field(default_factory=set[str])
    """All that looks like the name of a blob."""


async def fork(  # noqa: PLR0913 - each is a word of its own
    database: Database,
    blobs: Blobs,
    session: SessionRow,
    index: int,
    title: str = "",
    admit: Callable[[int], None] | None = None,
) -> SessionRow:
    """A new session with everything of this one up to that index; `admit` is told its size, and may refuse it."""
    if not 0 <= index <= session.last_index:
        raise BadUsage(
            f"The session has no index {index}.", hint=f"Its last one is {session.last_index}."
        )
    read = await asyncio.to_thread(_read, database, session.n, index)
    if admit:
        await asyncio.to_thread(admit, sum(read.sizes))
    session_id = fresh_session()

    def finish(connection: sqlite3.Connection, n: int) -> None:
        _insert(connection, n, session, session_id, title, index)
        added = read.closing.facts(now(), REASON)
        connection.executemany(
            "INSERT INTO events (session, idx, kind, body) VALUES (?, ?, 0, ?)",
            [(n, place, encode(event)) for place, event in enumerate(added, index + 1)],
        )
        connection.execute(
            "UPDATE sessions SET last_index = ? WHERE n = ?", (index + len(added), n)
        )
        has = "SELECT blob FROM attachments WHERE session = ?"
        names = {name for (name,) in connection.execute(has, (session.n,))}
        attach(connection, blobs, n, sorted(filter(blobs.has, names & read.named)))

    await fill(database, _pieces(session.n, read), len(read.sizes), finish)
    return Sessions(database).get(session_id)


def _pieces(source: int, read: _Read) -> Iterator[Piece]:
    begin = 0
    for rows in in_pieces(read.sizes):
        yield partial(_copy, source, read.indexes[begin], read.indexes[begin + rows - 1])
        begin += rows


def _copy(source: int, first: int, last: int, connection: sqlite3.Connection, n: int) -> None:
    connection.execute(
        "INSERT INTO events (session, idx, kind, body)"
        " SELECT ?1, idx, kind, body FROM events WHERE session = ?2 AND idx BETWEEN ?3 AND ?4"
        " ORDER BY idx",
        (n, source, first, last),
    )


def _read(database: Database, n: int, index: int) -> _Read:
    read = _Read(Closing())
    cursor = 0
    while rows := database.read_now(lambda c, after=cursor: _page(c, n, after, index)):
        cursor = rows[-1][0]
        for place, body in rows:
            read.closing.add(decode(place, body))
            read.named.update(name.decode() for name in _BLOB.findall(body))
            read.indexes.append(place)
            read.sizes.append(len(body))
    return read


def _page(
    connection: sqlite3.Connection, n: int, after: int, index: int
) -> list[tuple[int, bytes]]:
    found = connection.execute(
        "SELECT idx, body FROM events WHERE session = ? AND idx > ? AND idx <= ?"
        " ORDER BY idx LIMIT ?",
        (n, after, index, PAGE),
    )
    rows: list[tuple[int, bytes]] = []
    room = PAGE_BYTES
    for row in found:
        rows.append(row)
        room -= len(row[1])
        if room <= 0:
            break
    return rows


def _insert(
    connection: sqlite3.Connection,
    n: int,
    session: SessionRow,
    session_id: str,
    title: str,
    index: int,
) -> None:
    if not connection.execute("SELECT 1 FROM sessions WHERE n = ?", (session.n,)).fetchone():
        raise Conflict("The session was deleted while it was forked.")
    at = now()
    mode = _mode(connection, session)
    name = title.strip() or (f"{session.title} (fork)" if session.title else "")
    connection.execute(
        "INSERT INTO sessions"
        " (n, id, created_at, updated_at, title, model, agent, folder, needs, mode, owner, project,"
        " container, imported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(n, session_id, at, at, name[:200], session.model, session.agent, session.folder),
            *(session.needs, mode, session.owner, session.project, session.container),
            min(session.imported, index),
        ),
    )


def _mode(connection: sqlite3.Connection, session: SessionRow) -> str:
    """Its mode, if that is a safe one. A child has none of its own, and asks once it is cut off from those above it."""
    top = connection.execute(
        "SELECT mode FROM sessions WHERE n = ?", (top_of(connection, session.n),)
    ).fetchone()[0]
    if session.parent is not None:
        return top if top in SAFE else SAFE[0]
    return SAFE[0] if top and top not in SAFE else top
