"""A worker that attends by itself: what it takes, in which order, how much at once, and what it leaves alone."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bottega.accounts.people import People
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.projects.projects import Projects
from bottega.sessions.inbox import Place, Prompt
from bottega.studio import Session, Studio
from tests.storage.gate import Blind

Scripted = Callable[..., str]

SAY = [{"do": "say", "text": "Done."}]


@pytest.fixture
async def front(home: Path) -> AsyncIterator[Studio]:
    """Who admits and follows, and runs nothing: a server's front."""
    async with Studio(home, admits_as="server", runs=False) as studio:
        yield studio


@asynccontextmanager
async def working(home: Path, **flags: Any) -> AsyncIterator[Studio]:
    async with Studio(home, admits_as="server", on_crash=None, attends=True, flags=flags) as studio:
        yield studio


async def say(session: Session, text: str = "go") -> str:
    message_id = fresh_message()
    await session.admit(Prompt(message_id, (Text(text),)))
    return message_id


async def ended(session: Session, *message_ids: str) -> list[str]:
    """Wait until all these exchanges have ended; the order in which they did."""
    order: list[str] = []
    async with asyncio.timeout(20):
        async for event in session.follow():
            if event.type == "exchange_response" and event.message_id in message_ids:
                order.append(event.message_id)
                if len(order) == len(message_ids):
                    break
    return order


async def begun(session: Session, message_id: str) -> None:
    async with asyncio.timeout(20):
        async for event in session.follow():
            if event.type == "user_message" and event.message_id == message_id:
                return


def gated(scripted: Scripted, tmp_path: Path, name: str = "gate") -> tuple[str, Path]:
    """A model that answers once a file is there."""
    gate = tmp_path / name
    steps = [{"do": "gate", "path": str(gate)}, *SAY]
    return scripted(steps, name=name, after="repeat"), gate


async def test_what_was_admitted_before_it_began_is_run(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    session = await front.start(model=scripted(SAY), folder=folder)
    said = await say(session)
    async with working(home):
        await ended(session, said)
    assert front.find(session.id).row.status == "idle"


async def test_a_look_that_fails_is_not_the_last_one(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    session = await front.start(model=scripted(SAY), folder=folder)
    async with working(home) as studio:
        async with asyncio.timeout(10):
            with Blind(studio.runtime.database) as blind:
                await blind.met.wait()
        await ended(session, await say(session))


async def test_what_another_process_admits_is_begun_within_a_quarter_of_a_second(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    async with working(home):
        session = await front.start(model=scripted(SAY, after="repeat"), folder=folder)
        took: list[int] = []
        for _ in range(3):
            said = await say(session)
            await ended(session, said)
            times = {e.type: e.at for e in await session.facts() if e.message_id == said}
            took.append(times["user_message"] - times["prompt_queued"])
    assert min(took) < 250


@pytest.mark.requirement("S15")
async def test_prompts_of_a_session_run_one_after_the_other_in_their_order(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    session = await front.start(model=scripted(SAY, after="repeat"), folder=folder)
    said = [await say(session, f"number {number}") for number in range(8)]
    async with working(home), working(home):
        assert await ended(session, *said) == said
    open_now: set[str] = set()
    for event in await session.facts():
        if event.type == "user_message":
            assert not open_now, "a prompt began before the one before it had ended"
            open_now.add(event.message_id)
        elif event.type == "exchange_response":
            open_now.discard(event.message_id)


@pytest.mark.requirement("S16")
async def test_sessions_do_not_wait_for_each_other(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    model, gate = gated(scripted, tmp_path)
    slow = [await front.start(model=model, folder=folder) for _ in range(10)]
    waiting = [await say(session) for session in slow]
    quick = await front.start(model=scripted(SAY), folder=folder)
    async with working(home):
        await asyncio.gather(*map(begun, slow, waiting))
        await ended(quick, await say(quick))
        assert all(front.find(each.id).row.status == "running" for each in slow)
        gate.touch()
        await asyncio.gather(*map(ended, slow, waiting))


async def test_what_a_terminal_admitted_is_the_terminals_to_run(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    model = scripted(SAY, after="repeat")
    async with Studio(home, admits_as="cli", runs=False) as terminal:
        theirs = await terminal.start(model=model, folder=folder)
        await say(theirs)
        ours = await front.start(model=model, folder=folder)
        async with working(home):
            await ended(ours, await say(ours))
        assert terminal.find(theirs.id).row.status == "queued"


@pytest.mark.parametrize("place", ["server", "cli"])
async def test_an_answer_wakes_whoever_works_here_whoever_admitted_the_prompt(
    home: Path, folder: Path, scripted: Scripted, front: Studio, place: Place
) -> None:
    asks = [{"do": "call", "name": "write_file", "input": {"file_path": "a", "content": "b"}}]
    async with Studio(home, admits_as=place, flags={"patience": 0}) as first:
        session = await first.start(model=scripted(asks, SAY), folder=folder, mode="ask")
        async for _ in session.prompt("go"):
            pass  # until it is parked
    async with working(home):
        waits = front.find(session.id)
        (ask,) = waits.asks()
        await waits.answer(ask, "allow_once")
        await ended(waits, ask.message_id)
    assert (folder / "a").read_text() == "b"


async def test_a_cancel_of_what_waits_for_an_answer_is_seen_to_by_a_worker(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    asks = [{"do": "call", "name": "write_file", "input": {"file_path": "a", "content": "b"}}]
    async with Studio(home, admits_as="server", flags={"patience": 0}) as first:
        session = await first.start(model=scripted(asks, SAY), folder=folder, mode="ask")
        async for _ in session.prompt("go"):
            pass
    async with working(home):
        waits = front.find(session.id)
        (ask,) = waits.asks()
        assert await waits.cancel(ask.message_id)
        await ended(waits, ask.message_id)
    assert front.find(session.id).asks() == []


async def test_no_more_run_at_once_than_there_is_room_for_and_the_rest_comes_later(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    model, gate = gated(scripted, tmp_path)
    sessions = [await front.start(model=model, folder=folder) for _ in range(5)]
    said = [await say(session) for session in sessions]
    async with working(home, concurrency=2) as worker:
        await asyncio.gather(*map(begun, sessions[:2], said[:2]))
        assert len(worker.worker.tops) == 2
        own = await worker.start(model=model, folder=folder)
        late = await say(own)  # what the worker's own process admits waits too
        statuses = [front.find(each.id).row.status for each in (*sessions, own)]
        assert statuses == ["running"] * 2 + ["queued"] * 4
        gate.touch()
        await asyncio.gather(*map(ended, (*sessions, own), (*said, late)))


async def test_a_session_with_much_to_do_gives_way_to_those_who_wait(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    model, gate = gated(scripted, tmp_path)
    busy = await front.start(model=model, folder=folder)
    many = [await say(busy) for _ in range(5)]
    other = await front.start(model=model, folder=folder)
    async with working(home, concurrency=1) as worker:
        await begun(busy, many[0])
        one = await say(other)
        async with asyncio.timeout(10):
            while not worker.worker.crowded():
                await asyncio.sleep(0.005)
        gate.touch()
        await asyncio.gather(ended(busy, *many), ended(other, one))
    ends = {
        event.message_id: event.at
        for session in (busy, other)
        for event in await session.facts()
        if event.type == "exchange_response"
    }
    assert ends[many[0]] < ends[one] < ends[many[1]]


async def test_one_person_with_many_sessions_does_not_hold_up_another_with_one(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    model, gate = gated(scripted, tmp_path)
    many = [await front.start(model=model, folder=folder) for _ in range(6)]
    said = [await say(session) for session in many]
    eva = await People(front.runtime.database).add("Eva")
    await Projects(front.runtime.database).add(folder, eva.n)
    hers = await front.start(model=model, folder=folder, owner=eva.n)
    one = await say(hers)  # the last of all
    async with working(home, concurrency=2):
        await begun(hers, one)
        running = [front.find(each.id).row.status for each in many]
        assert running.count("running") == 1
        gate.touch()
        await asyncio.gather(*map(ended, (*many, hers), (*said, one)))


async def test_what_it_looks_for_is_found_without_reading_any_event(
    home: Path, folder: Path, front: Studio
) -> None:
    from bottega.workers import sweep

    plan = front.runtime.database.read_now(
        lambda c: c.execute(f"EXPLAIN QUERY PLAN {sweep._FIND}", (1,)).fetchall()
    )
    told = " ".join(str(row[3]) for row in plan)
    assert "inbox_open" in told, "only what is open is looked at"
    assert "events" not in told
    assert "SCAN s" not in told, "sessions are found by what waits in them"


async def test_a_session_that_fails_here_is_left_alone_for_a_while(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    session = await front.start(model=scripted(SAY), folder=folder)
    other = await front.start(model=scripted(SAY), folder=folder)
    await front.runtime.database.write(
        lambda c: c.execute(
            "INSERT INTO inbox (session, message_id, place, idx, hash, body, admitted_by, created_at)"
            " VALUES (?, 'broken', 1, 1, '', x'00', 'server', 0)",
            (session.row.n,),
        ).close()
    )
    async with working(home):
        await ended(other, await say(other))
        for _ in range(20):
            await ended(other, await say(other))
        row = front.runtime.database.read_now(
            lambda c: c.execute(
                "SELECT generation FROM sessions WHERE n = ?", (session.row.n,)
            ).fetchone()
        )
    assert row[0] <= 2, "tried over and over"


async def test_a_worker_with_nothing_to_do_costs_next_to_nothing(home: Path) -> None:
    async with working(home):
        await asyncio.sleep(0.1)  # it has begun
        began, used = time.monotonic(), time.process_time()
        await asyncio.sleep(1.0)
        share = (time.process_time() - used) / (time.monotonic() - began)
    assert share < 0.05
