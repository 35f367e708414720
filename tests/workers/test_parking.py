"""An exchange that was broken off and is parked: one ask says what was under way and what going on would spend."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Text, ToolUse, plain_text
from bottega.sessions.asks import Ask
from bottega.settings import load
from bottega.studio import Session, Studio
from bottega.workers.crash.parking import Spends, priced, told
from bottega.workers.track import Track
from tests.chaos.victim import Victim, leave_trace
from tests.processes import run
from tests.workers.test_ends import whole

Scripted = Callable[..., str]

HALF = "Half an answer, of which there is more"
SAY = [{"do": "say", "text": "It says hello."}]


def broken_off(home: Path, folder: Path, scripted: Scripted, tmp_path: Path) -> None:
    """Die in the middle of an answer; another try says it whole."""
    gate = tmp_path / "gate"
    model = scripted(
        [{"do": "say", "text": HALF}, {"do": "gate", "path": str(gate)}, {"do": "say", "text": "."}]
    )
    victim = Victim(home, model, folder)
    shown = victim.prints(b'more"')
    victim.kill()
    victim.last_words(shown)
    gate.touch()


async def parked(studio: Studio) -> tuple[Session, Ask]:
    (row,) = await studio.sessions()
    session = await studio.resume(row.id)
    (ask,) = session.asks()
    return session, ask


async def ended(session: Session) -> facts.ExchangeResponse:
    following = session.resume()
    assert following
    return await following


def kinds(log: list[Event]) -> list[str]:
    return [event.type for event in log]


async def test_it_is_asked_with_what_was_under_way_and_what_going_on_spends(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    async with Studio(home, on_crash="park") as studio:
        session, ask = await parked(studio)
        log = await session.facts()
        status = studio.find(session.id).row.status
        context = await session.context()
    assert kinds(log)[-2:] == ["interrupted", "approval_required"]
    assert status == "waiting"
    assert (ask.kind, ask.asked.choices) == ("resume", ("continue", "stop"))
    detail = ask.asked.detail
    assert detail["again"]
    assert detail["tokens"] == context.tokens > 100
    assert 5 <= detail["written"] <= 12
    assert detail["under_way"] == f"{len(HALF)} characters of an answer were written."
    assert f"about {detail['tokens']:,} tokens again" in ask.asked.question
    assert "at no cost" in ask.asked.question


async def test_the_price_is_told_where_it_is_known(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    settings = load(home=home, environment={"ANTHROPIC_API_KEY": "sk-no"})
    async with Studio(settings=settings, on_crash="park") as studio:
        (row,) = await studio.sessions()
        await studio.find(row.id).change_model("anthropic/claude-opus-4-1")
        _, ask = await parked(studio)
    tokens, cost = ask.asked.detail["tokens"], ask.asked.detail["cost"]
    assert cost == pytest.approx(tokens * 15 + ask.asked.detail["written"] * 75, rel=0.01)
    assert f"for about ${cost / 1_000_000:,.4f}" in ask.asked.question


async def test_it_is_asked_once_over_three_restarts(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    seen: set[str] = set()
    log: list[Event] = []
    for _ in range(3):
        async with Studio(home, on_crash="park") as studio:
            session, ask = await parked(studio)
            seen.add(ask.id)
            log = await session.facts()
    assert len(seen) == 1
    assert kinds(log).count("interrupted") == 1
    assert kinds(log).count("approval_required") == 1


async def test_who_dies_right_after_asking_has_asked(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    dies = """
        import asyncio, sys
        from bottega.studio import Studio
        async def main():
            async with Studio(sys.argv[1], on_crash="park") as studio:
                (row,) = await studio.sessions()
                await studio.resume(row.id)
        asyncio.run(main())
        """
    for point in ("parking.after_ask=kill", "lease.before_release=kill"):
        assert run(dies, home, failpoints=point).returncode == -9
    async with Studio(home, on_crash="park") as studio:
        session, ask = await parked(studio)
        log = await session.facts()
        await session.answer(ask, "continue")
        assert (await ended(session)).success
    assert kinds(log).count("interrupted") == 1
    assert kinds(log).count("approval_required") == 1


async def test_who_continues_has_the_answer_come_anew_and_the_model_asked_once_more(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    async with Studio(home, on_crash="park") as studio:
        session, ask = await parked(studio)
        await session.answer(ask, "continue")
    async with Studio(home, on_crash="close") as studio:  # whoever comes next goes on
        session = studio.find(session.id)
        await ended(session)
        log = await whole(session)
    after = kinds(log)[kinds(log).index("approval_resolved") :]
    assert after[:3] == ["approval_resolved", "stream_reset", "message_start"]
    assert kinds(log).count("message_start") == 2
    assert log[-1].data.final_response == HALF + "."


async def test_who_stops_closes_it_and_what_was_written_is_kept(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    async with Studio(home, on_crash="park") as studio:
        session, ask = await parked(studio)
        await session.answer(ask, "stop")
        await ended(session)
        log = await whole(session)
        history = await session.history()
    assert log[-1].data.completion_reason == "user_stopped"
    assert kinds(log).count("message_start") == 1
    assert plain_text(history[-1].content).startswith(HALF)


async def test_a_cancel_closes_it_and_nothing_is_asked_any_more(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    async with Studio(home, on_crash="park") as studio:
        session, ask = await parked(studio)
        following = session.resume()
        assert following
        assert await session.cancel(ask.message_id)
        assert (await following).completion_reason == "user_stopped"
        assert session.asks() == []
        assert (await whole(session))[-1].data.completion_reason == "user_stopped"


async def test_a_call_that_had_begun_is_named_and_not_run_again(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    model = scripted([{"do": "call", "name": "leave_trace", "input": {"path": str(trace)}}], SAY)
    Victim(home, model, folder, "tool.after_effect=kill").last_words()
    async with Studio(home, on_crash="park", tools=[leave_trace]) as studio:
        session, ask = await parked(studio)
        assert ask.asked.detail["calls"] == [{"name": "leave_trace", "began": True}]
        assert not ask.asked.detail["again"]
        await session.answer(ask, "continue")
        await ended(session)
        log = await whole(session)
    (result,) = [event.data for event in log if event.type == "tool_result"]
    assert "outcome unknown" in result.content[0].text
    assert trace.read_text().count("here") == 1
    assert log[-1].data.final_response == "It says hello."


async def test_a_server_parks_what_took_three_workers_down(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    broken_off(home, folder, scripted, tmp_path)
    async with Studio(home, runs=False) as studio:
        await studio.runtime.database.write(
            lambda c: c.execute("UPDATE sessions SET takeovers = 2").close()
        )
    async with Studio(home, on_crash=None, flags={"on_crash": "resume"}) as studio:
        _, ask = await parked(studio)
    assert ask.kind == "resume"


def note(track: Track, *payloads: Any) -> Track:
    for number, payload in enumerate(payloads, 1):
        track.note(Event(facts.NAMES[type(payload)], number, payload, "m", 1, 1, index=number))
    return track


def test_what_was_under_way_is_told_for_every_moment() -> None:
    use = ToolUse("c1", "bash_exec", {"command": "ls"})
    acts = facts.AssistantMessage((use,), "tool_use")
    done = facts.ToolResultFact("c1", "bash_exec", (Text("a"),))
    start = facts.MessageStart("scripted")
    assert told(note(Track(), start)) == "The model had not answered yet."
    assert told(note(Track(), start, facts.TextDelta("ab"))).startswith("2 characters")
    assert told(note(Track(), start, acts)) == "A call was not finished: bash_exec."
    begun = facts.ToolIntent("c1", "bash_exec", "", (), ())
    assert "bash_exec (it had begun)" in told(note(Track(), start, acts, begun))
    assert told(note(Track(), start, acts, done)).startswith("All calls had run")
    said = facts.AssistantMessage((Text("Done."),), "end_turn")
    assert told(note(Track(), start, said)).startswith("The answer was complete")


def test_what_nobody_knows_the_price_of_is_not_called_free() -> None:
    assert "a price that nobody knows" in priced(Spends(1200, again=True))
    assert "for about $0.0123" in priced(Spends(1200, again=True, cost=12_300))
    assert "at no cost" in priced(Spends(1200, again=True, cost=0))
    assert "again" not in priced(Spends(1200, again=False, cost=0))
    assert priced(Spends(0, again=False, cost=0)) == "Going on asks no model again."
