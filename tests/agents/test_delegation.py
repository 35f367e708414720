"""A task that is handed on runs in a session of its own, within its parent's mode, limits and life."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.agents.limits import Limits
from bottega.events.event import Event
from bottega.studio import Session, Studio
from tests.agents.test_types import call, of, say
from tests.chaos.victim import Victim
from tests.hunt import LONG

Scripted = Callable[..., str]


HOUSE = (
    Agent(slug="helper", prompt="Help.", description="Helps."),
    Agent(slug="boss", prompt="Lead.", limits=Limits(tokens=450, iterations=None)),
)


def by_task(scripted: Scripted, **turns: list[Any]) -> str:
    """A model that answers by what it was asked to do: rules are looked for in the user's last words."""
    rules = [{"when": word, "turns": steps} for word, steps in turns.items()]
    return scripted(rules=rules)


def hand(task: str) -> dict[str, Any]:
    return call("delegate", agent="helper", task=task)


async def until(session: Session, kind: str) -> Event:
    async with asyncio.timeout(10):
        async for event in session.follow():
            if event.type == kind:
                return event
    raise AssertionError


def told(event: Any) -> dict[str, Any]:
    return msgspec.json.decode(event.content[0].text)


async def test_a_child_works_in_a_session_of_its_own_and_its_answer_comes_back(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child: write it")], [say("The helper did it.")]],
        child=[[call("write_file", file_path="a", content="x")], [say("Written.")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        events = [event async for event in session.prompt("parent")]
        (started,) = of(events, "child_started")
        child = studio.find(started.session_id)
        assert (await child.chat())[-1].content == "Written."
        assert child.row.depth == 1
        assert [row.id for row in await studio.sessions()] == [session.id]
    assert (folder / "a").read_text() == "x"
    (result,) = of(events, "tool_result")
    assert told(result)["result"]["response"] == "Written."
    assert told(result)["result"]["session_id"] == started.session_id
    assert events[-1].data.final_response == "The helper did it."
    assert "write_file a" in "".join(each.text for each in of(events, "tool_output_delta"))


async def test_what_a_child_uses_counts_to_its_parent(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}

    def turn(step: Any) -> Any:
        return {"steps": [step], "usage": usage}

    model = by_task(
        scripted,
        parent=[turn(hand("child")), turn(say("Done."))],
        child=[turn(say("Yes."))],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("parent")
    assert (end.usage.input_tokens, end.usage.output_tokens) == (270, 30)
    assert end.iterations == 2


async def test_a_childs_work_is_limited_by_what_is_left_to_its_parent(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}
    busy = [{"steps": [call("list_dir", path=f"p{n}")], "usage": usage} for n in range(20)]
    model = by_task(
        scripted,
        parent=[{"steps": [hand("child")], "usage": usage}, [say("never")]],
        child=busy,
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="boss")
        events = [event async for event in session.prompt("parent")]
    end = events[-1].data
    assert (end.success, end.completion_reason) == (False, "resource_limit_exceeded")
    assert end.usage.input_tokens + end.usage.output_tokens == 500
    (result,) = of(events, "tool_result")
    assert told(result)["result"]["completion_reason"] == "resource_limit_exceeded"


async def test_children_work_side_by_side(home: Path, folder: Path, scripted: Scripted) -> None:
    wait = "until [ -e {} ]; do sleep 0.02; done; touch {}"
    model = by_task(
        scripted,
        parent=[[hand("one"), hand("two")], [say("Both.")]],
        one=[
            [call("bash_exec", command="touch first; " + wait.format("second", "met"))],
            [say("1")],
        ],
        two=[[call("bash_exec", command=wait.format("first", "second"))], [say("2")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        end = await session.prompt("parent")
    assert end.success
    assert (folder / "met").exists()


async def test_what_a_child_asks_is_asked_in_the_session_at_the_top_and_a_grant_holds_for_all(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def allow(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("allow_all", grant="write_file")

    model = by_task(
        scripted,
        parent=[
            [hand("child")],
            [call("write_file", file_path="b", content="y")],
            [say("Done.")],
        ],
        child=[[call("write_file", file_path="a", content="x")], [say("Written.")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("parent", on_approval=allow)
        assert end.success
        (ask,) = asked
        child = studio.find(ask.asked.detail["child"]["session_id"])
        assert ask.session == session.row.n
        assert child.row.parent == session.row.n
    assert (folder / "a").exists()
    assert (folder / "b").exists()


async def test_the_mode_of_the_session_at_the_top_is_the_mode_of_its_children(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("Done.")]],
        child=[[call("write_file", file_path="a", content="x")], [say("Blocked.")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, mode="plan")
        await session.prompt("parent")
        assert [ask.kind for _, ask in studio.asks()] == ["plan"]
    assert not (folder / "a").exists()


async def test_a_stop_stops_the_children_too(home: Path, folder: Path, scripted: Scripted) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("never")]],
        child=[[call("bash_exec", command="touch begun; sleep 60")], [say("never")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        answer = session.prompt("parent")
        waiting = asyncio.ensure_future(answer._end())
        while not (folder / "begun").exists():
            await asyncio.sleep(0.01)
        await answer.cancel()
        end = await waiting
        (child,) = studio.runtime.sessions.children(session.row.n)
        response = (await studio.find(child.id).facts())[-1].data
    assert end.completion_reason == response.completion_reason == "user_stopped"


async def test_a_task_is_handed_on_three_times_at_most(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(scripted, go=[[hand("go")], [say("Done.")]])
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("go")
        row, depths = session.row, [0]
        while children := studio.runtime.sessions.children(row.n):
            (row,) = children
            depths.append(row.depth)
        facts = await studio.find(row.id).facts()
    assert end.success
    assert depths == [0, 1, 2, 3]
    (result,) = of(facts, "tool_result")
    assert "Unknown tool" in result.content[0].text


async def test_a_child_that_fails_is_a_result_and_the_session_goes_on(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("It failed, I know.")]],
        child=[[{"do": "fail", "message": "No more credit.", "code": "no_credit"}]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        events = [event async for event in session.prompt("parent")]
    (result,) = of(events, "tool_result")
    assert result.is_error
    assert told(result)["error"]["code"] == "CHILD_FAILED"
    assert events[-1].data.success


async def test_an_unknown_agent_is_told_with_those_that_there_are(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(scripted, go=[[call("delegate", agent="nobody", task="x")], [say("Done.")]])
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        events = [event async for event in session.prompt("go")]
    (result,) = of(events, "tool_result")
    assert result.is_error
    assert "helper" in result.content[0].text


async def test_a_tree_that_waits_for_an_answer_is_parked_and_goes_on_in_another_process(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("Done.")]],
        child=[[call("write_file", file_path="a", content="x")], [say("Written.")]],
    )
    async with Studio(home, flags={"patience": 0}, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        waiting = asyncio.ensure_future(session.prompt("parent", wait=True)._end())
        rows = studio.runtime.sessions
        async with asyncio.timeout(10):
            while rows.get(session.id).status != "waiting":
                await asyncio.sleep(0.01)
        waiting.cancel()
    async with Studio(home, agents=HOUSE) as studio:
        session = studio.find(session.id)
        (ask,) = session.asks()
        await session.answer(ask, "allow_once")
        again = session.resume()
        assert again is not None
        end = await again
        assert len(studio.runtime.sessions.children(session.row.n)) == 1
    assert end.success
    assert (folder / "a").read_text() == "x"


async def test_a_model_that_numbers_its_calls_anew_in_every_step_hands_on_a_new_task_each_time(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    tasks = [{**hand(f"child {word}"), "id": "call_0"} for word in ("one", "two")]
    model = by_task(
        scripted,
        parent=[*([task] for task in tasks), [say("Both.")]],
        child=[[say("Done.")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        events = [event async for event in session.prompt("parent")]
    assert [each.task for each in of(events, "child_started")] == ["child one", "child two"]
    assert not any(each.is_error for each in of(events, "tool_result"))


@pytest.mark.chaos
@pytest.mark.parametrize("passage", range(1, 40 if LONG else 16))
async def test_a_child_that_was_made_before_a_kill_is_told_once_and_works_once(
    tmp_path: Path, passage: int
) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    rules = [
        {"when": "go", "turns": [[call("delegate", agent="coder", task="child")], [say("Done.")]]},
        {"when": "child", "turns": [[say("Yes.")]]},
    ]
    (tmp_path / "s.json").write_bytes(msgspec.json.encode({"turns": [], "rules": rules}))
    model = f"scripted/{tmp_path / 's.json'}"
    Victim(home, model, folder, f"storage.after_commit=kill@{passage}").last_words()
    async with Studio(home, on_crash="resume") as studio:
        rows = await studio.sessions(1)
        if not rows:
            return
        session = studio.find(rows[0].id)
        if following := session.resume():
            assert (await following).success
        log = await session.facts()
        if not of(log, "exchange_response"):
            return  # it died before it was asked
        (started,) = of(log, "child_started")
        (child,) = studio.runtime.sessions.children(session.row.n)
        assert started.session_id == child.id
        assert len(of(await studio.find(child.id).facts(), "exchange_response")) == 1
    (end,) = of(log, "exchange_response")
    assert (end.final_response, end.iterations) == ("Done.", 2)
