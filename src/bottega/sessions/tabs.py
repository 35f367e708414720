"""Which tab shows which session, of each person. One row is both directions, so they cannot disagree.

A tab's id is the client's and means nothing here. The row is stored with a new session or not at all, and goes with
either: when the tab is closed, and when the session is deleted.
"""

import sqlite3
from collections.abc import Collection

from bottega.errors import Conflict, NotFound, Refused
from bottega.sessions.session import Also, SessionRow, now, rows_of
from bottega.storage.database import Database

MOST = 2000
"""Tabs of one person."""


class Tabs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def opening(self, person: int, tab_id: str) -> Also:
        """For the transaction that makes a session: the tab shows it from the start."""

        def insert(connection: sqlite3.Connection, n: int) -> None:
            _insert(connection, person, tab_id, n)

        return insert

    async def open(self, person: int, tab_id: str, n: int) -> None:
        """Have a tab show a session that exists; the same again is nothing new, another session is refused."""

        def insert(connection: sqlite3.Connection) -> None:
            shows = _session(connection, person, tab_id)
            if shows is None:
                _insert(connection, person, tab_id, n)
            elif shows != n:
                raise _taken(tab_id)

        await self._database.write(insert)

    def session_of(self, person: int, tab_id: str) -> SessionRow | None:
        """The session that this person's tab shows."""

        def read(connection: sqlite3.Connection) -> SessionRow | None:
            n = _session(connection, person, tab_id)
            return rows_of(connection, (n,)).get(n) if n is not None else None

        return self._database.read_now(read)

    async def shown(self, person: int, named: Collection[str] = ()) -> dict[str, SessionRow]:
        """The session that each of a person's tabs shows, or each of those that are named, the oldest tab first."""

        def read(connection: sqlite3.Connection) -> dict[str, SessionRow]:
            rows: list[tuple[str, int]] = connection.execute(
                "SELECT id, session FROM tabs WHERE person = ? ORDER BY created_at, id", (person,)
            ).fetchall()
            tabs = {tab_id: n for tab_id, n in rows if not named or tab_id in named}
            found = rows_of(connection, set(tabs.values()))
            return {tab_id: found[n] for tab_id, n in tabs.items() if n in found}

        return await self._database.read(read)

    def showing(self, n: int) -> int:
        """How many tabs show this session."""
        return self._database.read_now(lambda c: _showing(c, n))

    async def close(self, person: int, tab_id: str) -> tuple[int, bool]:
        """Forget a tab; the number of the session that it showed, and whether no other tab does."""

        def delete(connection: sqlite3.Connection) -> tuple[int, bool]:
            row = connection.execute(
                "DELETE FROM tabs WHERE person = ? AND id = ? RETURNING session", (person, tab_id)
            ).fetchone()
            if row is None:
                raise unknown(tab_id)
            return row[0], not _showing(connection, row[0])

        return await self._database.write(delete)


def unknown(tab_id: str) -> NotFound:
    """The same for a tab that never was and for another person's."""
    return NotFound(
        f"There is no tab {tab_id!r} here.", hint="Open it with new-tab; restore lists all."
    )


def _taken(tab_id: str) -> Conflict:
    return Conflict(
        f"The tab {tab_id!r} shows another session.", hint="Give each tab an id of its own."
    )


def _insert(connection: sqlite3.Connection, person: int, tab_id: str, n: int) -> None:
    if _session(connection, person, tab_id) is not None:
        raise _taken(tab_id)
    (count,) = connection.execute(
        "SELECT COUNT(*) FROM tabs WHERE person = ?", (person,)
    ).fetchone()
    if count >= MOST:
        raise Refused(f"There are already {MOST} tabs.", hint="Close some with close-tab.")
    try:
        connection.execute(
            "INSERT INTO tabs (person, id, session, created_at) VALUES (?, ?, ?, ?)",
            (person, tab_id, n, now()),
        )
    except sqlite3.IntegrityError:  # of the reference to its session
        raise NotFound("This session was deleted.", hint="Begin another one.") from None


def _session(connection: sqlite3.Connection, person: int, tab_id: str) -> int | None:
    row = connection.execute(
        "SELECT session FROM tabs WHERE person = ? AND id = ?", (person, tab_id)
    ).fetchone()
    return row[0] if row else None


def _showing(connection: sqlite3.Connection, n: int) -> int:
    return connection.execute("SELECT COUNT(*) FROM tabs WHERE session = ?", (n,)).fetchone()[0]
