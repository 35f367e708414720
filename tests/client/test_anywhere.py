"""An agent in this process and one behind an address: the same words, and the same events."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import Studio
from bottega.client import Remote
from bottega.errors import BadUsage
from bottega.events.codec import decode, encode
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.pen import merged
from bottega.studio.anywhere import AnySession, AnyStudio
from bottega.studio.structured import NoOutput
from tests.client.conftest import token
from tests.server.serving import Serving

Scripted = Callable[..., str]
Scenario = Callable[[AnySession], Awaitable[list[Event]]]

SAY = {"do": "say", "text": "All is well.", "pieces": 3}
LOOK = {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "1\n"}}
FAIL = {"do": "fail", "message": "The model is out.", "code": "overloaded", "retryable": False}
VALUE = {"do": "say", "text": '{"n": 7}'}


class Number(msgspec.Struct):
    n: int


async def plainly(session: AnySession) -> list[Event]:
    return [event async for event in session.prompt("go")]


async def asked(session: AnySession) -> list[Event]:
    def allow(ask: Ask) -> Reply:
        assert ask.asked.tool_name == "write_file"
        assert ask.input == WRITE["input"]
        return Reply("allow_once", note="go on")

    return [event async for event in session.prompt("go", on_approval=allow)]


async def cancelled(session: AnySession) -> list[Event]:
    answer = session.prompt("go")
    seen: list[Event] = []
    async for event in answer:
        seen.append(event)
        if event.type == "conversation_responding":
            assert await answer.cancel()
    assert not await answer.cancel()
    return [event for event in seen if event.type != "text_delta"]


async def structured(session: AnySession) -> list[Event]:
    answer = session.prompt("which?", schema=Number)
    assert await answer == Number(7)
    return [
        event
        async for event in session.prompt("which?", message_id=answer.message_id, schema=Number)
    ]


SCENARIOS: dict[str, tuple[list[list[dict[str, Any]]], Scenario]] = {
    "text": ([[SAY]], plainly),
    "tool": ([[SAY, LOOK], [SAY]], plainly),
    "ask": ([[WRITE], [SAY]], asked),
    "cancel": ([[SAY, {"do": "gate", "path": "/nowhere"}]], cancelled),
    "error": ([[SAY, FAIL]], plainly),
    "structured": ([[VALUE]], structured),
}


@asynccontextmanager
async def remote(serving: Serving) -> AsyncGenerator[Remote]:
    async with Remote(serving.address, token(serving), patience=20) as studio:
        yield studio


async def started(studio: AnyStudio, shared: Serving, model: str) -> AnySession:
    """In the same folder, here as there."""
    folder = shared.folder if isinstance(studio, Studio) else "."
    return await studio.start(model=model, folder=folder)


@pytest.mark.requirement("N03", "C14", "X01")
@pytest.mark.parametrize("name", SCENARIOS)
async def test_here_and_behind_an_address_the_same_events_come_in_the_same_order(
    name: str, shared: Serving, tmp_path: Path, scripted: Scripted
) -> None:
    turns, scenario = SCENARIOS[name]
    model = scripted(*turns)

    async def seen(studio: AnyStudio) -> list[Event]:
        (shared.folder / "a.txt").unlink(missing_ok=True)
        return await scenario(await started(studio, shared, model))

    async with Studio(tmp_path / "another") as studio:
        here = await seen(studio)
    async with remote(shared) as studio:
        there = await seen(studio)
    # How many pieces are stored as one depends on how busy the machine is.
    assert [_shown(event) for event in merged(there)] == [_shown(event) for event in merged(here)]
    assert here[-1].type == "exchange_response"


@pytest.mark.requirement("C14", "X02")
async def test_what_a_client_is_given_is_what_the_log_holds(
    shared: Serving, scripted: Scripted
) -> None:
    model = scripted([SAY, LOOK], [SAY])
    async with remote(shared) as studio, Studio(shared.home, runs=False) as local:
        session = await studio.start(model=model)
        await session.prompt("go")
        there = [event async for event in _upto(session, session.row.last_index)]
        beside = local.find(session.id)
        here = [event async for event in _upto(beside, session.row.last_index)]
        rows = await local.runtime.log.page(beside.row.n, 0)
        assert there == here
        assert await session.facts() == await beside.facts()
        assert await session.tail() == await beside.tail()
        assert await session.history() == await beside.history()
        assert await session.chat() == await beside.chat()
        assert await session.steps() == await beside.steps()
    facts = [event for event in there if event.sub == 0]
    assert facts == [decode(index, body) for index, body in rows]
    assert [encode(fact) for fact in facts] == [bytes(body) for _, body in rows]


@pytest.mark.requirement("X03")
async def test_following_from_the_middle_and_reacting_give_the_same_events(
    shared: Serving, scripted: Scripted
) -> None:
    model = scripted([SAY], [SAY, LOOK], [SAY])
    async with remote(shared) as studio:
        session = await studio.start(model=model)
        await session.prompt("one")
        heard: list[Event] = []
        stop = session.react(on_event=heard.append)
        with pytest.raises(BadUsage):
            session.react(on_nothing=heard.append)
        seen = [event async for event in session.prompt("two")]
        middle = seen[len(seen) // 2].index
        again = [event async for event in _upto(session, seen[-1].index, after=middle)]
        assert again == [event for event in seen if event.index > middle]
        async for event in session.follow(seen[-1].index - 1):
            if event.index == seen[-1].index:
                break
        while not heard or heard[-1] != seen[-1]:
            await session.look()
        assert heard == seen
        stop()


async def test_the_session_is_changed_reset_cleared_and_closed_from_afar(
    shared: Serving, scripted: Scripted
) -> None:
    model = scripted([SAY], [SAY], name="one")
    other = scripted([SAY], name="other")
    async with remote(shared) as studio:
        session = await studio.start(model=model, title="Work", mode="plan")
        assert (session.row.title, session.mode) == ("Work", "plan")
        await session.prompt("one")
        await session.change_mode("allow")
        await session.change_model(other)
        await session.change_agent("coder")
        assert (session.mode, session.row.model, session.row.agent) == ("allow", other, "coder")
        await session.change_agent("assistant")
        assert await session.context()
        assert await session.reset()
        assert not await session.reset()
        assert await session.undo_compaction() == 0
        await session.close()
        await session.clear()
        assert await session.chat() == []
        assert session.id in [row.id for row in await studio.sessions()]
        assert "coder" in [each.slug for each in await studio.agents()]
        assert await studio.named(session.id[-8:]) == session.id
        await session.delete()
        assert session.id not in [row.id for row in await studio.sessions()]


@pytest.mark.parametrize("place", ["here", "there"])
async def test_callbacks_and_values_that_do_not_fit_are_the_same(
    place: str, shared: Serving, tmp_path: Path, scripted: Scripted
) -> None:
    model = scripted([SAY, LOOK], [SAY], [SAY], [SAY], [SAY], [SAY])

    async def check(studio: AnyStudio) -> None:
        session = await started(studio, shared, model)
        chunks: list[str] = []
        more: list[Any] = []
        ends: list[str] = []
        end = await session.prompt(
            "go",
            on_chunk=chunks.append,
            on_additional_message=more.append,
            on_complete=ends.append,
        )
        assert "".join(chunks) == "All is well." * 2
        assert [each.tool_call.name for each in more] == ["read_file"]
        assert ends == [end.final_response] == ["All is well."]
        with pytest.raises(NoOutput, match="invalid_output"):
            await session.prompt("which?", schema=Number)
        with pytest.raises(BadUsage):
            session.prompt(" ")

    if place == "here":
        async with Studio(tmp_path / "another") as studio:
            await check(studio)
    else:
        async with remote(shared) as studio:
            await check(studio)


async def test_a_prompt_that_is_sent_again_is_followed_again_and_runs_once(
    shared: Serving, scripted: Scripted
) -> None:
    async with remote(shared) as studio:
        session = await studio.start(model=scripted([SAY], [SAY]))
        name = fresh_message()
        first = [event async for event in session.prompt("go", message_id=name)]
        assert [event async for event in session.prompt("go", message_id=name)] == first
        assert len(await session.steps()) == 1


async def _upto(session: AnySession, last: int, after: int = 0) -> AsyncGenerator[Event]:
    """What is there, up to the end of the fact with that index: what is derived from the last one comes before it."""
    async for event in session.follow(after):
        yield event
        if (event.index, event.sub) == (last, 0):
            return


_OWN = ("approval_id", "hash", "duration_ms", "person", "at", "created_at", "sandbox", "timestamp")


def _shown(event: Event) -> tuple[str, int, Any]:
    """What must be the same: not clocks, and not ids that are made where it runs."""
    return event.type, event.sub, _without(msgspec.to_builtins(event.data))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without(v) for k, v in value.items() if k not in _OWN}
    return [_without(each) for each in value] if isinstance(value, list | tuple) else value
