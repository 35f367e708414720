"""Every exchange has exactly one end, in every path, and leaves a history that is whole."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import bottega
from bottega.errors import Conflict
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.messages.block import Text, plain_text
from bottega.messages.repair import repair
from bottega.sessions import inbox
from bottega.sessions.inbox import Prompt
from bottega.studio import Session, Studio
from tests.chaos.after_death import calls_are_answered_once
from tests.messages import strict

Scripted = Callable[..., str]
SAY = {"do": "say", "text": "All done."}


async def whole(session: Session) -> list[Event]:
    """The facts of a session in which every prompt has its one end and every call its one result."""
    log = await session.facts()
    ends = Counter(event.message_id for event in log if event.type == "exchange_response")
    begun = {event.message_id for event in log if event.type == "user_message"}
    assert ends == dict.fromkeys(begun, 1)
    calls_are_answered_once(log)
    strict.anthropic(repair(await session.history(), "anthropic"))
    return log


def list_dir(number: int) -> dict[str, Any]:
    """Calls that differ: the same one over and over is another limit."""
    return {"do": "call", "name": "list_dir", "input": {"path": f"folder-{number}"}}


async def until(session: Session, message_id: str, kind: str) -> None:
    async with asyncio.timeout(30):
        async for event in session.follow():
            if event.message_id == message_id and event.type == kind:
                return


@pytest.mark.requirement("A14", "A20", "A25", "A27", "A28", "N11", "X15", "X21")
async def test_a_turn_with_tools_ends_in_the_last_answer_and_keeps_all_of_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [
            {"do": "say", "text": "I look."},
            {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}},
        ],
        [SAY],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("go")
        log = await whole(session)
    assert (end.success, end.completion_reason, end.stop_reason) == (
        True,
        "no_more_actions",
        "end_turn",
    )
    assert end.final_response == "All done."
    assert end.iterations == 2
    kinds = [event.type for event in log]
    assert kinds == [
        *("prompt_queued", "user_message", "opening", "aside"),
        *("message_start", "assistant_message", "tool_intent", "tool_result"),
        *("message_start", "assistant_message", "exchange_response"),
    ]


@pytest.mark.requirement("A07", "A42")
async def test_a_provider_that_fails_ends_the_exchange_with_its_reason(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [{"do": "fail", "code": "bad_key", "message": "The key is wrong.", "hint": "Set it."}]
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        events = [event async for event in session.prompt("go")]
        await whole(session)
    told = [event.data for event in events if event.type == "error_message"]
    assert [(error.code, error.message, error.hint) for error in told] == [
        ("bad_key", "The key is wrong.", "Set it.")
    ]
    end = events[-1].data
    assert (end.success, end.completion_reason, end.stop_reason) == (False, "error", "error")


async def test_a_model_that_leads_nowhere_ends_the_exchange_and_not_the_session(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([SAY]), folder=folder)
        failed = await session.prompt("go", model="openai/gpt-5")
        worked = await session.prompt("go")
        log = await whole(session)
    assert not failed.success
    assert worked.success
    (error,) = [event.data for event in log if event.type == "error_message"]
    assert "OPENAI_API_KEY" in error.hint


@pytest.mark.parametrize("preset", [("strict", 8)])
async def test_a_limit_ends_the_exchange_with_a_reason_and_the_next_prompt_goes_on(
    home: Path, folder: Path, scripted: Scripted, preset: tuple[str, int]
) -> None:
    name, most = preset
    model = scripted(*([list_dir(depth)] for depth in range(1, 20)))
    async with Studio(home, flags={"limits": name}) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("go")
        again = await session.prompt("go on")
        await whole(session)
    assert (end.success, end.completion_reason, end.stop_reason) == (
        False,
        "resource_limit_exceeded",
        "limit",
    )
    assert end.iterations == again.iterations == most


async def test_a_cancel_in_the_stream_keeps_what_was_shown(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    model = scripted(
        [{"do": "say", "text": "Half an answer"}, {"do": "gate", "path": str(tmp_path / "never")}],
        [SAY],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        answer = session.prompt("go")
        running = asyncio.create_task(_end(answer))
        await until(session, answer.message_id, "text_delta")
        assert await answer.cancel()
        async with asyncio.timeout(30):
            end = await running
        log = await whole(session)
        history = await session.history()
        assert not await answer.cancel(), "it is over already"
    assert (end.success, end.completion_reason, end.stop_reason) == (
        False,
        "user_stopped",
        "cancelled",
    )
    assert "cancel_requested" in [event.type for event in log]
    shown = plain_text(history[-1].content)
    assert shown
    assert "Half an answer".startswith(shown)


async def test_a_cancel_in_a_tool_answers_the_call(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    started = asyncio.Event()

    @bottega.tool(effects=["execute"])
    async def wait_for_ever() -> str:
        """Never come back."""
        started.set()
        await asyncio.Event().wait()
        return "never"

    model = scripted([{"do": "call", "name": "wait_for_ever"}, {"do": "call", "name": "list_dir"}])
    async with Studio(home, tools=[wait_for_ever]) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        answer = session.prompt("go")
        running = asyncio.create_task(_end(answer))
        async with asyncio.timeout(30):
            await started.wait()
            await answer.cancel()
            end = await running
        log = await whole(session)
    assert end.stop_reason == "cancelled"
    first, second = [event.data for event in log if event.type == "tool_result"]
    assert "outcome unknown" in first.content[0].text
    assert "Not run" in second.content[0].text


async def test_a_prompt_that_waits_can_be_taken_back_and_never_runs(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = scripted([{"do": "gate", "path": str(gate)}, SAY], [SAY])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        first, second = session.prompt("one"), session.prompt("two")
        running = asyncio.create_task(_end(first))
        await until(session, first.message_id, "message_start")
        waiting = asyncio.create_task(_end(second))
        await until(session, second.message_id, "prompt_queued")
        assert await second.cancel()
        async with asyncio.timeout(30):
            ended = await waiting
            gate.touch()
            assert (await running).success
        log = await whole(session)
    assert ended.stop_reason == "cancelled"
    assert [event.message_id for event in log if event.type == "user_message"] == [first.message_id]


async def test_a_prompt_that_begins_while_it_is_taken_back_is_stopped_one_way_or_the_other(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, runs=False) as studio:
        session = await studio.start(model=scripted([SAY]), folder=folder)
        message_id = fresh_message()
        await session.admit(Prompt(message_id, (Text("go"),)))

        async def begun_elsewhere() -> None:
            """Right behind the first transaction of whoever takes it back."""
            with suppress(Conflict):
                await studio.runtime.database.write(
                    lambda c: inbox.start(c, session.row.n, message_id)
                )

        stopped, _ = await asyncio.gather(session.cancel(message_id), begun_elsewhere())
        assert stopped
        kinds = {event.type for event in await session.facts()}
        assert kinds & {"prompt_cancelled", "cancel_requested"}


@pytest.mark.requirement("C13")
async def test_prompts_of_one_session_run_one_after_the_other(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([SAY], after="repeat")
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        answers = [session.prompt(f"number {number}") for number in range(5)]
        await asyncio.gather(*map(_end, answers))
        await studio.worker.forget(session.row.n)
        assert studio.worker.said == set()
        log = await whole(session)
    order = [
        event.message_id for event in log if event.type in ("user_message", "exchange_response")
    ]
    assert order == [answer.message_id for answer in answers for _ in range(2)]


@pytest.mark.requirement("A23")
async def test_a_broken_stream_is_voided_and_its_text_is_not_doubled(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [{"do": "say", "text": "Half"}, {"do": "reset"}, {"do": "say", "text": "Whole."}]
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        events = [event async for event in session.prompt("go")]
        (said, answered) = await session.chat()
    assert answered.content == "Whole."
    attempts = [event.attempt for event in events if event.type == "message_start"]
    assert attempts == [1, 2]
    assert [event.type for event in events].count("stream_reset") == 1


@pytest.mark.requirement("A26")
async def test_an_unknown_tool_and_wrong_arguments_are_results_that_the_model_sees(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [
            {"do": "call", "name": "no_such_tool", "input": {}},
            {"do": "call", "name": "read_file", "malformed": '{"file_path": "notes'},
            {"do": "call", "name": "read_file", "input": {"file_path": 7}},
        ],
        [SAY],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        end = await session.prompt("go")
        log = await whole(session)
    assert end.success
    texts = [event.data.content[0].text for event in log if event.type == "tool_result"]
    codes = ("UNKNOWN_TOOL", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS")
    assert all(code in text for code, text in zip(codes, texts, strict=True))
    assert "tool_intent" not in [event.type for event in log], "nothing of it ran"


async def test_a_failure_inside_bottega_still_ends_the_exchange(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([SAY]), folder=folder)
        studio.worker._plan = lambda row, prompt: 1 / 0  # type: ignore[assignment,return-value]
        events = [event async for event in session.prompt("go")]
    assert events[-1].data.completion_reason == "error"
    (told,) = [event.data for event in events if event.type == "error_message"]
    assert told.code == "internal_error"
    assert "ZeroDivisionError" in told.message


async def test_a_folder_that_vanished_is_told_to_the_model_and_the_exchange_ends(
    home: Path, tmp_path: Path, scripted: Scripted
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    model = scripted([{"do": "call", "name": "list_dir", "input": {}}], [SAY])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=gone)
        gone.rmdir()
        end = await session.prompt("go")
        log = await whole(session)
    assert end.success
    (result,) = [event.data for event in log if event.type == "tool_result"]
    assert result.is_error
    assert str(gone) in result.content[0].text


async def _end(answer):  # type: ignore[no-untyped-def]
    return await answer
