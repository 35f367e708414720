"""What a dead process left is taken up: nothing is silently run twice, and nothing stays open."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.errors import Fenced
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import plain_text
from bottega.sessions.lease import Lease
from bottega.sessions.pen import Pen
from bottega.studio import Studio
from tests.chaos.victim import Victim, leave_trace
from tests.workers.test_ends import whole

Scripted = Callable[..., str]

LOOK = [
    {"do": "say", "text": "I look."},
    {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}},
]
SAY = [{"do": "say", "text": "It says hello."}]


async def test_the_terminal_closes_what_was_interrupted_and_keeps_its_text(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    gate = {"do": "gate", "path": str(tmp_path / "never")}
    model = scripted([{"do": "say", "text": "Half an answer"}, gate], SAY)
    victim = Victim(home, model, folder)
    shown = victim.prints(b"text_delta")
    victim.kill()
    victim.last_words(shown)
    async with Studio(home) as studio:
        (row,) = await studio.sessions()
        assert row.status == "running", "nobody has looked after it yet"
        session = await studio.resume(row.id)
        assert session.row.status == "idle"
        log = await whole(session)
        history = await session.history()
        end = await session.prompt("go on")
    assert [event.type for event in log[-3:]] == [
        "interrupted",
        "assistant_message",
        "exchange_response",
    ]
    assert log[-1].data.completion_reason == "interrupted"
    assert plain_text(history[-1].content).startswith("Half")
    assert end.final_response == "It says hello."


@pytest.mark.parametrize("point", ["tool.after_intent", "tool.after_effect"])
async def test_a_call_that_only_reads_is_run_again_and_the_exchange_goes_on(
    home: Path, folder: Path, scripted: Scripted, point: str
) -> None:
    Victim(home, scripted(LOOK, SAY), folder, f"{point}=kill").last_words()
    async with Studio(home, on_crash="resume") as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        log = await whole(session)
    assert log[-1].data.success
    assert log[-1].data.final_response == "It says hello."
    kinds = [event.type for event in log]
    assert kinds.count("interrupted") == 1
    assert kinds.count("tool_intent") == 2, "its first run is not hidden"
    (result,) = [event.data for event in log if event.type == "tool_result"]
    assert not result.is_error


@pytest.mark.parametrize(("point", "times"), [("tool.after_intent", 0), ("tool.after_effect", 1)])
async def test_a_call_that_may_have_had_its_effect_is_not_run_again(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path, point: str, times: int
) -> None:
    trace = tmp_path / "trace"
    model = scripted([{"do": "call", "name": "leave_trace", "input": {"path": str(trace)}}], SAY)
    Victim(home, model, folder, f"{point}=kill").last_words()
    async with Studio(home, on_crash="resume", tools=[leave_trace]) as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        log = await whole(session)
    (result,) = [event.data for event in log if event.type == "tool_result"]
    assert result.is_error
    assert "outcome unknown" in result.content[0].text
    assert (trace.read_text() if trace.exists() else "").count("here") == times
    assert log[-1].data.success


async def test_an_exchange_that_took_three_workers_down_is_closed(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(LOOK, SAY)
    Victim(home, model, folder, "tool.after_intent=kill").last_words()
    async with Studio(home) as studio:
        (row,) = await studio.sessions()
        await studio.runtime.database.write(
            lambda c: c.execute("UPDATE sessions SET takeovers = 2 WHERE n = ?", (row.n,)).close()
        )
    async with Studio(home, on_crash="resume") as studio:
        session = await studio.resume(row.id)
        log = await whole(session)
    assert log[-1].data.completion_reason == "interrupted"


async def test_a_worker_that_was_taken_over_writes_nothing_more(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder)
        first = Lease(session.row.n, "wrk_a", generation=1, seq=0, takeovers=0)
        await studio.runtime.database.write(
            lambda c: c.execute(
                "UPDATE sessions SET generation = 2 WHERE n = ?", (first.n,)
            ).close()
        )
        old = Pen(studio.runtime.log, first)
        with pytest.raises(Fenced):
            await old.record(Event("text_delta", 1, facts.TextDelta("late")))
        assert await session.facts() == []
        assert (await session.prompt("go")).success
