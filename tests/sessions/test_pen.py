"""The pen: order, merging, room, and what happens when another worker has taken over."""

import asyncio
import sqlite3
from contextlib import aclosing

import pytest

from bottega.errors import Conflict, Fenced, StorageFailed
from bottega.events.event import Event
from bottega.events.facts import (
    AssistantMessage,
    InputJsonDelta,
    MessageStart,
    ModeChanged,
    ReasoningDelta,
    TextDelta,
    ToolOutputDelta,
)
from bottega.messages.block import Text
from bottega.sessions.lease import Contender, Lease
from bottega.sessions.log import Log
from bottega.sessions.pen import ROOM, Pen, merged
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.database import Database
from bottega.storage.home import Life
from tests.sessions import stored
from tests.storage.gate import Gate, fill_the_disk, free_the_disk


def text(words: str, step: int = 1, attempt: int = 1) -> Event:
    return Event("text_delta", 1, TextDelta(words), "m1", step, attempt, "provider")


def whole(words: str) -> Event:
    return Event("assistant_message", 2, AssistantMessage((Text(words),), "end_turn"), "m1", 1)


async def leased(database: Database, session: SessionRow, worker: str = "wrk_a") -> Lease:
    contender = Contender(database.home, worker)
    lease = await database.write(lambda connection: contender.take(connection, session.n))
    assert lease
    return lease


@pytest.fixture
async def pen(log: Log, session: SessionRow) -> Pen:
    return Pen(log, await leased(log.database, session))


async def test_what_is_recorded_is_durable_with_all_that_came_before(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    for word in ("one ", "two ", "three"):
        pen.emit(text(word))
    await pen.record(whole("one two three"))
    events = stored.events(log.database, session)
    assert "".join(e.data.text for e in events[:-1]) == "one two three"
    assert events[-1].type == "assistant_message"
    assert [event.index for event in events] == list(range(1, len(events) + 1))


async def test_a_thousand_deltas_are_few_commits_and_few_rows(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    before = log.database.writer.commits
    words = [f"{n} " for n in range(1000)]
    for word in words:
        pen.emit(text(word))
        await asyncio.sleep(0)
    await pen.record(whole("all"))
    assert log.database.writer.commits - before < 50
    events = stored.events(log.database, session)
    assert len(events) < 50
    assert "".join(e.data.text for e in events[:-1]) == "".join(words)


async def test_followers_see_deltas_once_durable_and_in_order(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    seen: list[int] = []
    async with asyncio.timeout(30), aclosing(log.follow(session.n)) as frames:
        for number in range(30):
            pen.emit(text("x"))
            if number % 7 == 0:
                await pen.record(Event("mode_changed", 1, ModeChanged("m")))
        await pen.record(whole("x" * 30))
        last = Sessions(log.database).get(session.id).last_index
        async for frame in frames:
            seen += [index for index, _ in frame.events]
            if seen[-1] == last:
                break
    assert seen == list(range(1, last + 1))


async def test_also_is_in_the_same_transaction(pen: Pen, log: Log, session: SessionRow) -> None:
    def rename(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE sessions SET title = 'done' WHERE n = ?", (session.n,))

    await pen.record(whole("a"), also=rename)
    assert Sessions(log.database).get(session.id).title == "done"

    def refuse(_: sqlite3.Connection) -> None:
        raise Conflict("Taken back.")

    with pytest.raises(Conflict):
        await pen.record(whole("b"), also=refuse)
    await pen.record(whole("c"))
    said = [event.data.content[0].text for event in stored.events(log.database, session)]
    assert said == ["a", "c"], "a refusal is stored nowhere, and the pen goes on"


async def test_a_stream_waits_while_too_much_is_not_durable(pen: Pen, log: Log) -> None:
    gate = Gate(log.database)
    await gate.close()
    await pen.room()
    pen.emit(text("x" * (ROOM + 1)))
    assert pen.is_full
    waiting = asyncio.ensure_future(pen.room())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not waiting.done()
    await gate.open()
    async with asyncio.timeout(30):
        await waiting
    assert not pen.is_full


async def test_who_waits_for_room_is_not_told_of_anothers_refusal(pen: Pen, log: Log) -> None:
    def refuse(_: sqlite3.Connection) -> None:
        raise Conflict("Taken back.")

    gate = Gate(log.database)
    await gate.close()
    refused = asyncio.ensure_future(pen.record(text("x" * (ROOM + 1)), also=refuse))
    await asyncio.sleep(0)
    waiting = asyncio.ensure_future(pen.room())
    await asyncio.sleep(0)
    await gate.open()
    with pytest.raises(Conflict):
        await refused
    async with asyncio.timeout(30):
        await waiting


async def test_a_fenced_pen_writes_nothing_and_says_so(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    await pen.record(whole("mine"))
    successor = await leased(log.database, session, "wrk_b")
    pen.emit(text("late"))
    with pytest.raises(Fenced):
        await pen.record(whole("too late"))
    with pytest.raises(Fenced):
        pen.emit(text("still here?"))
    with pytest.raises(Fenced):
        await pen.room()
    other = Pen(log, successor)
    await other.record(whole("theirs"))
    said = [event.data.content[0].text for event in stored.events(log.database, session)]
    assert said == ["mine", "theirs"]


async def test_a_fenced_pen_leaves_its_neighbours_in_the_group_alone(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    neighbour = await Sessions(log.database).create(model="m", agent="a", folder="/")
    other = Pen(log, await leased(log.database, neighbour))
    await leased(log.database, session, "wrk_b")
    gate = Gate(log.database)
    await gate.close()
    before = log.database.writer.commits
    outcomes = asyncio.gather(
        pen.record(whole("fenced")), other.record(whole("fine")), return_exceptions=True
    )
    await asyncio.sleep(0)
    await gate.open()
    fenced, fine = await outcomes
    assert log.database.writer.commits == before + 2, "they were not one group"
    assert isinstance(fenced, Fenced)
    assert fine is None
    assert stored.types(log.database, session) == []
    assert stored.types(log.database, neighbour) == ["assistant_message"]


async def test_a_full_disk_stops_the_pen_and_shows_nothing(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    frames = log.follow(session.n)
    first = asyncio.ensure_future(anext(frames))
    gate = Gate(log.database)
    await gate.close()
    recording = asyncio.ensure_future(pen.record(whole("not stored")))
    filling = asyncio.ensure_future(log.database.write(fill_the_disk))
    await asyncio.sleep(0)
    await gate.open()
    for outcome in await asyncio.gather(recording, filling, return_exceptions=True):
        assert isinstance(outcome, StorageFailed)
    with pytest.raises(StorageFailed, match="full"):
        pen.emit(text("more"))
    await log.database.write(free_the_disk)
    assert log.feed(session.n).last_index == 0
    assert stored.types(log.database, session) == []
    await stored.write(log.database, session, [whole("of the next worker")])
    async with asyncio.timeout(30):
        frame = await first
    assert b"of the next worker" in frame.events[0][1]
    await frames.aclose()  # type: ignore[attr-defined]


async def test_guests_write_between_and_the_pen_goes_on(
    pen: Pen, log: Log, session: SessionRow
) -> None:
    await pen.record(whole("a"))
    await log.append(session.n, [Event("mode_changed", 1, ModeChanged("plan"))], lambda _: True)
    await pen.record(whole("b"))
    assert stored.types(log.database, session) == [
        "assistant_message",
        "mode_changed",
        "assistant_message",
    ]


async def test_a_deleted_session_fences_its_pen(pen: Pen, log: Log, session: SessionRow) -> None:
    await log.database.write(
        lambda connection: connection.execute(
            "DELETE FROM sessions WHERE n = ?", (session.n,)
        ).close()
    )
    with pytest.raises(Fenced):
        await pen.record(whole("a"))


def test_only_neighbours_that_belong_together_are_merged() -> None:
    def thought(words: str) -> Event:
        return Event("reasoning_delta", 1, ReasoningDelta(words), "m1", 1, 1)

    def piece(call: int, json: str, name: str = "") -> Event:
        return Event("input_json_delta", 1, InputJsonDelta(call, json, name, name), "m1", 1, 1)

    def printed(tool: str, words: str) -> Event:
        return Event("tool_output_delta", 1, ToolOutputDelta(tool, words), "m1", 1, 1)

    start = Event("message_start", 1, MessageStart("m"), "m1", 1, 1)
    events = [
        *(start, start, text("a"), text("b"), thought("c"), thought("d"), text("e")),
        *(text("f", attempt=2), text("g", step=2)),
        *(piece(0, "", "c0"), piece(0, "{"), piece(0, "}"), piece(1, "", "c1"), piece(1, "{}")),
        *(printed("c0", "x"), printed("c0", "y"), printed("c1", "z")),
    ]
    assert merged(events) == [
        *(start, start, text("ab"), thought("cd"), text("e")),
        *(text("f", attempt=2), text("g", step=2)),
        *(piece(0, "{}", "c0"), piece(1, "{}", "c1")),
        *(printed("c0", "xy"), printed("c1", "z")),
    ]
    assert merged([]) == []


async def test_a_workers_own_life_keeps_its_lease(log: Log, session: SessionRow) -> None:
    life = Life(log.database.home, "wrk_a")
    await leased(log.database, session, "wrk_a")
    other = Contender(log.database.home, "wrk_b")
    assert await log.database.write(lambda c: other.take(c, session.n)) is None
    life.end()
