"""A session here whose agent is behind an address: its prompts are answered there, and the events are the same."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import Studio
from bottega.client import Remote
from bottega.errors import Conflict
from bottega.events.event import Event
from bottega.sessions import spent
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.care.check import check
from bottega.storage.home import Home
from bottega.studio.answering import Waits
from bottega.studio.session import Session
from tests.remote.conftest import Hire
from tests.remote.logs import carried, log_here, log_there, there
from tests.server.serving import Serving

SAY = {"do": "say", "text": "All is well.", "pieces": 3}
LOOK = {"do": "call", "name": "list_dir", "input": {}}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "1\n"}}
FAIL = {"do": "fail", "message": "The model is out.", "code": "overloaded", "retryable": False}
VALUE = {"do": "say", "text": '{"n": 7}'}


@pytest.fixture(autouse=True)
def untouched(shared: Serving) -> None:
    (shared.folder / "a.txt").unlink(missing_ok=True)


class Number(msgspec.Struct):
    n: int


def allow(ask: Ask) -> Reply:
    assert ask.asked.tool_name == "write_file"
    assert ask.input == WRITE["input"]
    return Reply("allow_all", note="go on")


async def plainly(session: Session) -> list[Event]:
    return [event async for event in session.prompt("go")]


async def asked(session: Session) -> list[Event]:
    return [event async for event in session.prompt("go", on_approval=allow)]


async def structured(session: Session) -> list[Event]:
    answer = session.prompt("which?", schema=Number)
    assert await answer == Number(7)
    return [e async for e in session.prompt("which?", message_id=answer.message_id, schema=Number)]


@pytest.mark.requirement("N03", "C14")
@pytest.mark.parametrize(
    ("turns", "scenario"),
    [
        ([[SAY, LOOK], [SAY]], plainly),
        ([[SAY, FAIL]], plainly),
        ([[WRITE], [SAY]], asked),
        ([[VALUE]], structured),
    ],
    ids=["tool", "error", "ask", "structured"],
)
async def test_what_is_answered_there_is_in_the_log_here_byte_for_byte(
    turns: list[Any], scenario: Any, shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    async with Studio(here, agents=[hire(shared, *turns)]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        seen = await scenario(session)
        assert [event.type for event in seen].count("exchange_response") == 1
        assert seen[-1].type == "exchange_response"
        mine = await log_here(session)
    theirs = await log_there(shared, there(seen))
    # What was answered here was answered there too: each log tells it in its own words.
    own = ("approval_resolved",)
    assert carried(mine, *own) == carried(theirs, *own)
    assert len(carried(mine)) >= 4
    assert check(Home(here)) == []


@pytest.mark.requirement("N03")
async def test_what_is_asked_there_is_answered_here_and_what_is_allowed_holds_there_alone(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    async with Studio(here, agents=[hire(shared, [WRITE], [SAY], [WRITE], [SAY])]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        end = await session.prompt("go", on_approval=allow)
        assert end.success
        assert (shared.folder / "a.txt").read_text() == "1\n"
        assert (await session.changes()).works == ()
        assert (await session.revert(force=True)).paths == ()
        assert (shared.folder / "a.txt").exists()
        assert studio.runtime.asks.grants(session.row.n) == ()
        again = [event.type async for event in session.prompt("go on")]
        assert "approval_required" not in again
        assert again[-1] == "exchange_response"


async def test_what_is_answered_there_first_counts_here(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    async with (
        Studio(here, agents=[hire(shared, [WRITE], [SAY])]) as studio,
        Remote(shared.address, shared.token()) as remote,
    ):
        session = await studio.start(agent="afar", folder=folder)
        seen: list[Event] = []
        async for event in session.prompt("go", wait=True):
            seen.append(event)
            if event.type == "approval_required":
                (ask,) = session.asks()
                far = await remote.resume(there(seen))
                await far.answer(ask.id, "deny", note="not now")
        resolved = [event.data for event in seen if event.type == "approval_resolved"]
        assert [(each.answer, each.note) for each in resolved] == [("deny", "not now")]
        assert session.asks() == []
        assert seen[-1].data.success


async def test_an_answer_that_nobody_waits_for_here_is_given_later_and_it_goes_on(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(shared, [WRITE], [SAY])
    async with Studio(here, agents=[agent], flags={"patience": 0}) as studio:
        session = await studio.start(agent="afar", folder=folder)
        with pytest.raises(Waits):
            await session.prompt("go")
        session_id = session.id
    async with Studio(here, agents=[agent]) as studio:
        session = studio.find(session_id)
        (ask,) = session.asks()
        await session.answer(ask, "allow_once")
        answer = session.resume(wait=True)
        assert answer
        assert (await answer).success
        seen = await session.facts()
        mine = await log_here(session)
    theirs = await log_there(shared, there(seen))
    own = ("approval_resolved",)
    assert carried(mine, *own) == carried(theirs, *own)


@pytest.mark.requirement("N03")
async def test_a_cancel_reaches_the_other_one(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    never = {"do": "gate", "path": "/nowhere"}
    async with Studio(here, agents=[hire(shared, [SAY, never])]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        answer = session.prompt("go")
        seen: list[Event] = []
        async for event in answer:
            seen.append(event)
            if event.type == "conversation_responding":
                assert await answer.cancel()
        assert seen[-1].data.stop_reason == "cancelled"
        mine = await log_here(session)
    theirs = await log_there(shared, there(seen))
    assert carried(mine) == carried(theirs)


async def test_what_is_said_into_it_and_the_mode_are_passed_on(
    shared: Serving, here: Path, folder: Path, tmp_path: Path, hire: Hire
) -> None:
    gate = tmp_path / "gate"
    held = {"do": "gate", "path": str(gate)}
    agent = hire(shared, [SAY, held, LOOK], [SAY], [SAY])
    async with (
        Studio(here, agents=[agent]) as studio,
        Remote(shared.address, shared.token()) as remote,
    ):
        session = await studio.start(agent="afar", folder=folder, mode="plan")
        seen: list[Event] = []
        steering: asyncio.Task[Any] | None = None
        async for event in session.prompt("go"):
            seen.append(event)
            if event.type == "conversation_responding" and steering is None:
                far = await remote.resume(there(seen))
                assert far.mode == "plan"
                steer = session.steer("mind the gap")
                steering = asyncio.create_task(_end(steer))
                await session.change_mode("allow")
                async for told in far.follow():
                    if told.type == "mode_changed":
                        break
                async for told in far.follow():
                    if told.type == "prompt_queued" and told.message_id == steer.message_id:
                        break
                gate.touch()
        said = [e.data for e in seen if e.type == "user_message" and e.data.steer]
        assert [each.content[0].text for each in said] == ["mind the gap"]
        assert steering
        assert (await steering).success
        assert not session.is_busy()
        await far.look()
        assert far.mode == "allow"


async def _end(answer: Any) -> Any:
    return await answer


async def test_it_goes_on_in_one_session_there_until_a_reset_and_all_is_paid_for(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(shared, [SAY], [SAY], [SAY])
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        first = await session.prompt("one")
        await session.prompt("two")
        assert await session.reset()
        await session.prompt("three")
        begun = [e.data.session_id for e in await session.facts() if e.type == "remote_started"]
        assert begun[0] == begun[1] != begun[2]
        paid = await spent.by_model(studio.runtime.database, [session.row.n])
        assert sum(each.iterations for each in paid.values()) == 3
        tokens = first.usage.input_tokens + first.usage.output_tokens
        assert sum(each.tokens for each in paid.values()) >= tokens > 0
        with pytest.raises(Conflict, match="is compacted there"):
            await session.compact()
    async with Remote(shared.address, shared.token()) as remote:
        far = await remote.resume(begun[0])
        assert [each.content for each in await far.chat() if each.role == "user"] == ["one", "two"]
        await far.delete()


async def test_a_session_that_was_deleted_there_is_begun_anew(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    async with (
        Studio(here, agents=[hire(shared, [SAY], [SAY])]) as studio,
        Remote(shared.address, shared.token()) as remote,
    ):
        session = await studio.start(agent="afar", folder=folder)
        await session.prompt("one")
        far = await remote.resume(there(await session.facts()))
        await far.delete()
        assert (await session.prompt("two")).success
