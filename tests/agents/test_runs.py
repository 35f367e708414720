"""A run from its prompt to its end: the right agent works, asks again after its calls, and leaves nothing behind."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.agents.limits import Limits
from bottega.messages.block import Reasoning, Text, plain_text
from bottega.studio import Studio
from tests.agents.test_types import HOUSE, call, of, ran, say
from tests.descriptors import names
from tests.processes import children

Scripted = Callable[..., str]


@pytest.mark.requirement("T17", "N08")
async def test_the_iterative_agent_thinks_acts_and_looks_at_the_results_until_its_work_is_done(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[str] = []

    def decide(ask: Ask) -> Reply:
        asked.append(ask.kind)
        return Reply("raise" if ask.kind == "limit" else "allow_once")

    agent = Agent(slug="worker", prompt="Work.", limits=Limits(iterations=2))
    model = scripted(
        [say("I look."), call("read_file", file_path="missing.txt"), call("list_dir")],
        [say("Then I write."), call("write_file", file_path="made.txt", content="made")],
        [say("I check."), call("read_file", file_path="made.txt")],
        [say("It is made.")],
    )
    end, events, _ = await ran(
        home, folder, model, agent="worker", house=[agent], mode="ask", on_approval=decide
    )
    assert (end.success, end.completion_reason, end.iterations) == (True, "no_more_actions", 4)
    assert (folder / "made.txt").read_text() == "made"
    assert asked == ["tool", "limit"]
    steps = of(events, "agent_step")
    assert [len(step.tool_results) for step in steps] == [2, 1, 1, 0]
    assert [step.is_complete for step in steps] == [False, False, False, True], "calls: ask again"
    assert [step.response_text for step in steps][-1] == end.final_response


@pytest.mark.requirement("N08")
async def test_after_calls_the_model_is_asked_again_with_their_results_and_else_it_is_not(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([call("read_file", file_path="notes.txt")], [say("Hello.")], [say("Never.")])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("go")
        history = await session.history()
    assert (end.iterations, end.final_response) == (2, "Hello.")
    assert [message.role for message in history] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.requirement("N03")
async def test_each_prompt_goes_to_its_agent_and_reminders_go_with_it_as_nobodys_words(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [say("Here.\n\n```txt made.txt\nmade\n```\n")],
        [say("THOUGHT: Easy.\n\nANSWER: Done.")],
        [say("THOUGHT: as it is.")],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="writer", mode="allow")
        await session.prompt("write")
        await session.change_mode("ask")
        await session.prompt("think", agent="thinker")
        await session.change_agent("looker")
        await session.prompt("look")
        history = await session.history()
        chat = await session.chat()
    assert (folder / "made.txt").read_text() == "made\n"
    answers = [message.content for message in history if message.role == "assistant"]
    assert answers[1][0] == Reasoning("Easy.", said=True)
    assert plain_text(answers[2]) == "THOUGHT: as it is."
    asides = [
        block.text
        for message in history
        for block in message.content
        if isinstance(block, Text) and block.aside
    ]
    assert any("reminder" in text and "ask mode" in text for text in asides)
    said = [each.content for each in chat if each.role == "user"]
    assert said == ["write", "think", "look"]


def held(home: Path) -> dict[str, Any]:
    """What this process holds on to, and what stands in a home beside what was said."""
    said = ("blobs", "bottega.db", "workspaces", "outputs")
    return {
        "children": children(),
        "open": _open(),
        "left": sorted(str(p) for p in home.rglob("*") if p.relative_to(home).parts[0] not in said),
    }


async def quiet(before: set[asyncio.Task[Any]]) -> None:
    """Those who followed the run, or polled for it, end soon after it."""
    async with asyncio.timeout(10):
        while others := asyncio.all_tasks() - before:
            await asyncio.wait(others, timeout=0.05)


def _open() -> list[str]:
    """The files that are open; the database has readers of its own, as many as there is work."""
    return [name for name in names() if "bottega.db" not in name]


async def lets_go(home: Path, before: dict[str, Any]) -> None:
    """Return once nothing is held that was not held before: threads may be about to let go of something."""
    more: dict[str, Any] = {}
    try:
        async with asyncio.timeout(30):
            while more := {
                kind: extra
                for kind, now in held(home).items()
                if (extra := [each for each in now if each not in before[kind]])
            }:
                await asyncio.sleep(0)
    except TimeoutError:
        raise AssertionError(f"left behind: {more}") from None


@pytest.mark.requirement("T24")
async def test_a_run_leaves_nothing_behind_however_it_ends(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    background = call("bash_exec", command="sleep 1000 & echo started")
    runs = {
        "done": scripted([background], [say("Done.")], name="done"),
        "failed": scripted([background], [{"do": "fail"}], name="failed"),
        "stopped": scripted([background, call("bash_exec", command="sleep 1000")], name="stopped"),
    }
    async with Studio(home) as studio:
        before: dict[str, Any] = {}
        tasks = asyncio.all_tasks()
        for name in ("done", *runs):
            session = await studio.start(model=runs[name], folder=folder, mode="allow")
            answer = session.prompt("go")
            async for event in answer:
                if name == "stopped" and event.type == "tool_output_delta":
                    await answer.cancel()
            await quiet(tasks)
            before = before or held(home)
            await lets_go(home, before)
            assert studio.find(session.id).row.status == "idle"


async def test_a_studio_that_is_closed_holds_no_folder(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([call("bash_exec", command="touch made")], [say("Done.")])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("go")
        assert str(folder) in names()
    assert str(folder) not in names()
