"""What exchanges have used, one row a model call, so that a limit may hold for all of them together over some time.

A row is committed with the fact that tells of the same call: neither is there without the other.
"""

import sqlite3

import msgspec

from bottega.messages.message import Usage
from bottega.sessions.session import now
from bottega.storage.database import Database

HOUR = 3_600_000


class Used(msgspec.Struct, frozen=True):
    iterations: int = 0
    tokens: int = 0
    cost: int = 0
    """Micro-USD, as far as prices are known."""


def note(
    connection: sqlite3.Connection, n: int, message_id: str, usage: Usage, cost: int | None
) -> None:
    """In the transaction of the fact that says so."""
    connection.execute(
        "INSERT INTO spent (at, session, message_id, iterations, tokens, cost, person)"
        " SELECT ?1, n, ?3, 1, ?4, ?5, owner FROM sessions WHERE n = ?2",
        (now(), n, message_id, usage.input_tokens + usage.output_tokens, cost or 0),
    )


def in_last(database: Database, hours: float, person: int) -> Used:
    """All that was used in the last so many hours, in every session of that person."""
    row = database.read_now(
        lambda c: c.execute(
            "SELECT COALESCE(SUM(iterations), 0), COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0)"
            " FROM spent WHERE at >= ? AND person = ?",
            (now() - round(hours * HOUR), person),
        ).fetchone()
    )
    return Used(*row)
