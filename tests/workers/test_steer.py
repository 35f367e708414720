"""A steer is said into the exchange that runs, and shares its end."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import bottega
from bottega.messages.block import plain_text
from bottega.studio import Studio
from tests.workers.test_ends import until, whole

Scripted = Callable[..., str]
SAY = {"do": "say", "text": "All done."}


async def test_a_steer_reaches_the_model_after_the_tools_of_the_step(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    @bottega.tool(effects=["read"])
    async def wait() -> str:
        """Wait until the test says so."""
        started.set()
        await go_on.wait()
        return "waited"

    async with Studio(home, tools=[wait]) as studio:
        session = await studio.start(
            model=scripted([{"do": "call", "name": "wait"}], [SAY]), folder=folder
        )
        first = session.prompt("go")
        running = asyncio.create_task(_end(first))
        async with asyncio.timeout(30):
            await started.wait()
            steer = session.steer("only the headings")
            shared = asyncio.create_task(_end(steer))
            await until(session, steer.message_id, "prompt_queued")
            go_on.set()
            ends = await asyncio.gather(running, shared)
        log = await whole(session)
        history = await session.history()
    assert ends[0] == ends[1], "one end for both"
    assert [message.role for message in history] == [
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
    ]
    assert plain_text(history[3].content) == "only the headings"
    (said,) = [event for event in log if event.type == "user_message" and event.data.steer]
    assert (said.message_id, said.data.prompt_id) == (first.message_id, steer.message_id)


async def test_a_steer_that_comes_while_the_last_answer_streams_makes_the_exchange_go_on(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = scripted(
        [{"do": "say", "text": "First."}, {"do": "gate", "path": str(gate)}],
        [{"do": "say", "text": "Second."}],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        first = session.prompt("go")
        running = asyncio.create_task(_end(first))
        await until(session, first.message_id, "text_delta")
        steer = session.steer("and the rest?")
        shared = asyncio.create_task(_end(steer))
        await until(session, steer.message_id, "prompt_queued")
        gate.touch()
        async with asyncio.timeout(30):
            end, other = await asyncio.gather(running, shared)
        await whole(session)
    assert end == other
    assert (end.final_response, end.iterations) == ("Second.", 2)


async def test_a_steer_with_nothing_to_steer_is_a_prompt(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([SAY]), folder=folder)
        end = await session.steer("hello")
        await whole(session)
    assert end.final_response == "All done."


async def _end(answer):  # type: ignore[no-untyped-def]
    return await answer
