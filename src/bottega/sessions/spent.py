"""What exchanges have used, one row a model call, so that a limit may hold for all of them together over some time.

A call that begins is noted with what it is estimated to use, which is replaced by what it used when it ends: where
its process dies in between, the estimate counts.
"""

import sqlite3

import msgspec

from bottega.messages.message import Usage
from bottega.sessions.session import now
from bottega.storage.database import Database

MOST = 10**12
"""Tokens, or micro-USD, that one row holds at most: sums of many rows stay numbers that SQLite can add."""
HOUR = 3_600_000
DAY = 24 * HOUR
WEEK_HOURS = 7 * 24
LOST = HOUR
"""Milliseconds after which a call that has not ended is taken for one whose process died."""


class Used(msgspec.Struct, frozen=True):
    iterations: int = 0
    tokens: int = 0
    cost: int = 0
    """Micro-USD, as far as prices are known."""


class Day(msgspec.Struct, frozen=True):
    """What was used of one model on one day."""

    at: int
    """When the day began, in milliseconds UTC."""
    model: str
    """The model as people name it; empty: it was not written down yet."""
    used: Used


def note(
    connection: sqlite3.Connection,
    n: int,
    message_id: str,
    usage: Usage,
    cost: int | None,
    model: str = "",
    *,
    estimated: bool = False,
) -> None:
    """In the transaction of the fact that says so, or before that of what follows."""
    tokens = usage.input_tokens + usage.output_tokens
    connection.execute(
        "INSERT INTO spent (at, session, message_id, iterations, tokens, cost, person, model, estimated)"
        " SELECT ?1, n, ?3, 1, ?4, ?5, owner, ?6, ?7 FROM sessions WHERE n = ?2",
        (now(), n, message_id, _bounded(tokens), _bounded(cost or 0), model, estimated),
    )


def begin(
    connection: sqlite3.Connection, call: str, n: int, message_id: str, about: Used, model: str
) -> None:
    """A call goes out that is estimated to use so much."""
    connection.execute(
        "INSERT INTO calls (id, at, session, message_id, tokens, cost, person, model)"
        " SELECT ?1, ?2, n, ?4, ?5, ?6, owner, ?7 FROM sessions WHERE n = ?3",
        (call, now(), n, message_id, _bounded(about.tokens), _bounded(about.cost), model),
    )
    _count(connection, "at < ?", now() - LOST)


def end(connection: sqlite3.Connection, call: str) -> None:
    """It has ended; what it used is noted by itself."""
    connection.execute("DELETE FROM calls WHERE id = ?", (call,))


def count_lost(connection: sqlite3.Connection, n: int) -> None:
    """Of a session whose process has died: its calls count from now on, as they were estimated."""
    _count(connection, "session = ?", n)


def _count(connection: sqlite3.Connection, which: str, value: int) -> None:
    connection.execute(
        "INSERT INTO spent (at, session, message_id, iterations, tokens, cost, person, model, estimated)"  # noqa: S608
        f" SELECT at, session, message_id, 1, tokens, cost, person, model, 1 FROM calls WHERE {which}",
        (value,),
    )
    connection.execute(f"DELETE FROM calls WHERE {which}", (value,))  # noqa: S608


def _bounded(amount: int) -> int:
    return min(max(0, amount), MOST)


async def by_day(database: Database, person: int, days: int) -> list[Day]:
    """What a person used in the last so many days (UTC), each day and each model by itself, the newest first."""
    first = (now() // DAY - days + 1) * DAY
    rows = await database.read(
        lambda c: c.execute(
            "SELECT at / ?3, model, SUM(iterations), SUM(tokens), SUM(cost) FROM spent"
            " WHERE person = ?1 AND at >= ?2 GROUP BY 1, 2 ORDER BY 1 DESC, 5 DESC, 2",
            (person, first, DAY),
        ).fetchall()
    )
    return [Day(row[0] * DAY, row[1], Used(*row[2:])) for row in rows]


async def by_model(database: Database, sessions: list[int]) -> dict[str, Used]:
    """What was used in these sessions together, by the model that was asked."""
    marks = ",".join("?" * len(sessions))
    rows = await database.read(
        lambda c: c.execute(
            "SELECT model, SUM(iterations), SUM(tokens), SUM(cost) FROM spent"  # noqa: S608
            f" WHERE session IN ({marks}) GROUP BY 1 ORDER BY 4 DESC, 1",
            sessions,
        ).fetchall()
    )
    return {row[0]: Used(*row[1:]) for row in rows}


def in_last(database: Database, hours: float, person: int) -> Used:
    """All that was used in the last so many hours, in every session of that person."""
    return database.read_now(lambda c: _since(c, hours, person))


def largest(database: Database, hours: float, person: int) -> Used:
    """The most that one model call of that person used, in that time or, if longer, in a week."""
    row = database.read_now(
        lambda c: c.execute(
            "SELECT 0, COALESCE(MAX(tokens), 0), COALESCE(MAX(cost), 0)"
            " FROM spent WHERE at >= ? AND person = ?",
            (now() - round(max(hours, WEEK_HOURS) * HOUR), person),
        ).fetchone()
    )
    return Used(*row)


async def lately(database: Database, hours: float, person: int) -> Used:
    """The same, for whoever can wait."""
    return await database.read(lambda c: _since(c, hours, person))


def _since(connection: sqlite3.Connection, hours: float, person: int) -> Used:
    row = connection.execute(
        "SELECT COALESCE(SUM(iterations), 0), COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0)"
        " FROM spent WHERE at >= ? AND person = ?",
        (now() - round(hours * HOUR), person),
    ).fetchone()
    return Used(*row)
