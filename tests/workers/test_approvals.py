"""Nothing that matters happens unasked: an ask comes before its effect, is answered once, and outlives a restart."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Conflict
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import plain_text
from bottega.sessions.asks import Ask, Reply, Word
from bottega.studio import Session, Studio
from bottega.studio.answering import Waits
from tests.workers.test_ends import whole

Scripted = Callable[..., str]
SAY = [{"do": "say", "text": "Done."}]


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


def write(path: str, content: str) -> dict[str, Any]:
    return call("write_file", file_path=path, content=content)


def replies(word: Word, **fields: Any) -> Callable[[Ask], Reply]:
    return lambda _: Reply(word, **fields)


def of_type(log: list[Event], name: str) -> list[Any]:
    return [event.data for event in log if event.type == name]


def told(result: facts.ToolResultFact) -> str:
    return plain_text(result.content)


@pytest.mark.requirement("T41", "T44", "C9")
async def test_a_write_is_asked_for_with_its_diff_and_made_once_it_is_allowed(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    seen: list[Ask] = []

    def answer(ask: Ask) -> Reply:
        seen.append(ask)
        assert not (folder / "a.txt").exists()
        return Reply("allow_once")

    async with Studio(home) as studio:
        session = await studio.start(model=scripted([write("a.txt", "one\n")], SAY), folder=folder)
        end = await session.prompt("go", on_approval=answer)
        log = await whole(session)
    assert end.success
    assert (folder / "a.txt").read_text() == "one\n"
    (ask,) = seen
    assert (ask.kind, ask.asked.tool_name) == ("tool", "write_file")
    assert "+one" in ask.asked.detail["diff"]
    kinds = [
        event.type for event in log if event.type.startswith(("assistant", "approval", "tool"))
    ]
    assert kinds == [
        "assistant_message",
        "approval_required",
        "approval_resolved",
        "tool_intent",
        "tool_result",
        "assistant_message",
    ]
    (intent,) = of_type(log, "tool_intent")
    assert intent.approval_id == ask.id
    assert intent.hash == ask.asked.hash


@pytest.mark.requirement("X23", "C9")
async def test_a_denial_tells_the_model_why_and_the_run_goes_on(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([write("a.txt", "one\n")], SAY), folder=folder)
        end = await session.prompt("go", on_approval=replies("deny", note="Use b.txt"))
        log = await whole(session)
    assert end.success
    assert not (folder / "a.txt").exists()
    (result,) = of_type(log, "tool_result")
    assert result.is_error
    assert '"type":"execution-denied"' in told(result)
    assert '"reason":"Use b.txt"' in told(result)
    assert of_type(log, "tool_intent") == []


@pytest.mark.requirement("T44", "C9")
async def test_allow_all_covers_the_rest_of_the_batch_and_of_the_session(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def answer(ask: Ask) -> Reply:
        asked.append(ask)
        return Reply("allow_all")

    turn = [write("a", "1"), write("b", "2"), write("c", "3")]
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted(turn, SAY, [write("d", "4")], SAY), folder=folder
        )
        await session.prompt("go", on_approval=answer)
        await session.prompt("and again", on_approval=answer)
        log = await whole(session)
    assert len(asked) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "c", "d", "notes.txt"]
    resolved = of_type(log, "approval_resolved")
    asked_for = [log_asked.detail["diff"] for log_asked in of_type(log, "approval_required")]
    assert "b/a" in asked_for[0], "people are asked in the model's order"
    assert len(resolved) == len(asked_for)
    assert resolved[0].grant == "write_file"
    assert {one.answer for one in resolved[1:]} <= {"allow_once"}


@pytest.mark.requirement("C9")
async def test_changed_arguments_are_what_runs_and_the_model_is_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    changed = {"file_path": "b.txt", "content": "two\n"}
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([write("a.txt", "one\n")], SAY), folder=folder)
        await session.prompt("go", on_approval=replies("edit", input=changed))
        log = await whole(session)
    assert not (folder / "a.txt").exists()
    assert (folder / "b.txt").read_text() == "two\n"
    (intent,) = of_type(log, "tool_intent")
    assert intent.input == changed
    (result,) = of_type(log, "tool_result")
    assert "ran_with" in told(result)
    assert "b.txt" in told(result)


async def test_arguments_that_a_person_broke_are_told_and_nothing_runs(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([write("a.txt", "one\n")], SAY), folder=folder)
        end = await session.prompt("go", on_approval=replies("edit", input={"content": 3}))
        log = await whole(session)
    assert end.success
    (result,) = of_type(log, "tool_result")
    assert "INVALID_ARGUMENTS" in told(result)
    assert of_type(log, "tool_intent") == []


@pytest.mark.requirement("T44")
async def test_a_stop_ends_the_exchange_and_nothing_of_it_runs(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted([write("a.txt", "1"), write("b.txt", "2")], SAY), folder=folder
        )
        end = await session.prompt("go", on_approval=replies("stop"))
        log = await whole(session)
        assert session.asks() == []
    assert (end.success, end.stop_reason) == (False, "cancelled")
    assert sorted(path.name for path in folder.iterdir()) == ["notes.txt"]
    assert of_type(log, "tool_intent") == []
    assert len(of_type(log, "tool_result")) == 2


async def test_a_cancel_closes_what_was_asked(home: Path, folder: Path, scripted: Scripted) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([write("a.txt", "1")], SAY), folder=folder)
        answer = session.prompt("go", wait=True)
        ask: Ask | None = None
        async for event in answer:
            if event.type == "approval_required":
                (ask,) = session.asks()
                await answer.cancel()
        log = await whole(session)
        assert ask
        with pytest.raises(Conflict):
            await session.answer(ask, "allow_once")
    assert [one.answer for one in of_type(log, "approval_resolved")] == ["closed"]
    assert of_type(log, "exchange_response")[0].stop_reason == "cancelled"
    assert not (folder / "a.txt").exists()


async def test_what_changed_while_it_was_asked_about_is_asked_anew(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Ask] = []

    def answer(ask: Ask) -> Reply:
        asked.append(ask)
        if len(asked) == 1:
            (folder / "notes.txt").write_text("a person wrote this\n")
        return Reply("allow_once")

    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted([write("notes.txt", "x\n")], SAY), folder=folder
        )
        await session.prompt("go", on_approval=answer)
    assert len(asked) == 2
    assert asked[0].asked.hash != asked[1].asked.hash
    assert "-hello world" in asked[0].asked.detail["diff"]
    assert "-a person wrote this" in asked[1].asked.detail["diff"]
    assert (folder / "notes.txt").read_text() == "x\n"


@pytest.mark.requirement("C2", "C9")
async def test_a_read_waits_for_the_write_before_it_that_is_still_asked_about(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    turn = [write("notes.txt", "new\n"), call("read_file", file_path="notes.txt")]
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(turn, SAY), folder=folder)
        await session.prompt("go", on_approval=replies("allow_once"))
        log = await whole(session)
    results = of_type(log, "tool_result")
    assert [one.name for one in results] == ["write_file", "read_file"]
    assert "new" in told(results[1])


async def test_without_anybody_to_ask_the_exchange_is_parked_and_goes_on_when_it_is_answered(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([write("a.txt", "1"), call("read_file", file_path="notes.txt")], SAY)
    async with Studio(home, flags={"patience": 0}) as studio:
        session = await studio.start(model=model, folder=folder)
        with pytest.raises(Waits):
            await session.prompt("go")
        assert studio.runtime.sessions.get(session.id).status == "waiting"
        (pending,) = studio.asks()
        assert pending[0].id == session.id
    async with Studio(home) as studio:
        session = await studio.resume(session.id)
        (ask,) = session.asks()
        await session.answer(ask, "allow_once")
        following = session.resume()
        assert following
        end = await following
        log = await whole(session)
    assert end.success
    assert (folder / "a.txt").read_text() == "1"
    assert len(of_type(log, "approval_required")) == 1
    assert len(of_type(log, "exchange_response")) == 1
    assert [one.name for one in of_type(log, "tool_intent")] == ["read_file", "write_file"]


async def test_closing_the_studio_leaves_what_is_asked_open(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([write("a.txt", "1")], SAY), folder=folder)
        async for event in session.prompt("go", wait=True):
            if event.type == "approval_required":
                break
    async with Studio(home) as studio:
        assert len(studio.asks()) == 1
        session = await studio.resume(session.id)
        following = session.resume(on_approval=replies("allow_once"), wait=True)
        assert following
        end = await following
    assert end.success
    assert (folder / "a.txt").exists()


@pytest.mark.requirement("T40", "C8")
async def test_plan_mode_blocks_what_acts_and_offers_its_plan(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    plan = [{"do": "say", "text": "1. write a.txt"}]
    blocked = [write("a.txt", "1"), call("bash_exec", command="touch b"), call("list_dir")]
    model = scripted(blocked, plan, [write("a.txt", "1")], SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="plan")
        end = await session.prompt("go")
        results = of_type(await whole(session), "tool_result")
        (ask,) = session.asks()
        carried = await session.accept_plan("allow")
        assert session.mode == "allow"
        done = await carried
        log = await whole(session)
    assert end.final_response == "1. write a.txt"
    assert ["Tool blocked in plan mode" in told(one) for one in results] == [True, True, False]
    assert (ask.kind, ask.input) == ("plan", {"plan": "1. write a.txt"})
    assert done.success
    assert (folder / "a.txt").exists()
    assert of_type(log, "mode_changed") == [facts.ModeChanged("allow")]


async def test_a_plan_is_no_longer_offered_once_the_conversation_went_on(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    plan = [{"do": "say", "text": "1. write a.txt"}]
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(plan, plan), folder=folder, mode="plan")
        await session.prompt("go")
        (first,) = session.asks()
        await session.prompt("think again")
        (second,) = session.asks()
        assert first.id != second.id
        await session.discard_plan()
        assert session.asks() == []


@pytest.mark.requirement("T42")
async def test_allow_mode_asks_for_nothing(home: Path, folder: Path, scripted: Scripted) -> None:
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted([write("a.txt", "1")], SAY), folder=folder, mode="allow"
        )
        await session.prompt("go")
        log = await whole(session)
    assert (folder / "a.txt").exists()
    assert of_type(log, "approval_required") == []


@pytest.mark.requirement("X23")
async def test_a_clients_own_tool_is_answered_by_the_client_even_after_a_restart(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    from bottega.sessions.clients import ClientTool

    paint = ClientTool("paint", "Paint it.", {"type": "object", "properties": {}})
    async with Studio(home, flags={"patience": 0}) as studio:
        session = await studio.start(
            model=scripted([call("paint")], SAY), folder=folder, mode="allow"
        )
        await session.declare_tools([paint])
        with pytest.raises(Waits):
            await session.prompt("go")
    async with Studio(home) as studio:
        session = await studio.resume(session.id)
        (ask,) = session.asks()
        assert (ask.kind, ask.asked.tool_name) == ("client", "paint")
        await session.send_tool_result(ask.asked.tool_id, {"colour": "red"})
        following = session.resume()
        assert following
        end = await following
        log = await whole(session)
    assert end.success
    (result,) = of_type(log, "tool_result")
    assert '"colour":"red"' in told(result)


@pytest.mark.requirement("T36")
async def test_a_question_is_answered_in_words_and_the_to_do_list_is_in_the_log(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    ask = call("ask_user", question="Which colour?", choices=["red", "blue"])
    todo = call("todo_write", todos=[{"content": "paint", "status": "in_progress"}])
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted([ask], [todo], [call("todo_read")], SAY), folder=folder
        )
        await session.prompt("go", on_approval=replies("answer", note="green"))
        log = await whole(session)
    results = [told(one) for one in of_type(log, "tool_result")]
    assert "green" in results[0]
    assert of_type(log, "todos_changed")[0].todos[0].content == "paint"
    assert "in_progress" in results[2]


async def test_two_programs_see_the_same_ask_and_the_slower_is_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as one, Studio(home) as two:
        session = await one.start(model=scripted([write("a.txt", "1")], SAY), folder=folder)
        running = asyncio.create_task(_to_the_end(session))
        other = Session(two.opened, session.row)
        async for event in other.follow():
            if event.type == "approval_required":
                break
        ((_, ask),) = two.asks()
        await other.answer(ask, "deny", note="no")
        with pytest.raises(Conflict):
            await session.answer(ask, "allow_once")
        await running
    assert not (folder / "a.txt").exists()


async def _to_the_end(session: Session) -> None:
    async for _ in session.prompt("go", wait=True):
        pass


async def test_who_resumes_a_session_that_was_answered_meanwhile_can_follow_what_goes_on(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    gate = {"do": "gate", "path": str(tmp_path / "gate")}
    model = scripted([write("a.txt", "1")], [gate, *SAY])
    async with Studio(home, flags={"patience": 0}) as studio:
        session = await studio.start(model=model, folder=folder)
        with pytest.raises(Waits):
            await session.prompt("go")
        await session.answer(session.asks()[0], "allow_once")
    async with Studio(home) as studio, asyncio.timeout(10):
        session = await studio.resume(session.id)
        following = session.resume()
        assert following, "it goes on, and is not over"
        (tmp_path / "gate").touch()
        assert (await following).success
