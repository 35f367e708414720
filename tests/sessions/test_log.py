"""The log and its followers: each event once and in order, wherever it was written."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from weakref import ref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.errors import Conflict, NotFound, Refused, StorageFailed
from bottega.events.event import Event
from bottega.events.facts import (
    AssistantMessage,
    CancelRequested,
    ModeChanged,
    TextDelta,
    UserMessage,
)
from bottega.messages.block import Text
from bottega.sessions.feed import Frame
from bottega.sessions.log import PAGE, Log, insert
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.tables import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.storage.sqlite import connect
from tests.events.logs import answer, end, prompt
from tests.events.logs import log as facts_of
from tests.hunt import examples
from tests.processes import running
from tests.sessions import stored
from tests.storage.gate import Blind, Gate, fill_the_disk, free_the_disk

ELSEWHERE = """
    import asyncio, sys
    from pathlib import Path
    from bottega.events.event import Event
    from bottega.events.facts import ModeChanged
    from bottega.sessions.log import Log
    from bottega.sessions.tables import MIGRATIONS
    from bottega.storage.database import Database
    from bottega.storage.home import Home

    async def main():
        database = Database.open(Home(Path(sys.argv[1])), MIGRATIONS)
        log = Log(database)
        print("ready", flush=True)
        for line in sys.stdin:
            for number in range(int(line)):
                event = Event("mode_changed", 1, ModeChanged(f"there {number}"))
                await log.append(int(sys.argv[2]), [event], lambda connection: True)
            print("written", flush=True)

    asyncio.run(main())
    """


def mode(name: str) -> Event:
    return Event("mode_changed", 1, ModeChanged(name))


async def append(log: Log, session: SessionRow, *names: str) -> None:
    await log.append(session.n, [mode(name) for name in names], lambda _: True)


async def taken(frames: AsyncIterator[Frame], upto: int) -> list[int]:
    """Indexes of what a follower gets until it has the event `upto`; trimmed ones are negative."""
    seen: list[int] = []
    async with asyncio.timeout(10):
        async for frame in frames:
            if frame.trimmed:
                seen += [-index for index in range(frame.trimmed[0], frame.trimmed[1] + 1)]
            seen += [index for index, _ in frame.events]
            if frame.events[-1][0] >= upto:
                break
    return seen


async def test_appends_get_indexes_without_gaps(log: Log, session: SessionRow) -> None:
    await asyncio.gather(*(append(log, session, f"{n}", f"{n}+") for n in range(20)))
    rows = await log.page(session.n, 0)
    assert [index for index, _ in rows] == list(range(1, 41))
    assert Sessions(log.database).get(session.id).last_index == 40


async def test_a_guest_may_not_write_what_a_worker_writes(log: Log, session: SessionRow) -> None:
    event = Event("user_message", 1, UserMessage((Text("hi"),)))
    with pytest.raises(Refused, match="user_message"):
        await log.append(session.n, [event], lambda _: True)


async def test_a_refusal_or_nothing_to_do_appends_nothing(log: Log, session: SessionRow) -> None:
    def refuse(_: sqlite3.Connection) -> bool:
        raise Conflict("No.")

    with pytest.raises(Conflict):
        await log.append(session.n, [mode("a")], refuse)
    assert await log.append(session.n, [mode("a")], lambda _: None) is None
    assert await log.page(session.n, 0) == []


async def test_a_session_that_is_not_there_cannot_be_written_or_followed(log: Log) -> None:
    with pytest.raises(NotFound):
        await log.append(99, [mode("a")], lambda _: True)
    with pytest.raises(NotFound):
        await anext(log.follow(99))


async def test_a_follower_gets_what_was_and_what_comes(log: Log, session: SessionRow) -> None:
    await append(log, session, "a", "b")
    async with aclosing(log.follow(session.n)) as frames:
        assert await taken(frames, 2) == [1, 2]
        await append(log, session, "c")
        assert await taken(frames, 3) == [3]
    async with aclosing(log.follow(session.n, after=2)) as frames:
        assert await taken(frames, 3) == [3]


async def test_a_follower_far_behind_reads_pages(log: Log, session: SessionRow) -> None:
    many = [Event("text_delta", 1, TextDelta(f"{n}")) for n in range(10_000)]
    await stored.write(log.database, session, many)
    sizes: list[int] = []
    seen: list[int] = []
    async with aclosing(log.follow(session.n)) as frames:
        async for frame in frames:
            sizes.append(len(frame.events))
            seen += [index for index, _ in frame.events]
            if seen[-1] == 10_000:
                break
    assert seen == list(range(1, 10_001))
    assert max(sizes) <= PAGE


async def test_trimmed_deltas_are_told_as_a_range(log: Log, session: SessionRow) -> None:
    deltas = [Event("text_delta", 1, TextDelta("x")) for _ in range(5)]
    await stored.write(log.database, session, [mode("a"), *deltas, mode("b")])
    await log.database.write(
        lambda connection: connection.execute("DELETE FROM events WHERE kind = 1").close()
    )
    async with aclosing(log.follow(session.n)) as frames:
        assert await taken(frames, 7) == [1, -2, -3, -4, -5, -6, 7]
    async with aclosing(log.follow(session.n, after=4)) as frames:
        assert await taken(frames, 7) == [-5, -6, 7]


async def test_nothing_of_a_failed_commit_is_shown(log: Log, session: SessionRow) -> None:
    async with aclosing(log.follow(session.n)) as frames:
        first = asyncio.ensure_future(taken(frames, 1))
        gate = Gate(log.database)
        await gate.close()
        lost = asyncio.ensure_future(append(log, session, "lost"))
        filling = asyncio.ensure_future(log.database.write(fill_the_disk))
        await asyncio.sleep(0)
        await gate.open()
        for outcome in await asyncio.gather(lost, filling, return_exceptions=True):
            assert isinstance(outcome, StorageFailed)
        await log.database.write(free_the_disk)
        assert not first.done()
        assert log.feed(session.n).last_index == 0
        await append(log, session, "after")
        assert await first == [1]
    assert stored.events(log.database, session)[0].data == ModeChanged("after")


async def test_a_follower_ends_when_its_session_is_forgotten(log: Log, session: SessionRow) -> None:
    await append(log, session, "a")
    frames = log.follow(session.n)
    async with asyncio.timeout(30):
        first = await anext(frames)
        task = asyncio.ensure_future(anext(frames, None))
        await asyncio.sleep(0)
        log.forget(session.n)
        assert await task is None
    assert [index for index, _ in first.events] == [1]


async def test_a_follower_ends_when_another_process_deletes_the_session(
    log: Log, session: SessionRow
) -> None:
    task = asyncio.ensure_future(anext(log.follow(session.n), None))
    await asyncio.sleep(0)
    other = connect(log.database.home.database)
    other.execute("DELETE FROM sessions WHERE n = ?", (session.n,))
    other.close()
    async with asyncio.timeout(30):
        assert await task is None


async def test_a_session_that_nobody_follows_any_more_leaves_nothing_in_memory(
    log: Log, session: SessionRow
) -> None:
    with log.following(session.n) as feed:
        assert log.feed(session.n) is feed
        seen = ref(feed)
    del feed
    assert seen() is None
    await append(log, session, "unseen")
    assert log.feed(session.n).last_index == 1


async def test_a_look_that_fails_is_not_the_last_one(log: Log, session: SessionRow) -> None:
    with log.following(session.n) as feed:
        async with asyncio.timeout(10):
            with Blind(log.database) as blind:
                await blind.met.wait()
            other = connect(log.database.home.database)
            other.execute("BEGIN IMMEDIATE")
            insert(other, session.n, [mode("elsewhere")])
            other.execute("COMMIT")
            other.close()
            await feed.wait(0)


@pytest.mark.requirement("C11")
async def test_what_another_process_appends_arrives_in_order(log: Log, session: SessionRow) -> None:
    with running(ELSEWHERE, log.database.home.path, str(session.n)) as process:
        assert process.stdin
        async with aclosing(log.follow(session.n)) as frames:
            process.stdin.write("20\n")
            process.stdin.flush()
            for number in range(20):
                await append(log, session, f"here {number}")
            assert await taken(frames, 40) == list(range(1, 41))
        names = [event.data.mode for event in stored.events(log.database, session)]
        for place in ("here", "there"):
            mine = [name for name in names if name.startswith(place)]
            assert mine == [f"{place} {number}" for number in range(20)]


async def test_facts_and_tails_leave_deltas_out(log: Log, session: SessionRow) -> None:
    whole = AssistantMessage((Text("xy"),), "end_turn")
    await stored.write(
        log.database,
        session,
        [
            mode("a"),
            Event("text_delta", 1, TextDelta("x")),
            Event("text_delta", 1, TextDelta("y")),
            Event("assistant_message", 1, whole),
            Event("cancel_requested", 1, CancelRequested()),
        ],
    )
    assert [index for index, _ in await log.facts(session.n)] == [1, 4, 5]
    assert [index for index, _ in await log.facts(session.n, after=1)] == [4, 5]
    assert [index for index, _ in await log.tail(session.n, limit=2)] == [4, 5]
    assert [index for index, _ in await log.tail(session.n, before=5)] == [1, 4]


async def test_nothing_is_ahead_once_the_rows_are_gone(log: Log, session: SessionRow) -> None:
    await append(log, session, "a")
    assert [frame.events[0][0] for frame in await log.ahead(session.n, 0)] == [1]
    other = connect(log.database.home.database)
    other.execute("DELETE FROM sessions")
    other.execute("DELETE FROM events")
    other.close()
    assert await log.ahead(session.n, 0) == []


async def test_a_fold_may_begin_after_the_end_of_an_exchange(log: Log, session: SessionRow) -> None:
    exchange = facts_of(*prompt("go"), answer(Text("done")), end("done"))
    await stored.write(log.database, session, [*exchange, *exchange, *exchange[:3]])
    starts = [log.fold_start(session.n, after) for after in range(11)]
    assert starts == [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8]


async def test_a_feed_that_nobody_follows_holds_no_rows(log: Log, session: SessionRow) -> None:
    await append(log, session, "a")
    async with aclosing(log.follow(session.n)) as frames:
        await taken(frames, 1)
        await append(log, session, "b")
        await taken(frames, 2)
        assert log.feed(session.n).since(1)
    assert log.feed(session.n).since(1) == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path: Path = tmp_path_factory.mktemp("shared") / "home"
    database = Database.open(Home(path), MIGRATIONS)
    yield database
    database.close()


MOVES = st.lists(
    st.sampled_from(["here", "there", "both", "look", "hint", "trim", "join"]), max_size=14
)


@pytest.mark.fuzz
@pytest.mark.requirement("C11")
@settings(max_examples=examples(25, 500), deadline=None)
@given(MOVES)
def test_any_interleaving_shows_each_event_once_and_in_order(
    shared: Database, moves: list[str]
) -> None:
    asyncio.run(interleave(shared, moves))


async def interleave(database: Database, moves: list[str]) -> None:
    session = await Sessions(database).create(model="m", agent="a", folder="/")
    busy = Busy(database, session)
    for move in ["join", *moves]:
        await getattr(busy, move)()
    await busy.check()


class Busy:
    """Two processes write, someone trims, and followers that join at any time see it all."""

    def __init__(self, database: Database, session: SessionRow) -> None:
        self._database = database
        self._log = Log(database)
        self._session = session
        self._other = connect(database.home.database)
        self._followers: list[asyncio.Task[list[int]]] = []
        self._goal = 2**62

    def _last(self) -> int:
        return Sessions(self._database).get(self._session.id).last_index

    async def join(self) -> None:
        self._followers.append(asyncio.ensure_future(self._follow()))

    async def _follow(self) -> list[int]:
        seen: list[int] = []
        async with aclosing(self._log.follow(self._session.n)) as frames:
            async for frame in frames:
                if frame.trimmed:
                    seen += range(frame.trimmed[0], frame.trimmed[1] + 1)
                seen += [index for index, _ in frame.events]
                if seen[-1] >= self._goal:
                    break
        return seen

    async def here(self) -> None:
        await append(self._log, self._session, "here")

    async def there(self) -> None:
        self._other.execute("BEGIN IMMEDIATE")
        written = [Event("text_delta", 1, TextDelta("x")), mode("there")]
        insert(self._other, self._session.n, written)
        self._other.execute("COMMIT")

    async def both(self) -> None:
        pending = asyncio.ensure_future(self.here())
        await asyncio.sleep(0)
        await self.there()
        await pending

    async def look(self) -> None:
        await asyncio.sleep(0)

    async def hint(self) -> None:
        self._log.feed(self._session.n).grow(self._last())

    async def trim(self) -> None:
        self._other.execute("DELETE FROM events WHERE session = ? AND kind = 1", (self._session.n,))

    async def check(self) -> None:
        self._goal = self._last() + 1
        await self.here()
        async with asyncio.timeout(10):
            for seen in await asyncio.gather(*self._followers):
                assert seen == list(range(1, self._goal + 1))
        self._log.close()
        self._other.close()
