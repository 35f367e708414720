"""What waits for one person, as a list: a page at a time, and of what is large only that it is there.

Nothing of another person's is read for it. The whole of one ask is `Asks.exactly`.
"""

import sqlite3
from typing import Any

import msgspec

from bottega.events import facts
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow, rows_of
from bottega.storage.database import Database

LARGE = 8_000
"""Bytes of an ask's arguments, or of one detail, above which a list leaves them out."""
READ = 8_000_000
"""Bytes that are read for one page; at least one ask is."""
_SHOWN = 200
"""Characters that are kept of each text in arguments that are too large: enough for a line about it."""


class Waiting(msgspec.Struct, frozen=True):
    session: SessionRow
    ask: Ask
    cut: bool
    """Some of it is left out."""


class Page(msgspec.Struct, frozen=True):
    asks: list[Waiting]
    next: int
    """Go on from here; 0: these were the last."""


async def page(
    database: Database, owner: int, after: int = 0, limit: int = 100, session_id: str = ""
) -> Page:
    """The person's open asks, in every session or in one, the oldest first."""
    return await database.read(lambda c: _page(c, owner, after, limit, session_id))


def _page(
    connection: sqlite3.Connection, owner: int, after: int, limit: int, session_id: str
) -> Page:
    places: list[int] = [
        n for (n,) in connection.execute(_PLACES, (owner, session_id, after, limit))
    ]
    found: list[tuple[Ask, bool]] = []
    read = 0
    for n in places:
        row = connection.execute(_ONE, (n, LARGE, _SHOWN)).fetchone()
        found.append(_ask(row))
        read += len(row[4])
        if read > READ:
            return Page(_with_sessions(connection, found), n)
    full = len(places) == limit
    return Page(_with_sessions(connection, found), places[-1] if full else 0)


def _ask(row: tuple[Any, ...]) -> tuple[Ask, bool]:
    ask_id, session, message_id, created_at, body, given, far, short = row
    asked = msgspec.json.decode(body, type=facts.ApprovalRequired)
    cut = given is None
    if len(body) > LARGE:
        small = {k: v for k, v in asked.detail.items() if len(msgspec.json.encode(v)) <= LARGE}
        cut = cut or len(small) < len(asked.detail)
        asked = msgspec.structs.replace(
            asked, question=asked.question[:LARGE], choices=asked.choices[:100], detail=small
        )
    arguments = msgspec.json.decode(short if given is None else given)
    return Ask(ask_id, session, message_id, created_at, asked, arguments, None, bool(far)), cut


def _with_sessions(connection: sqlite3.Connection, found: list[tuple[Ask, bool]]) -> list[Waiting]:
    rows = rows_of(connection, {ask.session for ask, _ in found})
    return [Waiting(rows[ask.session], ask, cut) for ask, cut in found if ask.session in rows]


# Found by indexes alone: however large the person's asks are, and however many others have.
_PLACES = (
    "SELECT a.rowid FROM sessions s INDEXED BY sessions_by_owner"
    " CROSS JOIN asks a INDEXED BY asks_open ON a.session = s.n AND a.status = 'open'"
    " WHERE s.owner = ?1 AND (?2 = '' OR s.id = ?2) AND a.rowid > ?3 ORDER BY a.rowid LIMIT ?4"
)
_ONE = (
    "SELECT id, session, message_id, created_at, body,"
    " CASE WHEN length(input) <= ?2 THEN input END, far,"
    " (SELECT json_group_object(key, substr(value, 1, ?3)) FROM json_each(CAST(input AS TEXT))"
    "  WHERE length(input) > ?2 AND type = 'text') FROM asks WHERE rowid = ?1"
)
