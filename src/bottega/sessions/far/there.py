"""Exchanges that another Bottega answers: in which session there, and how far its log is carried over into ours.

The cursor is committed with the facts that it stands for: whoever goes on from it neither leaves one out nor stores
one twice.
"""

import sqlite3

import msgspec

from bottega.storage.database import Database


class There(msgspec.Struct, frozen=True):
    """Where an exchange is answered."""

    address: str
    agent: str
    project: str
    session_id: str
    cursor: int = 0
    """The last index there of what is in the log here."""


def of_exchange(database: Database, n: int, message_id: str) -> There | None:
    """Where this exchange is answered, if it was begun elsewhere."""
    row = database.read_now(
        lambda c: c.execute(
            "SELECT address, agent, project, session_there, cursor FROM remotes"
            " WHERE session = ? AND message_id = ?",
            (n, message_id),
        ).fetchone()
    )
    return There(*row) if row else None


def session_there(database: Database, n: int, address: str, agent: str, project: str) -> str:
    """The session in which that agent answered last, so that it goes on there; empty: it begins one."""
    row = database.read_now(
        lambda c: c.execute(
            "SELECT session_there FROM remotes WHERE session = ? AND address = ? AND agent = ?"
            " AND project = ? ORDER BY rowid DESC LIMIT 1",
            (n, address, agent, project),
        ).fetchone()
    )
    return row[0] if row else ""


def begin(connection: sqlite3.Connection, n: int, message_id: str, there: There) -> None:
    """In the transaction of its `remote_started`."""
    connection.execute(
        "INSERT INTO remotes (session, message_id, address, agent, project, session_there)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (n, message_id, there.address, there.agent, there.project, there.session_id),
    )


def reach(connection: sqlite3.Connection, n: int, message_id: str, cursor: int) -> None:
    """In the transaction of what was carried over up to there."""
    connection.execute(
        "UPDATE remotes SET cursor = ? WHERE session = ? AND message_id = ?",
        (cursor, n, message_id),
    )
