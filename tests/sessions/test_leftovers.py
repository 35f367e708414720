"""What crashes left over goes, and nothing that anybody has or is about to name."""

import asyncio
import os
import sqlite3
from pathlib import Path

from bottega.messages.block import Text
from bottega.sessions.care import leftovers
from bottega.sessions.care.leftovers import Swept, sweep
from bottega.sessions.care.search import Search
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Life
from bottega.workspaces.outputs.outputs import Outputs
from tests.events.logs import answer, end, log, prompt
from tests.sessions import stored


def printed(place: Path, words: bytes = b"words") -> Path:
    """What a command left there, by a process that is dead."""
    (place / "stdout").parent.mkdir(parents=True)
    (place / "stdout").write_bytes(words)
    return place


async def test_outputs_of_sessions_that_are_gone_go_and_those_of_others_stay(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    outputs = database.home.outputs
    mine = printed(outputs / session.id / "out_1")
    lost = printed(outputs / "ses_gone" / "out_1")
    assert await sweep(database, blobs) == Swept(0, 0, 0), "they are young"
    assert await sweep(database, blobs, grace=-1) == Swept(0, 0, 1)
    assert mine.exists()
    assert not lost.parent.exists()


async def test_what_a_shell_printed_goes_once_nobody_writes_to_it(
    database: Database, blobs: Blobs
) -> None:
    outputs = database.home.outputs
    left = [printed(outputs / kind / "sh_left") for kind in leftovers.SHARED]
    writing = Outputs(outputs / "shells").create("sh")
    writing.spool("terminal").write(b"words")
    assert (await sweep(database, blobs, grace=-1)).folders == 2
    assert not any(each.exists() for each in left)
    assert writing.folder.exists()
    writing.close(keep=False)


async def test_the_lock_of_a_dead_worker_goes_and_that_of_a_living_one_holds(
    database: Database, blobs: Blobs
) -> None:
    dead = database.home.workers / "wrk_dead"
    dead.touch()
    life = Life(database.home, "wrk_alive")
    await sweep(database, blobs, grace=-1)
    assert [each.name for each in database.home.workers.iterdir()] == ["wrk_alive"]
    life.end()


async def test_events_and_words_without_a_session_are_found_between_any_others(
    database: Database, blobs: Blobs
) -> None:
    """The look goes from session to session: first, last and neighbours, whatever their number."""
    rows = [await Sessions(database).create(model="m", agent="a", folder="/") for _ in range(6)]
    told = log(*prompt("go"), answer(Text("found")), end())
    for row in rows:
        await stored.write(database, row, told)
    await Search(database).update()
    lost = [rows[0], rows[2], rows[3], rows[5]]

    def forget(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for row in lost:
            connection.execute("DELETE FROM sessions WHERE n = ?", (row.n,))
        lonely = "DELETE FROM events WHERE session = ? AND idx = ?"
        connection.execute(lonely, (rows[1].n, len(told) - 1))

    await database.write(forget)
    swept = await sweep(database, blobs)
    assert swept.rows == len(lost) * len(told) + 1, "the events of four, and the words of one more"
    assert await sweep(database, blobs) == Swept(0, 0)
    left = database.read_now(
        lambda c: c.execute("SELECT DISTINCT session FROM events ORDER BY 1").fetchall()
    )
    assert [n for (n,) in left] == [rows[1].n, rows[4].n]


async def test_a_sweep_holds_up_nobody(database: Database, blobs: Blobs) -> None:
    """It has thousands of files to look at; the loop goes on meanwhile."""
    for number in range(4_000):
        name = f"{number:064x}"
        (database.home.blobs / name).touch()
        os.utime(database.home.blobs / name, (1, 1))
    sweeping = asyncio.create_task(sweep(database, blobs))
    ticks, longest, loop = 0, 0.0, asyncio.get_running_loop()
    while not sweeping.done():
        before = loop.time()
        await asyncio.sleep(0)
        longest = max(longest, loop.time() - before)
        ticks += 1
    assert (await sweeping).blobs == 4_000
    assert ticks > 10
    assert longest < 1.0
