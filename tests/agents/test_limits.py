"""Limits that are really kept: counted from what was used, an ask where somebody is there, an end where nobody is."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.agents.limits import PRESETS, Limits, Reached, Spent, raised, reached
from bottega.studio import Studio
from tests.agents.test_types import call, of, ran, say

Scripted = Callable[..., str]


def limited(**limits: Any) -> dict[str, Any]:
    """An agent with these limits, and no others, and its name."""
    none = dict.fromkeys(Limits.__struct_fields__)
    agent = Agent(slug="limited", prompt="Work.", limits=Limits(**{**none, **limits}))
    return {"house": [agent], "agent": "limited"}


def working(scripted: Scripted, steps: int, **usage: int) -> str:
    """A model that looks into another folder each time."""
    todo = [*(call("list_dir", path=f"p{n}") for n in range(steps)), say("Done.")]
    turns: list[Any] = [{"steps": [each], "usage": usage or None} for each in todo]
    return scripted(*turns)


@pytest.mark.requirement("A19", "C1")
@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"iterations": 3}, "iteration_limit"),
        ({"tokens": 300}, "token_limit"),
    ],
)
async def test_a_limit_ends_a_run_that_nobody_attends_with_its_reason(
    home: Path,
    folder: Path,
    scripted: Scripted,
    limits: dict[str, int],
    code: str,
) -> None:
    model = working(scripted, 9, input_tokens=90, output_tokens=10)
    end, events, _ = await ran(home, folder, model, **limited(**limits))
    assert (end.success, end.completion_reason, end.stop_reason, end.iterations) == (
        False,
        "resource_limit_exceeded",
        "limit",
        3,
    )
    (error,) = of(events, "error_message")
    assert error.code == code
    assert "go on" in error.hint


@pytest.mark.requirement("C1")
async def test_the_same_call_three_times_over_is_a_limit_and_other_calls_are_not(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    agent = limited(repeats=3)
    same, other = [call("list_dir", path=".")], [call("list_dir", path="..")]
    end, events, _ = await ran(home, folder, scripted(same, same, other, same, same, same), **agent)
    assert (end.completion_reason, end.iterations) == ("resource_limit_exceeded", 6)
    assert of(events, "error_message")[-1].code == "repeated_calls"


async def test_a_call_that_gives_something_else_each_time_is_no_repeat(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    agent = limited(repeats=2)
    more = [call("bash_exec", command="printf x >> grown; cat grown")]
    end, _, _ = await ran(home, folder, scripted(more, more, more, [say("Done.")]), **agent)
    assert (end.success, end.iterations) == (True, 4)


@pytest.mark.requirement("C1")
async def test_who_is_there_is_asked_and_a_raised_limit_lets_it_go_on(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def more(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("raise")

    agent = limited(iterations=2)
    end, events, _ = await ran(home, folder, working(scripted, 5), **agent, on_approval=more)
    assert (end.success, end.iterations, end.final_response) == (True, 6, "Done.")
    assert [(a.kind, a.asked.detail["from"], a.asked.detail["to"]) for a in asked] == [
        ("limit", 2, 4),
        ("limit", 4, 8),
    ]
    assert not of(events, "error_message")


async def test_who_says_stop_at_a_limit_stops_the_run(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    agent = limited(iterations=2)
    end, _, _ = await ran(
        home,
        folder,
        working(scripted, 5),
        **agent,
        on_approval=lambda _: Reply("stop"),
    )
    assert (end.success, end.completion_reason, end.iterations) == (False, "user_stopped", 2)


@pytest.mark.requirement("C1")
async def test_a_limit_that_was_raised_after_a_restart_stays_raised(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    agent = limited(iterations=2)
    house = agent["house"]
    async with Studio(home, flags={"patience": 0}, agents=house) as studio:
        session = await studio.start(model=working(scripted, 3), folder=folder, agent="limited")
        answer = session.prompt("go", wait=True)
        async for event in answer:
            if event.type == "approval_required":
                break
        while studio.runtime.sessions.get(session.id).status != "waiting":
            await asyncio.sleep(0.01)
    async with Studio(home, agents=house) as studio:
        session = studio.find(session.id)
        (ask,) = session.asks()
        await session.answer(ask, "raise")
        again = session.resume(wait=True, on_approval=lambda _: Reply("raise"))
        assert again is not None
        end = await again
    assert (end.success, end.iterations) == (True, 4)


@pytest.mark.requirement("C1")
async def test_all_exchanges_together_are_limited_over_a_rolling_time(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    flags = {"window_tokens": 350}
    model = working(scripted, 2, input_tokens=90, output_tokens=10)
    async with Studio(home, flags=flags) as studio:
        first = await studio.start(model=model, folder=folder)
        assert (await first.prompt("go")).success
        second = await studio.start(model=model, folder=folder)
        end = await second.prompt("go")
        assert (end.completion_reason, end.iterations) == ("resource_limit_exceeded", 1)
        (error,) = [e.data for e in await second.facts() if e.type == "error_message"]
        assert "in the last 24 hours" in error.message
        await studio.runtime.database.write(  # as if a day had gone by
            lambda c: c.execute("UPDATE spent SET at = at - 86400001").close()
        )
        assert (await second.prompt("go on")).success


async def test_time_is_up_in_the_middle_of_a_step_where_nobody_can_be_asked(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    agent = limited(seconds=0.5)
    model = scripted([call("bash_exec", command="sleep 60")], [say("never")])
    end, events, _ = await ran(home, folder, model, **agent)
    assert (end.completion_reason, end.iterations) == ("resource_limit_exceeded", 1)
    assert of(events, "error_message")[-1].code == "time_limit"
    (result,) = of(events, "tool_result")
    assert result.is_error
    assert end.duration_ms < 20_000


def test_the_stricter_of_two_limits_counts_each_by_each() -> None:
    mine = Limits(iterations=10, tokens=None, cost=3)
    assert mine.within(PRESETS["strict"]) == Limits(iterations=8, tokens=None, cost=3)


@pytest.mark.parametrize(
    ("limits", "spent", "name"),
    [
        (Limits(iterations=2), Spent(iterations=2), "iterations"),
        (Limits(tokens=5), Spent(tokens=6), "tokens"),
        (Limits(cost=5), Spent(cost=5), "cost"),
        (Limits(seconds=1.5), Spent(seconds=1.6), "seconds"),
        (Limits(repeats=2), Spent(repeats=2), "repeats"),
    ],
)
def test_each_limit_is_reached_when_it_is_used_up_and_gone_once_it_is_raised(
    limits: Limits, spent: Spent, name: str
) -> None:
    found = reached(limits, spent)
    assert isinstance(found, Reached)
    assert found.name == name
    assert found.sentence.endswith((".", "!"))
    assert reached(raised(limits, found), spent) is None


def test_a_limit_of_nothing_can_be_raised_too() -> None:
    found = reached(Limits(cost=0), Spent(cost=0))
    assert found
    assert (raised(Limits(cost=0), found).cost or 0) > 0
