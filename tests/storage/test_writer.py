"""The one thread that writes: groups, refusals, full disks, and what is told to whom."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bottega.errors import Conflict, StorageFailed
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.storage.migrate import Migration
from bottega.storage.writer import Job
from tests.processes import run
from tests.storage.gate import Gate, fill_the_disk, free_the_disk

NOTES = (Migration(1, "notes", "CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT;"),)


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    database = Database.open(home, NOTES)
    yield database
    database.close()


def note(text: Any) -> Callable[[sqlite3.Connection], str]:
    def work(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))
        return text

    return work


def notes(database: Database) -> list[str]:
    return [
        row[0]
        for row in database.read_now(
            lambda connection: connection.execute(
                "SELECT text FROM notes ORDER BY rowid"
            ).fetchall()
        )
    ]


async def together(database: Database, *works: Callable[[sqlite3.Connection], Any]) -> list[Any]:
    """Have the works done in one group; return what each came to."""
    gate = Gate(database)
    await gate.close()
    before = database.writer.commits
    futures = [asyncio.ensure_future(database.write(work)) for work in works]
    await asyncio.sleep(0)
    await gate.open()
    outcomes = await asyncio.gather(*futures, return_exceptions=True)
    assert database.writer.commits == before + 2, "the works were not one group"
    return outcomes


async def test_a_write_is_durable_and_seen_by_readers_when_it_returns(database: Database) -> None:
    assert await database.write(note("a")) == "a"
    assert notes(database) == ["a"]


async def test_a_refused_job_leaves_its_neighbours_alone(database: Database) -> None:
    def refuse(connection: sqlite3.Connection) -> None:
        note("half")(connection)
        raise Conflict("No.")

    first, refused, last = await together(database, note("a"), refuse, note("b"))
    assert (first, last) == ("a", "b")
    assert isinstance(refused, Conflict)
    assert notes(database) == ["a", "b"]


@pytest.mark.parametrize(
    "fault", [KeyError("x"), RuntimeError("x"), AttributeError("x"), RecursionError("x")]
)
async def test_a_bug_in_a_job_ends_neither_the_writer_nor_its_neighbours(
    database: Database, fault: Exception
) -> None:
    def broken(_: sqlite3.Connection) -> None:
        raise fault

    first, failed, last = await together(database, note("a"), broken, note("b"))
    assert (first, failed, last) == ("a", fault, "b")
    assert await database.write(note("c")) == "c"


async def test_wrong_sql_is_the_fault_of_its_job_alone(database: Database) -> None:
    def wrong(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT * FROM nowhere")

    first, failed, broken, last = await together(database, note("a"), wrong, note("a"), note("b"))
    assert (first, last) == ("a", "b")
    assert isinstance(failed, sqlite3.OperationalError)
    assert isinstance(broken, sqlite3.IntegrityError)
    assert notes(database) == ["a", "b"]


async def test_a_full_disk_fails_the_whole_group_and_the_next_one_works(database: Database) -> None:
    outcomes = await together(database, note("a"), fill_the_disk, note("b"))
    for outcome in outcomes:
        assert isinstance(outcome, StorageFailed)
        assert "full" in outcome.message
        assert outcome.hint
    assert notes(database) == []
    await database.write(free_the_disk)
    await database.write(note("c"))
    assert notes(database) == ["c"]


async def test_results_of_a_failed_group_are_never_told(database: Database) -> None:
    told: list[tuple[Any, BaseException | None]] = []
    heard = asyncio.Event()

    def done(result: Any, failure: BaseException | None) -> None:
        told.append((result, failure))
        heard.set()

    gate = Gate(database)
    await gate.close()
    loop = asyncio.get_running_loop()
    database.writer.submit(Job(note("a"), done, loop, urgent=True))
    database.writer.submit(Job(fill_the_disk, lambda *_: None, loop, urgent=True))
    await gate.open()
    async with asyncio.timeout(30):
        await heard.wait()
    assert told[0][0] is None
    assert isinstance(told[0][1], StorageFailed)


def test_a_commit_that_fails_stores_and_tells_nothing(home: Home) -> None:
    code = """
        import asyncio, sys
        from pathlib import Path
        from bottega.errors import StorageFailed
        from bottega.storage.database import Database
        from bottega.storage.home import Home
        from bottega.storage.migrate import Migration

        async def main():
            database = Database.open(
                Home(Path(sys.argv[1])), (Migration(1, "notes", "CREATE TABLE notes (text TEXT);"),)
            )
            insert = lambda connection: connection.execute("INSERT INTO notes VALUES ('a')").close()
            try:
                await database.write(insert)
            except StorageFailed as failure:
                print(failure.message)
            await database.write(insert)
            print(database.read_now(lambda c: c.execute("SELECT COUNT(*) FROM notes").fetchone())[0])
            database.close()

        asyncio.run(main())
        """
    process = run(code, home.path, failpoints="storage.before_commit=error@1")
    message, count = process.stdout.splitlines()
    assert "is full" in message
    assert count == "1"


async def test_a_connection_that_broke_is_replaced(database: Database) -> None:
    def cut(connection: sqlite3.Connection) -> None:
        connection.close()

    with pytest.raises(StorageFailed):
        await database.write(cut)
    assert await database.write(note("a")) == "a"


async def test_a_locked_database_is_said_to_be_locked(database: Database) -> None:
    await database.write(lambda connection: connection.execute("PRAGMA busy_timeout = 10").close())
    other = sqlite3.connect(database.home.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageFailed, match="locked"):
        await database.write(note("a"))
    other.execute("COMMIT")
    other.close()
    assert await database.write(note("b")) == "b"


async def test_what_nobody_waits_for_is_committed_in_few_groups(database: Database) -> None:
    loop = asyncio.get_running_loop()
    heard = asyncio.Event()
    before = database.writer.commits
    for number in range(1000):
        last = number == 999
        done = (lambda *_: heard.set()) if last else (lambda *_: None)
        database.writer.submit(Job(note(str(number)), done, loop, urgent=False))
        await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await heard.wait()
    assert len(notes(database)) == 1000
    assert database.writer.commits - before < 50


async def test_many_who_wait_at_once_share_few_commits(database: Database) -> None:
    before = database.writer.commits
    async with asyncio.timeout(10):
        await asyncio.gather(*(database.write(note(str(number))) for number in range(1000)))
    assert len(notes(database)) == 1000
    assert database.writer.commits - before < 50


async def test_closing_does_what_was_submitted(home: Home) -> None:
    database = Database.open(home, NOTES)
    loop = asyncio.get_running_loop()
    for number in range(100):
        database.writer.submit(Job(note(str(number)), lambda *_: None, loop, urgent=False))
    database.close()
    again = Database.open(home, NOTES)
    assert len(notes(again)) == 100
    again.close()


async def test_a_closed_database_refuses_to_write(home: Home) -> None:
    database = Database.open(home, NOTES)
    database.close()
    with pytest.raises(StorageFailed, match="closed"):
        await database.write(note("a"))


async def test_someone_who_stops_waiting_disturbs_nobody(database: Database) -> None:
    gate = Gate(database)
    await gate.close()
    left = asyncio.ensure_future(database.write(note("a")))
    stays = asyncio.ensure_future(database.write(note("b")))
    await asyncio.sleep(0)
    left.cancel()
    await gate.open()
    assert await stays == "b"
    assert notes(database) == ["a", "b"]


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StorageFailed, match="read-only"):
        await database.read(note("a"))


async def test_the_version_changes_when_anyone_commits(database: Database) -> None:
    first = database.version()
    assert database.version() == first
    await database.write(note("a"))
    second = database.version()
    assert second != first
    other = sqlite3.connect(database.home.database)
    other.execute("INSERT INTO notes VALUES ('b')")
    other.commit()
    other.close()
    assert database.version() != second
