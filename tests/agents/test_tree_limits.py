"""What parents and children use together is limited together: asked once, raised for all, ended with a reason each."""

import asyncio
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.agents.limits import Limits
from bottega.events.codec import decode, encode
from bottega.studio import Studio
from tests.agents.test_delegation import by_task
from tests.agents.test_types import call, of, say

Scripted = Callable[..., str]
USAGE = {"input_tokens": 90, "output_tokens": 10}

HOUSE = (
    Agent(slug="helper", prompt="Help."),
    Agent(slug="boss", prompt="Lead.", limits=Limits(tokens=450, iterations=None)),
    Agent(slug="brief", prompt="Lead.", limits=Limits(iterations=1)),
    Agent(slug="timed", prompt="Lead.", limits=Limits(seconds=0.6)),
)


def turn(*steps: Any) -> dict[str, Any]:
    return {"steps": list(steps), "usage": USAGE}


def hand(task: str) -> dict[str, Any]:
    return call("delegate", agent="helper", task=task)


def side_by_side(scripted: Scripted, steps: int = 4) -> str:
    def busy(name: str) -> list[Any]:
        looks = [turn(call("list_dir", path=f"{name}{n}")) for n in range(steps)]
        return [*looks, turn(say(f"{name} did it."))]

    return by_task(
        scripted,
        parent=[turn(hand("one"), hand("two")), turn(say("Both."))],
        one=busy("one"),
        two=busy("two"),
    )


@pytest.mark.requirement("C1")
async def test_a_limit_that_two_children_reach_is_asked_once_and_raised_for_all(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def more(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("raise")

    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=side_by_side(scripted), folder=folder, agent="boss")
        end = await session.prompt("parent", on_approval=more)
        children = session.children()
        texts = [(await child.chat())[-1].content for child in children]
    assert end.success
    assert texts == ["one did it.", "two did it."]
    # 450, then as much again each time: 12 calls of 100 tokens meet it twice.
    assert len(asked) == len({ask.asked.hash for ask in asked}) == 2
    assert {ask.session for ask in asked} == {session.row.n}
    assert not any(ask.child for ask in asked), "it is the limit of the session at the top"


async def test_a_stop_at_a_shared_limit_stops_the_whole_tree(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def stop(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("stop")

    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=side_by_side(scripted), folder=folder, agent="boss")
        end = await session.prompt("parent", on_approval=stop)
        ends = [(await child.facts())[-1].data for child in session.children()]
        assert session.asks() == []
    assert len(asked) == 1
    reasons = {end.completion_reason, *(each.completion_reason for each in ends)}
    assert reasons == {"user_stopped"}
    used = sum(each.usage.input_tokens + each.usage.output_tokens for each in ends)
    assert end.usage.input_tokens + end.usage.output_tokens == used + 100, "what they used counts"


async def test_unattended_each_of_the_tree_ends_at_the_shared_limit_with_its_reason(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=side_by_side(scripted), folder=folder, agent="boss")
        end = await session.prompt("parent")
        logs = [await each.facts() for each in (session, *session.children())]
    assert len(logs) == 3
    for log in logs:
        assert log[-1].data.completion_reason == "resource_limit_exceeded"
        (error,) = of(log, "error_message")
        assert error.code == "token_limit"
    assert end.usage.input_tokens + end.usage.output_tokens <= 600


async def test_a_child_calls_its_model_as_often_as_its_parent_may_and_no_more(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=side_by_side(scripted), folder=folder, agent="brief")
        end = await session.prompt("parent")
        ends = [(await child.facts())[-1].data for child in session.children()]
    assert end.completion_reason == "resource_limit_exceeded"
    assert [each.completion_reason for each in ends] == ["resource_limit_exceeded"] * 2
    assert [each.iterations for each in ends] == [1, 1]


async def test_a_limit_of_all_exchanges_is_asked_once_for_a_tree(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def more(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("raise")

    async with Studio(home, flags={"window_tokens": 350}, agents=HOUSE) as studio:
        model = side_by_side(scripted, steps=1)
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("parent", on_approval=more)
    assert end.success
    assert len(asked) == 1, [ask.asked.question for ask in asked]


async def test_the_time_in_which_a_child_waits_for_a_person_does_not_count(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    house = (Agent(slug="helper", prompt="Help.", limits=Limits(seconds=600)),)
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("Done.")]],
        child=[[call("write_file", file_path="a", content="x")], [say("Written.")]],
    )
    async with Studio(home, flags={"patience": 0}, agents=house) as studio:
        session = await studio.start(model=model, folder=folder)
        async for _ in session.prompt("parent"):
            pass
        (child,) = session.children()
        await studio.runtime.database.write(partial(an_hour_ago, n=child.row.n))
    async with Studio(home, agents=house) as studio:
        session = studio.find(session.id)
        await session.answer(session.asks()[0], "allow_once")
        again = session.resume()
        assert again is not None
        assert (await again).success
        assert (await session.children()[0].facts())[-1].data.success


def an_hour_ago(connection: sqlite3.Connection, n: int) -> None:
    """What is in this log happened an hour earlier."""
    rows = connection.execute("SELECT idx, body FROM events WHERE session = ?", (n,)).fetchall()
    for index, body in rows:
        event = decode(index, body)
        moved = encode(msgspec.structs.replace(event, at=event.at - 3_600_000))
        where = (moved, n, index)
        connection.execute("UPDATE events SET body = ? WHERE session = ? AND idx = ?", where)


@pytest.mark.parametrize("patience", [0])
async def test_a_tree_that_waits_at_a_shared_limit_is_parked_whole(
    home: Path, folder: Path, scripted: Scripted, patience: int
) -> None:
    model = side_by_side(scripted)
    async with Studio(home, flags={"patience": patience}, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="boss")
        waiting = asyncio.ensure_future(session.prompt("parent", wait=True)._end())
        rows = studio.runtime.sessions
        async with asyncio.timeout(10):
            while rows.get(session.id).status != "waiting":
                await asyncio.sleep(0.01)
        assert {each.row.status for each in session.children()} == {"waiting"}
        waiting.cancel()
    async with Studio(home, agents=HOUSE) as studio:
        session = studio.find(session.id)
        (ask,) = session.asks()
        await session.answer(ask, "raise")
        again = session.resume(on_approval=lambda _: Reply("raise"), wait=True)
        assert again is not None
        assert (await again).success
        assert len(session.children()) == 2


async def test_the_time_of_a_parent_bounds_a_child_that_hangs(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("never")]],
        child=[[call("bash_exec", command="sleep 60")], [say("never")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="timed", mode="allow")
        async with asyncio.timeout(20):
            end = await session.prompt("parent")
        (child,) = session.children()
        log = await child.facts()
    assert end.completion_reason == "resource_limit_exceeded"
    assert log[-1].data.completion_reason == "resource_limit_exceeded"
    assert of(log, "error_message")[0].code == "time_limit"
