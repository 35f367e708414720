"""What is removed, and above all what is not."""

import asyncio
import sqlite3
from contextlib import aclosing

import pytest

from bottega.errors import Conflict, Fenced, NotFound
from bottega.events import facts as f
from bottega.events.event import Event
from bottega.messages.block import Text
from bottega.sessions.attach import Attachments
from bottega.sessions.care import leftovers
from bottega.sessions.care.check import check
from bottega.sessions.care.leftovers import sweep
from bottega.sessions.care.retention import Trimmed, delete, trim
from bottega.sessions.care.search import Search
from bottega.sessions.inbox import Inbox, Prompt
from bottega.sessions.lease import Contender
from bottega.sessions.log import Log
from bottega.sessions.pen import Pen
from bottega.sessions.session import SessionRow, Sessions, now
from bottega.sessions.told.transcript import transcript
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Life
from tests.events.logs import Generator, answer, call, end, log, prompt, result
from tests.hunt import examples
from tests.processes import run
from tests.sessions import stored

COMPLETE = [
    *prompt("go"),
    f.MessageStart("m"),
    f.ReasoningDelta("h"),
    f.TextDelta("let"),
    f.InputJsonDelta(0, "{}", "c1", "read_file"),
    answer(Text("let me"), call("c1")),
    f.ToolIntent("c1", "read_file", "hash"),
    f.ToolOutputDelta("c1", "10 %"),
    result("c1"),
    f.MessageStart("m"),
    f.TextDelta("do"),
    f.StreamReset("cut"),
    f.TextDelta("done"),
    answer(Text("done")),
    end("done"),
]
OPEN = [*prompt("again"), f.MessageStart("m"), f.TextDelta("half an ans")]


def kept(database: Database, session: SessionRow) -> list[int]:
    return [index for index, _ in stored.rows(database, session)]


@pytest.mark.requirement("C11")
async def test_deltas_whose_whole_is_stored_are_trimmed(
    database: Database, session: SessionRow
) -> None:
    session = await stored.write(database, session, log(*COMPLETE))
    trimmed = await trim(database)
    assert (trimmed.rows, trimmed.sessions) == (6, 1)
    assert trimmed.bytes > 0
    assert kept(database, session) == [1, 2, 3, 7, 8, 10, 11, 13, 15, 16]
    assert await trim(database) == Trimmed(0, 0, 0)
    assert check(database.home) == []


async def test_deltas_of_an_answer_that_is_not_complete_stay(
    database: Database, session: SessionRow
) -> None:
    running = [answer(call("c1")), f.ToolIntent("c1", "t", "h"), f.ToolOutputDelta("c1", "10 %")]
    await stored.write(database, session, log(*OPEN))
    broken = await Sessions(database).create(model="m", agent="a", folder="/")
    await stored.write(database, broken, log(*OPEN, end("", success=False)))
    tool = await Sessions(database).create(model="m", agent="a", folder="/")
    await stored.write(database, tool, log(*prompt("go"), f.MessageStart("m"), *running))
    later = await Sessions(database).create(model="m", agent="a", folder="/")
    await stored.write(database, later, [*log(*OPEN), *log(*COMPLETE, message_id="m2")])
    assert (await trim(database)).rows == 6
    assert 4 in kept(database, session)
    assert 4 in kept(database, broken)
    assert 5 in kept(database, tool)
    assert 4 in kept(database, later), "another exchange's answer does not complete this one"
    assert check(database.home) == [] or "never ended" in check(database.home)[0].what


async def test_only_old_answers_lose_their_deltas(database: Database, session: SessionRow) -> None:
    old = log(*COMPLETE)
    moment = now()
    fresh = [
        Event(e.type, moment, e.data, "m2", e.step, e.attempt, e.actor) for e in log(*COMPLETE)
    ]
    await stored.write(database, session, [*old, *fresh])
    assert (await trim(database, older_than_ms=60_000)).rows == 6
    assert len(kept(database, session)) == 10 + 16
    assert (await trim(database, older_than_ms=-60_000)).rows == 6


async def test_one_session_can_be_trimmed_alone(database: Database, session: SessionRow) -> None:
    other = await Sessions(database).create(model="m", agent="a", folder="/")
    for row in (session, other):
        await stored.write(database, row, log(*COMPLETE))
    assert (await trim(database, session=session)).rows == 6
    assert len(kept(database, other)) == 16


async def test_many_rows_are_trimmed_in_small_steps(
    database: Database, session: SessionRow
) -> None:
    many = [f.TextDelta("x")] * 5_000
    await stored.write(
        database, session, log(*prompt(), f.MessageStart("m"), *many, answer(Text("x")), end("x"))
    )
    before = database.writer.commits
    assert (await trim(database)).rows == 5_000
    assert database.writer.commits - before == 3
    assert kept(database, session) == [1, 2, 3, 5004, 5005]


@pytest.mark.fuzz
async def test_trimming_changes_no_transcript_and_no_check(database: Database) -> None:
    for seed in range(examples(20, 500)):
        session = await Sessions(database).create(model="m", agent="a", folder="/")
        await stored.write(database, session, Generator(seed).plausible())
        before = transcript(stored.events(database, session))
        await trim(database, session=session)
        assert transcript(stored.events(database, session)) == before, seed
    assert check(database.home) == []


async def test_a_follower_is_told_what_was_trimmed(log_: Log, session: SessionRow) -> None:
    await stored.write(log_.database, session, log(*COMPLETE))
    await trim(log_.database)
    ranges: list[tuple[int, int]] = []
    async with asyncio.timeout(30), aclosing(log_.follow(session.n)) as frames:
        async for frame in frames:
            ranges += [frame.trimmed] if frame.trimmed else []
            if frame.events[-1][0] == 16:
                break
    assert ranges == [(4, 6), (9, 9), (12, 12), (14, 14)]


@pytest.fixture
def log_(request: pytest.FixtureRequest) -> Log:
    return request.getfixturevalue("log")


async def test_a_deleted_session_leaves_nothing_behind(
    log_: Log, session: SessionRow, blobs: Blobs, inbox: Inbox
) -> None:
    database = log_.database
    other = await Sessions(database).create(model="m", agent="a", folder="/")
    attachments = Attachments(database, blobs)
    mine, ours = b"only mine", b"of both"
    for row, content in ((session, mine), (session, ours), (other, ours)):
        await attachments.keep(row.n, content)
    await inbox.admit(session, Prompt("m9", (Text("needle"),)), by="cli")
    await stored.write(database, session, log(*COMPLETE))
    await stored.write(database, other, log(*prompt("needle")))
    search = Search(database)
    assert len(await search.search("needle")) == 1
    assert len(await search.search("let me")) == 1

    await delete(database, log_, blobs, session)

    with pytest.raises(NotFound):
        Sessions(database).get(session.id)
    assert await search.search("let me") == []
    assert len(await search.search("needle")) == 1
    assert stored.count(database, "events") == 2
    assert stored.count(database, "inbox") == 0
    assert stored.count(database, "words") == 1
    assert len(blobs.names()) == 1
    assert attachments.read(other.n, attachments.names(other.n)[0]) == ours
    assert check(database.home) == []
    with pytest.raises(NotFound):
        await delete(database, log_, blobs, session)


async def test_followers_end_with_their_session(
    log_: Log, session: SessionRow, blobs: Blobs
) -> None:
    await stored.write(log_.database, session, log(*prompt()))
    frames = log_.follow(session.n)
    async with asyncio.timeout(30):
        await anext(frames)
        last = asyncio.ensure_future(anext(frames, None))
        await asyncio.sleep(0)
        await delete(log_.database, log_, blobs, session)
        assert await last is None


async def test_a_session_that_a_living_worker_runs_is_not_deleted(
    log_: Log, session: SessionRow, blobs: Blobs
) -> None:
    database = log_.database
    life = Life(database.home, "wrk_a")
    contender = Contender(database.home, "wrk_a")
    lease = await database.write(lambda connection: contender.take(connection, session.n))
    assert lease
    pen = Pen(log_, lease)
    with pytest.raises(Conflict, match="being run") as refused:
        await delete(database, log_, blobs, session)
    assert refused.value.hint
    await delete(database, log_, blobs, session, force=True)
    with pytest.raises(Fenced):
        await pen.record(Event("mode_changed", 1, f.ModeChanged("plan")))
    life.end()


async def test_a_session_of_a_dead_worker_is_deleted(
    log_: Log, session: SessionRow, blobs: Blobs
) -> None:
    contender = Contender(log_.database.home, "wrk_dead")
    await log_.database.write(lambda connection: contender.take(connection, session.n))
    await delete(log_.database, log_, blobs, session)
    with pytest.raises(NotFound):
        Sessions(log_.database).get(session.id)


DELETE = """
    import asyncio, sys
    from pathlib import Path
    from bottega.sessions.log import Log
    from bottega.sessions.care.retention import delete
    from bottega.sessions.session import Sessions
    from bottega.sessions.tables import MIGRATIONS
    from bottega.storage.blobs import Blobs
    from bottega.storage.database import Database
    from bottega.storage.home import Home

    async def main():
        database = Database.open(Home(Path(sys.argv[1])), MIGRATIONS)
        session = Sessions(database).get(sys.argv[2])
        await delete(database, Log(database), Blobs(database.home.blobs), session)

    asyncio.run(main())
    """


@pytest.mark.chaos
async def test_a_kill_while_deleting_leaves_nothing_to_see_and_a_sweep_removes_the_rest(
    log_: Log, session: SessionRow, blobs: Blobs
) -> None:
    database = log_.database
    await Attachments(database, blobs).keep(session.n, b"mine")
    await stored.write(database, session, log(*COMPLETE))
    await Search(database).update()
    killed = run(DELETE, database.home.path, session.id, failpoints="retention.after_remove=kill@1")
    assert killed.returncode == -9
    with pytest.raises(NotFound):
        Sessions(database).get(session.id)
    assert await Search(database).search("let me") == []
    assert [finding.next for finding in check(database.home)] == [
        "`bottega db trim` removes them."
    ] * 2

    assert await sweep(database, blobs) == leftovers.Swept(rows=16, blobs=0), "the blob is fresh"
    assert len(blobs.names()) == 1
    assert await sweep(database, blobs, grace=-1) == leftovers.Swept(rows=0, blobs=1)
    assert blobs.names() == set()
    assert check(database.home) == []


async def test_a_sweep_leaves_everything_that_somebody_has(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await Attachments(database, blobs).keep(session.n, b"mine")
    await stored.write(database, session, log(*COMPLETE))
    await Search(database).update()
    (database.home.blobs / f"{'0' * 64}.1-1.part").write_bytes(b"half")
    assert await sweep(database, blobs, grace=-1) == leftovers.Swept(rows=0, blobs=0)
    assert len(blobs.names()) == 1
    assert blobs.parts() == []
    assert len(kept(database, session)) == 16


async def test_an_unreadable_event_is_left_for_the_check(
    database: Database, session: SessionRow
) -> None:
    await stored.write(database, session, log(*COMPLETE))

    def spoil(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE events SET body = x'7b' WHERE idx IN (4, 8)")

    await database.write(spoil)
    assert (await trim(database)).rows == 5
