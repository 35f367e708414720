"""A worker that has to end leaves what runs to whoever comes next: nothing is cancelled, lost or doubled."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bottega.errors import Problem
from bottega.events.event import Event
from bottega.events.facts import ExchangeResponse
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.sessions.inbox import Prompt
from bottega.studio import Session, Studio
from tests.workers.test_ends import whole

Scripted = Callable[..., str]

SAY = {"do": "say", "text": "It is done."}


def working(home: Path, grace: float = 0.0) -> Studio:
    flags = {"grace": grace, "on_crash": "resume"}
    return Studio(home, admits_as="server", on_crash=None, attends=True, flags=flags)


@pytest.fixture
async def front(home: Path) -> AsyncIterator[Studio]:
    async with Studio(home, admits_as="server", runs=False) as studio:
        yield studio


async def say(session: Session) -> str:
    message_id = fresh_message()
    await session.admit(Prompt(message_id, (Text("go"),)))
    return message_id


async def until(session: Session, kind: str, times: int = 1) -> Event:
    async with asyncio.timeout(20):
        async for event in session.follow():
            times -= event.type == kind
            if not times:
                return event
    raise AssertionError("the session is gone")


async def test_an_answer_that_comes_to_its_end_in_time_is_an_end_like_any_other(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = scripted([{"do": "say", "text": "Soon. "}, {"do": "gate", "path": str(gate)}, SAY])
    async with working(home, grace=5) as studio:
        session = await front.start(model=model, folder=folder)
        await say(session)
        await until(session, "text_delta")
        leaving = asyncio.create_task(studio.leave())
        gate.touch()
        await leaving
    log = await whole(session)
    assert log[-1].data.success
    assert "interrupted" not in [event.type for event in log]


async def test_an_answer_that_hangs_is_left_in_the_middle_and_comes_anew_from_the_next_one(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = scripted([{"do": "say", "text": "Soon. "}, {"do": "gate", "path": str(gate)}, SAY])
    async with working(home, grace=0.1) as studio:
        session = await front.start(model=model, folder=folder)
        await say(session)
        await until(session, "text_delta")
        began = time.monotonic()
        await studio.leave()
        assert time.monotonic() - began < 3
    row = front.find(session.id).row
    assert row.status == "running"
    left = [event.type for event in await session.facts()]
    assert not {"exchange_response", "cancel_requested", "assistant_message"} & set(left)
    gate.touch()
    async with working(home):
        await until(session, "exchange_response")
    log = await whole(session)
    kinds = [event.type for event in log]
    assert kinds[len(left) :][:3] == ["interrupted", "stream_reset", "message_start"]
    assert kinds.count("message_start") == 2, "asked once more, and no more"
    assert log[-1].data.final_response == "Soon. It is done."


async def test_what_waits_for_an_answer_goes_on_waiting_and_is_not_waited_for(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    asks = [{"do": "call", "name": "write_file", "input": {"file_path": "a", "content": "b"}}]
    async with working(home, grace=5) as studio:
        session = await front.start(model=scripted(asks, [SAY]), folder=folder, mode="ask")
        await say(session)
        await until(session, "approval_required")
        began = time.monotonic()
        await studio.leave()
        assert time.monotonic() - began < 3
    assert front.find(session.id).row.status == "waiting"
    (ask,) = session.asks()
    async with working(home):
        await session.answer(ask, "allow_once")
        await until(session, "exchange_response")
    kinds = [event.type for event in await whole(session)]
    assert kinds.count("approval_required") == 1
    assert "interrupted" not in kinds
    assert (folder / "a").read_text() == "b"


async def test_a_command_that_runs_is_ended_and_told_as_interrupted(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    runs = [{"do": "call", "name": "bash_exec", "input": {"command": "touch begun; sleep 600"}}]
    async with working(home, grace=0.1) as studio:
        session = await front.start(model=scripted(runs, [SAY]), folder=folder, mode="allow")
        await say(session)
        await until(session, "tool_intent")
        async with asyncio.timeout(20):
            while not (folder / "begun").exists():
                await asyncio.sleep(0.01)
        await studio.leave()
    async with working(home):
        await until(session, "exchange_response")
    log = await whole(session)
    (result,) = [event.data for event in log if event.type == "tool_result"]
    assert "outcome unknown" in result.content[0].text
    assert [event.type for event in log].count("tool_intent") == 1
    assert log[-1].data.success


async def test_prompts_that_wait_are_begun_by_the_next_one(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = scripted([{"do": "gate", "path": str(gate)}, SAY], after="repeat")
    async with working(home, grace=5) as studio:
        session = await front.start(model=model, folder=folder)
        said = [await say(session) for _ in range(3)]
        await until(session, "user_message")
        leaving = asyncio.create_task(studio.leave())
        gate.touch()
        await leaving
    kinds = [event.type for event in await session.facts()]
    assert (kinds.count("user_message"), kinds.count("exchange_response")) == (1, 1)
    async with working(home):
        await until(session, "exchange_response", times=3)
    ends = [e.message_id for e in await whole(session) if e.type == "exchange_response"]
    assert ends == said


async def test_a_child_and_its_parent_are_left_and_taken_up_together(
    home: Path, folder: Path, scripted: Scripted, front: Studio, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    hands_on = {"do": "call", "name": "delegate", "input": {"agent": "coder", "task": "part"}}
    rules = [
        {"when": "go", "turns": [[hands_on], [SAY]]},
        {"when": "part", "turns": [[{"do": "gate", "path": str(gate)}, SAY]]},
    ]
    async with working(home, grace=0.1) as studio:
        session = await front.start(model=scripted(rules=rules), folder=folder, mode="allow")
        await say(session)
        await until(session, "child_started")
        (child,) = session.children()
        await until(child, "user_message")
        await studio.leave()
    gate.touch()
    async with working(home):
        await until(session, "exchange_response")
    assert (await whole(session))[-1].data.success
    assert (await whole(child))[-1].data.success
    assert len(session.children()) == 1


async def test_who_leaves_takes_nothing_new(
    home: Path, folder: Path, scripted: Scripted, front: Studio
) -> None:
    async with working(home) as studio:
        session = await studio.start(model=scripted([SAY]), folder=folder)
        await studio.leave()
        with pytest.raises(Problem, match="takes no more prompts"):
            await say(session)
        other = front.find(session.id)
        await say(other)
    assert front.find(session.id).row.status == "queued"


async def test_what_another_process_said_goes_on_there_when_the_one_that_ran_it_ends(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    held = [
        [{"do": "say", "text": "Soon. "}, {"do": "gate", "path": str(gate)}, SAY]
        for gate in (first, second)
    ]
    async with Studio(home, admits_as="cli") as two:
        async with Studio(home, admits_as="cli") as one:
            session = await one.start(model=scripted(*held, after="repeat"), folder=folder)
            mine = asyncio.ensure_future(_end(session, "mine"))
            await until(session, "text_delta")
            yours = asyncio.ensure_future(_end(two.find(session.id), "yours"))
            await until(session, "prompt_queued", times=2)
            first.touch()
            assert (await mine).success
            await until(
                session, "text_delta", times=3
            )  # of the second, which runs in the same place
        second.touch()
        end = await yours
        facts = await two.find(session.id).facts()
    assert end.success
    assert [event.type for event in facts].count("interrupted") == 1
    assert [event.type for event in facts].count("exchange_response") == 2


async def _end(session: Session, words: str) -> ExchangeResponse:
    return await session.prompt(words)
