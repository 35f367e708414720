"""Severity: medium (M8, its kind). One person forks a huge session, again and again: there is one writer for all
people, and another's prompt waits for it no longer than for any other write.
"""

import asyncio
import shutil
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Conflict
from bottega.sessions.care import leftovers
from bottega.sessions.care.check import check
from bottega.sessions.exports.bring_in import bring_in
from bottega.sessions.exports.export import export
from bottega.sessions.fork import fork
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.tables import MIGRATIONS
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.hunt import LONG

EVENTS = 200_000 if LONG else 50_000
SOON = 0.1
"""Seconds that another person's write may take."""


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, SessionRow]]:
    """A session of very many events."""
    home = tmp_path_factory.mktemp("huge") / "home"
    database = Database.open(Home(home), MIGRATIONS)
    yield database, asyncio.run(_made(database))
    database.close()
    shutil.rmtree(home)


async def _made(database: Database, events: int = EVENTS) -> SessionRow:
    session = await Sessions(database).create(model="m", agent="a", folder="/")
    body = b'{"type":"aside","at":1700000000000,"data":{"before":"%s"}}' % (b"x" * 1_000)

    def fill(connection: Any) -> None:
        rows = ((session.n, index, body) for index in range(1, events + 1))
        connection.executemany(
            "INSERT INTO events (session, idx, kind, body) VALUES (?, ?, 0, ?)", rows
        )
        connection.execute("UPDATE sessions SET last_index = ? WHERE n = ?", (events, session.n))

    await database.write(fill)
    return Sessions(database).get(session.id)


async def _others_wait(database: Database, work: Awaitable[SessionRow]) -> tuple[float, SessionRow]:
    """The longest that a small write of somebody else took meanwhile."""
    task = asyncio.ensure_future(work)
    longest = 0.0
    while not task.done():
        began = time.monotonic()
        await database.write(lambda c: c.execute("UPDATE sessions SET title = title").close())
        longest = max(longest, time.monotonic() - began)
    return longest, await task


async def test_another_person_writes_while_a_huge_session_is_forked(
    huge: tuple[Database, SessionRow],
) -> None:
    database, session = huge
    blobs = Blobs(database.home.blobs)
    waits: list[float] = []
    for _ in range(3):  # this machine may be busy by itself
        longest, new = await _others_wait(database, fork(database, blobs, session, EVENTS))
        assert new.last_index == EVENTS
        waits.append(longest)
        if longest < SOON:
            break
    assert min(waits) < SOON, waits


async def test_another_person_writes_while_a_huge_session_is_imported(
    huge: tuple[Database, SessionRow],
) -> None:
    database, session = huge
    blobs = Blobs(database.home.blobs)
    lines = list(export(database, blobs, session))
    waits: list[float] = []
    for _ in range(3):
        longest, new = await _others_wait(database, bring_in(database, blobs, lines, folder="/"))
        assert new.last_index == EVENTS
        waits.append(longest)
        if longest < SOON:
            break
    assert min(waits) < SOON, waits


async def test_a_fork_of_what_is_removed_meanwhile_leaves_nothing(tmp_path: Path) -> None:
    database = Database.open(Home(tmp_path / "home"), MIGRATIONS)
    try:
        session = await _made(database, 20_000)
        forking = asyncio.ensure_future(
            fork(database, Blobs(database.home.blobs), session, session.last_index)
        )
        while not database.read_now(_copied):
            await asyncio.sleep(0)
        await database.write(lambda c: c.execute("DELETE FROM sessions").close())
        with pytest.raises(Conflict):
            await forking
        assert not database.read_now(_copied)
        await leftovers.sweep(database, Blobs(database.home.blobs), grace=0)
        assert check(database.home) == []
    finally:
        database.close()


def _copied(connection: Any) -> bool:
    return connection.execute("SELECT EXISTS (SELECT 1 FROM events WHERE session > 1)").fetchone()[
        0
    ]
