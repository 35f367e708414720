"""How many prompts may wait: in one session, of one person, and in all; how many asks. Nobody's full list is another's.

The bound on all of them holds for those alone who have more than `ASSURED` waiting themselves.
"""

import sqlite3

import msgspec

from bottega.errors import Overloaded, TooMany

MOST_WAITING = 100
"""Prompts that may wait in one session, of those that come over a network."""
MOST_OF_PERSON = 500
MOST_IN_ALL = 5_000
MOST_BYTES = 64 * 1024 * 1024
"""What all waiting prompts of one person may hold together; one alone may be larger."""
ASSURED = 50
"""Prompts that each person may have waiting, however many others have."""
MOST_ASKS = 1_000
"""Asks of one person that may be open; those that a session has once at most are not counted."""


class Bounds(msgspec.Struct, frozen=True):
    session: int = MOST_WAITING
    person: int = MOST_OF_PERSON
    in_all: int = MOST_IN_ALL
    bytes: int = MOST_BYTES


def refuse_when_full(
    connection: sqlite3.Connection, n: int, size: int, bounds: Bounds | None = None
) -> None:
    """Inside the transaction that would add a prompt of that size to session `n`: refuse it where too many wait."""
    most = bounds or Bounds()
    here, hers, in_all, kept = connection.execute(
        "SELECT COALESCE(SUM(i.session = ?1), 0), COALESCE(SUM(s.owner = o.owner), 0), COUNT(i.session),"
        " COALESCE(SUM(LENGTH(i.body) * (s.owner = o.owner)), 0)"
        " FROM sessions o LEFT JOIN (inbox i INDEXED BY inbox_open JOIN sessions s ON s.n = i.session)"
        " ON i.status IN ('queued', 'running') AND i.status = 'queued' WHERE o.n = ?1",
        (n,),
    ).fetchone()
    if here >= most.session:
        raise Overloaded(
            f"{here} prompts wait in this session already, which is the most.",
            hint="Wait until some of them have run, or take some back.",
        )
    if hers >= most.person:
        raise Overloaded(
            f"{hers} prompts of yours wait already, which is the most for one person.",
            hint="Wait until some of them have run, or take some back; the owner sets `person_waiting`.",
        )
    if hers and kept + size > most.bytes:
        raise _too_large(kept, most)
    if in_all >= most.in_all and hers >= ASSURED:
        raise Overloaded(
            f"{in_all} prompts wait on this server, {hers} of them yours.",
            hint="Wait until some of yours have run.",
        )


def refuse_larger(
    connection: sqlite3.Connection, n: int, message_id: str, size: int, bounds: Bounds | None = None
) -> None:
    """Inside the transaction that would make a waiting prompt that large: refuse it where all would be too large."""
    most = bounds or Bounds()
    others, kept = connection.execute(
        "SELECT COUNT(i.session), COALESCE(SUM(LENGTH(i.body)), 0)"
        " FROM inbox i INDEXED BY inbox_open JOIN sessions s ON s.n = i.session"
        " WHERE i.status IN ('queued', 'running') AND i.status = 'queued'"
        " AND s.owner = (SELECT owner FROM sessions WHERE n = ?1)"
        " AND NOT (i.session = ?1 AND i.message_id = ?2)",
        (n, message_id),
    ).fetchone()
    if others and kept + size > most.bytes:
        raise _too_large(kept, most)


def refuse_more_asks(connection: sqlite3.Connection, n: int) -> None:
    """Inside the transaction that would ask something in session `n`."""
    (hers,) = connection.execute(
        "SELECT COUNT(*) FROM asks a INDEXED BY asks_open JOIN sessions s ON s.n = a.session"
        " WHERE a.status = 'open' AND s.owner = (SELECT owner FROM sessions WHERE n = ?)",
        (n,),
    ).fetchone()
    if hers >= MOST_ASKS:
        raise TooMany(
            f"{hers} asks of this person wait for an answer already, which is the most.",
            hint="Answer some of them, or stop what asks, then try again.",
        )


def _too_large(kept: int, most: Bounds) -> Overloaded:
    return Overloaded(
        f"Your waiting prompts hold {kept >> 20} MB already; {most.bytes >> 20} MB are the most.",
        hint="Wait until some of them have run, or take some back.",
    )
