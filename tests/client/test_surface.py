"""What a session here can do, one behind an address can: all of it, with the same words."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bottega import Studio
from bottega.client import Remote, RemoteSession
from bottega.client.worked import RemoteWorked
from bottega.errors import Conflict, NotFound, Problem
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Text
from bottega.providers.provider import Wishes
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.clients import ClientTool
from bottega.sessions.inbox import Prompt
from bottega.studio.anywhere import AnySession, AnyStudio
from bottega.studio.session import Session
from tests.client.conftest import token
from tests.server.serving import Serving

Scripted = Callable[..., str]

SAY = {"do": "say", "text": "All is well.", "pieces": 3}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "d.txt", "content": "1\n"}}

AT_HOME = {
    "free": "a server frees by itself what is held for a session",
    "admit.speaker": "whoever has the token speaks",
}
"""What only a session here has, and why."""


def words(kind: type[Any]) -> dict[str, str]:
    """What a program may call or read, and how: coroutine, generator, method or property; a parameter each."""
    found: dict[str, str] = {}
    for name, what in vars(kind).items():
        if name.startswith("_"):
            continue
        found[name] = _how(what)
        if callable(what):
            parameters = list(inspect.signature(what).parameters.values())[1:]
            found |= {f"{name}.{each.name}": str(each.kind) for each in parameters}
    return found


def _how(what: object) -> str:
    if inspect.iscoroutinefunction(what):
        return "coroutine"
    return "generator" if inspect.isasyncgenfunction(what) else type(what).__name__


@pytest.mark.requirement("N03")
def test_every_word_of_a_session_here_is_one_of_a_remote_session() -> None:
    here, there = words(Session), words(RemoteSession)
    missing = {name for name in here if name not in there}
    assert missing == AT_HOME.keys()
    assert {name for name in here if name in there and here[name] != there[name]} == set()
    # `row` is an attribute here, and read from the mirror there.
    assert "row" in there


def test_every_word_of_what_is_anywhere_is_in_both() -> None:
    for kind, others in {
        AnySession: (Session, RemoteSession),
        AnyStudio: (Studio, Remote),
    }.items():
        for other in others:
            assert {*words(kind)} - {*words(other)} <= {"row"}, other
    assert {"works", "diff"} <= {*words(RemoteWorked), "works"}


@asynccontextmanager
async def remote(serving: Serving) -> AsyncGenerator[Remote]:
    async with Remote(serving.address, token(serving), patience=20) as studio:
        yield studio


async def test_a_client_far_away_runs_tools_of_its_own(shared: Serving, scripted: Scripted) -> None:
    call = {"do": "call", "name": "weather", "input": {"town": "Vinci"}}
    async with remote(shared) as studio:
        session = await studio.start(model=scripted([call], [SAY]))
        schema = {"type": "object", "properties": {"town": {"type": "string"}}}
        await session.declare_tools([ClientTool("weather", "Tell the weather.", schema)])
        results: list[str] = []
        with pytest.raises(NotFound):
            await session.send_tool_result("nothing", {})

        def answer(ask: Ask) -> Reply | None:
            if ask.kind == "client":
                assert ask.input == {"town": "Vinci"}
                return Reply("result", input={"result": {"sky": "blue"}})
            return Reply("allow_once")

        async for event in session.prompt("go", on_approval=answer):
            if event.type == "tool_result":
                results.append(event.data.content[0].text)
        assert "blue" in results[0]
        odd: dict[str, Any] = {"type": "object", "properties": 5}
        for tools, problem in (
            ([ClientTool("odd", "", {"type": "string"})], "describes no object"),
            ([ClientTool("odd", "", odd)], "cannot be used"),
            ([ClientTool("two", "", {"type": "object"})] * 2, "cannot have the same name"),
        ):
            with pytest.raises(Problem, match=problem):
                await session.declare_tools(tools)


async def test_a_result_is_sent_by_the_id_of_its_call(shared: Serving, scripted: Scripted) -> None:
    call = {"do": "call", "name": "weather", "input": {}, "id": "call_w"}
    async with remote(shared) as studio:
        session = await studio.start(model=scripted([call], [SAY]), mode="allow")
        await session.declare_tools([ClientTool("weather", "Tell it.", {"type": "object"})])
        async for event in session.prompt("go", wait=True):
            if event.type == "approval_required" and event.data.kind == "client":
                await session.send_tool_result("call_w", "sunny")
            elif event.type == "approval_required":
                await session.answer(event.data.approval_id, "allow_once", shown=event.data.hash)
        result = next(e.data for e in await session.facts() if e.type == "tool_result")
        assert "sunny" in result.content[0].text


async def test_wishes_of_one_prompt_reach_the_server_and_odd_ones_are_refused(
    shared: Serving, scripted: Scripted
) -> None:
    async with remote(shared) as studio, Studio(shared.home, runs=False) as beside:
        session = await studio.start(model=scripted([SAY], [SAY]))
        wishes = Wishes("low", 0.5, 100)
        await session.prompt("go", wishes=wishes)
        row = beside.find(session.id).row
        (body,) = beside.runtime.database.read_now(
            lambda c: c.execute("SELECT body FROM inbox WHERE session = ?", (row.n,)).fetchone()
        )
        assert b'"wishes":{"effort":"low","temperature":0.5,"max_output":100}' in body
        with pytest.raises(Problem, match="temperature"):
            await session.prompt("go", wishes=Wishes(temperature=-1.0))


async def test_the_mode_is_the_one_in_force_there(shared: Serving, scripted: Scripted) -> None:
    async with remote(shared) as studio:
        session = await studio.start(model=scripted([SAY]), agent="planner", mode="allow")
        assert session.row.mode == "allow"
        assert session.mode == "plan"
        await session.change_agent("coder")
        assert session.mode == "allow"
        other = await studio.resume(session.id)
        await other.change_mode("ask")
        async for event in session.follow(session.row.last_index):
            if event.type == "mode_changed":
                break
        assert session.mode == "ask"


async def test_what_it_changed_is_looked_at_and_undone_from_afar(
    shared: Serving, scripted: Scripted
) -> None:
    (shared.folder / "d.txt").unlink(missing_ok=True)
    async with remote(shared) as studio:
        session = await studio.start(model=scripted([WRITE], [SAY]), mode="allow")
        await session.prompt("go")
        worked = await session.changes()
        (work,) = worked.works
        assert (work.path, work.kind) == ("d.txt", "added")
        assert "+1\n" in await worked.diff(work)
        assert (await session.revert(["d.txt"])).paths == ("d.txt",)
        assert not (shared.folder / "d.txt").exists()
        assert (await session.revert()).paths == ()


async def test_two_who_follow_at_once_mind_each_fact_once(
    shared: Serving, scripted: Scripted
) -> None:
    async with remote(shared) as studio:
        session, child = [await studio.start(model=scripted([SAY])) for _ in range(2)]
        started = facts.ChildStarted("t1", child.id, "explore", "Look.")
        fact = Event("child_started", 1, started, "m1", index=session.row.last_index + 1)
        await asyncio.gather(session.note(fact), session.note(fact))
        assert [each.id for each in session.children()] == [child.id]


async def test_its_children_are_seen_and_a_prompt_that_waits_is_changed(
    shared: Serving, scripted: Scripted, tmp_path: Any
) -> None:
    gate = tmp_path / "gate"
    hand = {"do": "call", "name": "delegate", "input": {"agent": "coder", "task": "look"}}
    held = [SAY, {"do": "gate", "path": str(gate)}]
    model = scripted([hand], held, [SAY], [SAY])
    async with remote(shared) as studio:
        session = await studio.start(model=model, mode="allow")
        waiting = Prompt("5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e77", (Text("later"),))
        async for event in session.prompt("go", on_approval=lambda _: Reply("allow_once")):
            if event.type == "child_started":
                first = await session.admit(waiting)
                again = await session.admit(waiting)
                assert (again.index, again.repeated) == (first.index, True)
                await session.edit(waiting.message_id, "sooner")
                assert session.is_busy()
                gate.touch()
        (child,) = session.children()
        assert child.row.agent == "coder"
        assert [each.id for each in (await studio.resume(session.id)).children()] == [child.id]
        await session.exchange(waiting.message_id)
        said = [each.content for each in await session.chat() if each.role == "user"]
        assert said == ["go", "sooner"]
        with pytest.raises(Conflict):
            await session.edit(waiting.message_id, "too late")
