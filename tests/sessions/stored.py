"""Facts straight into the database, and out of it again."""

from collections.abc import Iterable

from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.sessions.feed import Row
from bottega.sessions.log import insert
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.database import Database


async def write(database: Database, session: SessionRow, events: Iterable[Event]) -> SessionRow:
    """Append whatever the events are; return the session as it is now."""
    stored = list(events)
    await database.write(lambda connection: insert(connection, session.n, stored))
    return Sessions(database).get(session.id)


def rows(database: Database, session: SessionRow) -> list[Row]:
    return database.read_now(
        lambda connection: connection.execute(
            "SELECT idx, body FROM events WHERE session = ? ORDER BY idx", (session.n,)
        ).fetchall()
    )


def events(database: Database, session: SessionRow) -> list[Event]:
    return [decode(index, body) for index, body in rows(database, session)]


def types(database: Database, session: SessionRow) -> list[str]:
    return [event.type for event in events(database, session)]


def count(database: Database, table: str) -> int:
    return database.read_now(
        lambda connection: connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    )[0]
