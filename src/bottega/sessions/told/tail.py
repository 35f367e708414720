"""The end of a log, as a screen opens it: the last facts, and the pieces of what is not whole yet.

Whoever follows from its `cursor` has all: what was streamed before it is in the tail, whole or in pieces. However long
the log is, only its end is read.
"""

import sqlite3

import msgspec

from bottega.sessions.feed import Row
from bottega.sessions.log import PAGE_BYTES, Log

_WHOLE = ("assistant_message", "stream_reset", "message_start", "exchange_response")
"""After each of these, nothing that was streamed before it is waited for any more."""
_BEGINS = tuple(f'{{"type":"{each}"'.encode() for each in _WHOLE)
_PRINTED = b'{"type":"tool_output_delta"'
_GIVEN = b'{"type":"tool_result"'


class Tail(msgspec.Struct, frozen=True):
    rows: list[Row]
    """Oldest first."""
    cursor: int
    """Follow from here."""
    more: bool
    """There are facts before these."""


class _Named(msgspec.Struct):
    tool_id: str


class _Body(msgspec.Struct):
    data: _Named


_tool = msgspec.json.Decoder(_Body).decode


async def tail(log: Log, n: int, before: int = 0, limit: int = 100) -> Tail:
    """The last facts below `before`, or of all: then also the pieces that no fact says whole."""
    return await log.database.read(lambda connection: _tail(connection, n, before, limit))


async def newest(log: Log, n: int, *kinds: str) -> Row | None:
    """The last fact of one of these types, if there is one."""
    begins = tuple(f'{{"type":"{each}"'.encode() for each in kinds)
    return await log.database.read(lambda connection: _newest(connection, n, begins, 2**62))


def _newest(
    connection: sqlite3.Connection, n: int, begins: tuple[bytes, ...], upto: int
) -> Row | None:
    """The last fact up to there that begins in one of these ways."""
    which = " OR ".join("substr(body, 1, length(?)) = ?" for _ in begins)
    return connection.execute(
        "SELECT idx, body FROM events WHERE session = ? AND kind = 0 AND idx <= ?"  # noqa: S608
        f" AND ({which}) ORDER BY idx DESC LIMIT 1",
        (n, upto, *(begin for each in begins for begin in (each, each))),
    ).fetchone()


def _tail(connection: sqlite3.Connection, n: int, before: int, limit: int) -> Tail:
    # What is committed while this looks has a larger index than the cursor, and is left to whoever follows.
    last = connection.execute("SELECT last_index FROM sessions WHERE n = ?", (n,)).fetchone()
    cursor = last[0] if last else 0
    below = min(before or cursor + 1, cursor + 1)
    rows, more = _facts(connection, n, below, limit)
    if not before:
        rows = sorted([*rows, *_pieces(connection, n, cursor)])
    return Tail(rows, cursor, more)


def _facts(
    connection: sqlite3.Connection, n: int, below: int, limit: int
) -> tuple[list[Row], bool]:
    """The last ones, oldest first: so many, or fewer where they are large; and whether there are more before them."""
    rows: list[Row] = []
    room = PAGE_BYTES
    for row in connection.execute(
        "SELECT idx, body FROM events WHERE session = ? AND kind = 0 AND idx < ?"
        " ORDER BY idx DESC LIMIT ?",
        (n, below, limit + 1),
    ):
        if len(rows) == limit or room <= 0:
            return rows[::-1], True
        rows.append(row)
        room -= len(row[1])
    return rows[::-1], False


def _pieces(connection: sqlite3.Connection, n: int, cursor: int) -> list[Row]:
    """Deltas up to the cursor whose whole is not there yet."""
    found = _newest(connection, n, _BEGINS, cursor)
    rows: list[tuple[int, int, bytes]] = connection.execute(
        "SELECT idx, kind, body FROM events WHERE session = ? AND idx > ? AND idx <= ? ORDER BY idx",
        (n, found[0] if found else 0, cursor),
    ).fetchall()
    given = {_tool(body).data.tool_id for _, _, body in rows if body.startswith(_GIVEN)}
    return [
        (index, body)
        for index, kind, body in rows
        if kind and not (body.startswith(_PRINTED) and _tool(body).data.tool_id in given)
    ]
