"""Bottegas that ask each other: servers with remote agents, tasks handed to them, and agents that point in a circle."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from bottega import Studio
from bottega.agents.agent import Whereabouts
from bottega.agents.limits import Limits
from bottega.client import Remote
from bottega.events.event import Event
from bottega.sessions.asks import Ask, Reply
from tests.remote.conftest import Hire, agent_there, remote_file
from tests.remote.logs import carried, log_there, there
from tests.server.serving import Serving

Scripted = Callable[..., str]

SAY = {"do": "say", "text": "All is well.", "pieces": 3}
SLOW = {"do": "say", "text": "word " * 60, "pieces": 60, "pace_ms": 10}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "c.txt", "content": "1\n"}}


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A second server, with a home and a project of its own; it does not wait long for what runs when it ends."""
    place = tmp_path_factory.mktemp("another")
    (place / "project").mkdir()
    environment = {"BOTTEGA_GRACE": "0.2"}
    with Serving(place / "home", place / "project", environment=environment) as server:
        yield server


@pytest.mark.requirement("N03", "C14")
async def test_a_server_that_dies_while_another_answers_in_its_session_goes_on_when_it_is_back(
    another: Serving, shared: Serving, scripted: Scripted
) -> None:
    slug = agent_there(shared, scripted([SLOW, WRITE], [SLOW], name="far"))
    remote_file(another.home, Whereabouts(shared.address, slug), shared.token())
    (shared.folder / "c.txt").unlink(missing_ok=True)

    def allow(ask: Ask) -> Reply:
        return Reply("allow_once")

    async with Remote(another.address, another.token()) as remote:
        session = await remote.start(agent="afar")
        seen: list[Event] = []
        kills = 0
        async for event in session.prompt("go", on_approval=allow):
            seen.append(event)
            if event.type == "text_delta" and kills < 2 and len(seen) > 10 + 30 * kills:
                kills += 1
                await asyncio.to_thread(another.kill if kills == 1 else another.stop)
                await asyncio.to_thread(another.start)
        assert kills == 2
        assert seen[-1].data.success
    assert (shared.folder / "c.txt").read_text() == "1\n"
    mine = await log_there(another, session.id)
    theirs = await log_there(shared, there(seen))
    assert carried(mine, "approval_resolved") == carried(theirs, "approval_resolved")
    assert [event.type for event in seen].count("remote_started") == 1


@pytest.mark.requirement("N03")
async def test_agents_that_point_at_each_other_end_with_a_sentence(
    shared: Serving, another: Serving
) -> None:
    remote_file(shared.home, Whereabouts(another.address, "afar"), another.token())
    remote_file(another.home, Whereabouts(shared.address, "afar"), shared.token())
    before = await _sessions(shared, another)
    async with Remote(shared.address, shared.token()) as remote:
        session = await remote.start(agent="afar")
        seen = [event async for event in session.prompt("go")]
        error = next(event.data for event in seen if event.type == "error_message")
        assert "came through 3 other Bottegas" in error.message
        assert seen[-1].data.stop_reason == "error"
    assert await _sessions(shared, another) == before + 4


async def _sessions(*servers: Serving) -> int:
    count = 0
    for each in servers:
        async with Remote(each.address, each.token()) as remote:
            count += len(await remote.sessions())
    return count


async def test_through_a_third_one_it_comes_back_to_the_first_home_and_is_asked_once(
    shared: Serving, another: Serving, scripted: Scripted
) -> None:
    (shared.folder / "c.txt").unlink(missing_ok=True)
    agent_there(shared, scripted([WRITE], [SAY], name="home"), "doer")
    remote_file(another.home, Whereabouts(shared.address, "doer"), shared.token(), "back")
    remote_file(shared.home, Whereabouts(another.address, "back"), another.token())
    async with Remote(shared.address, shared.token()) as remote:
        session = await remote.start(agent="afar")
        answer = session.prompt("go", wait=True)
        types: list[str] = []
        async for event in answer:
            types.append(event.type)
            if event.type == "approval_required":
                ((_, ask),) = await remote.asks()
                await session.answer(ask.id, "allow_once", shown=ask.asked.hash)
        assert types.count("remote_started") == 2
        assert types[-1] == "exchange_response"
    assert (shared.folder / "c.txt").read_text() == "1\n"


async def test_a_task_is_handed_to_a_remote_agent_which_asks_at_the_top(
    shared: Serving, here: Path, folder: Path, hire: Hire, scripted: Scripted
) -> None:
    (shared.folder / "c.txt").unlink(missing_ok=True)
    agent = hire(shared, [WRITE], [SAY])
    hand = {"do": "call", "name": "delegate", "input": {"agent": "afar", "task": "write it"}}
    model = scripted([hand], [SAY], name="top")
    asked: list[Ask] = []

    def allow(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("allow_once")

    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(model=model, folder=folder, mode="ask")
        end = await session.prompt("go", on_approval=allow)
        (child,) = session.children()
        facts = await child.facts()
        result = next(e.data for e in await session.facts() if e.type == "tool_result")
    assert end.success
    assert [ask.asker for ask in asked if ask.asked.tool_name == "write_file"] == ["afar"]
    assert (shared.folder / "c.txt").read_text() == "1\n"
    assert result.content[0].text.count("All is well.") == 1
    assert result.usage.output_tokens > 0
    assert facts[-1].type == "exchange_response"
    theirs = await log_there(shared, there(facts))
    assert b'"stop_reason":"end_turn"' in theirs[-1]


async def test_a_task_that_is_stopped_here_is_stopped_there(
    shared: Serving, here: Path, folder: Path, hire: Hire, scripted: Scripted
) -> None:
    agent = hire(shared, [SAY, {"do": "gate", "path": "/nowhere"}])
    hand = {"do": "call", "name": "delegate", "input": {"agent": "afar", "task": "wait"}}
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(
            model=scripted([hand], [SAY], name="top"), folder=folder, mode="allow"
        )
        answer = session.prompt("go", on_approval=lambda _: Reply("allow_once"))
        async for event in answer:
            if event.type == "child_started":
                child = studio.find(event.data.session_id)
                async for told in child.follow():
                    if told.type == "text_delta":
                        break
                assert await answer.cancel()
        facts = await child.facts()
    assert facts[-1].data.stop_reason == "cancelled"
    theirs = await log_there(shared, there(facts))
    assert b'"stop_reason":"cancelled"' in theirs[-1]


@pytest.mark.parametrize("limits", [Limits(iterations=1), Limits(seconds=2)])
async def test_a_limit_that_is_set_here_stops_it_there(
    limits: Limits, shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    look = {"do": "call", "name": "list_dir", "input": {}}
    agent = hire(shared, [look], [SAY, {"do": "gate", "path": "/nowhere"}])
    agent = msgspec.structs.replace(agent, limits=limits)
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        end = await session.prompt("go")
        assert (await session.context()).tokens > 0
        assert (end.completion_reason, end.stop_reason) == ("resource_limit_exceeded", "limit")
        facts = await session.facts()
    theirs = await log_there(shared, there(facts))
    assert b'"stop_reason":"cancelled"' in theirs[-1]
