"""A new session that has many events from its beginning, a copy or an import, stored in pieces: there is one writer,
and nobody waits for more than one piece.

The events come first, under a number that no session has; the session's row comes last, with whatever refuses it.
Until then nobody can see anything of it, and what a crash leaves is removed by `leftovers.sweep`.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from bottega.errors import Conflict
from bottega.sessions.care.retention import delete_events
from bottega.storage.database import Database

ROWS = 1_000
BYTES = 1024 * 1024
"""What one transaction stores; an event may be larger by itself."""

Piece = Callable[[sqlite3.Connection, int], None]
"""Is given the number that the session will have."""


async def fill(
    database: Database,
    pieces: Iterable[Piece],
    rows: int,
    finish: Callable[[sqlite3.Connection, int], None],
) -> None:
    """Store the pieces, which have so many rows together, each by itself; then `finish` makes the session."""
    n = await database.write(_number)

    def whole(connection: sqlite3.Connection) -> None:
        count = connection.execute("SELECT COUNT(*) FROM events WHERE session = ?", (n,))
        if count.fetchone()[0] != rows:
            raise Conflict("What was copied was changed meanwhile.", hint="Try it again.")
        finish(connection, n)

    try:
        for piece in pieces:
            await database.write(lambda connection, store=piece: store(connection, n))
        await database.write(whole)
    except Exception:
        await delete_events(database, n)
        raise


def in_pieces(sizes: Iterable[int]) -> Iterator[int]:
    """How many rows of these sizes go into each piece."""
    rows = size = 0
    for each in sizes:
        if rows and (rows == ROWS or size + each > BYTES):
            yield rows
            rows = size = 0
        rows, size = rows + 1, size + each
    if rows:
        yield rows


def _number(connection: sqlite3.Connection) -> int:
    """A number for a session that nothing else will have."""
    taken = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'sessions' RETURNING seq"
    if row := connection.execute(taken).fetchone():
        return row[0]
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('sessions', 1)")
    return 1
