"""Compaction on the log: when it comes, what it keeps, what it costs, and that a session is never stuck by it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Conflict
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Text
from bottega.messages.message import Usage
from bottega.studio import Session, Studio
from bottega.workers.counting import window_of
from tests.processes import run

Scripted = Callable[..., str]

LONG = "The answer goes on about many things that nobody will need again. " * 30
SUMMARY = "## Goal\nTo talk at length.\n## Done\nMany long answers were given, none of them of use."
RECORD = {
    "when": "<record>",
    "turns": [
        {
            "steps": [{"do": "say", "text": SUMMARY}],
            "usage": {"input_tokens": 7, "output_tokens": 3},
        }
    ],
}


def small(home: Path, window: int = 6000, **flags: Any) -> Studio:
    return Studio(home, flags={"context_window": window, **flags})


async def talk(session: Session, words: int, begin: int = 0) -> None:
    for number in range(begin, begin + words):
        await session.prompt(f"word {number}")


async def compactions(session: Session) -> list[Event]:
    return [event for event in await session.facts() if event.type == "compaction"]


def said_by_user(session_history: list[Any]) -> list[str]:
    return [
        block.text
        for message in session_history
        if message.role == "user"
        for block in message.content
        if isinstance(block, Text) and not block.aside
    ]


def talker(scripted: Scripted, **options: Any) -> str:
    return scripted(
        [{"do": "say", "text": LONG}], after="repeat", **({"rules": [RECORD]} | options)
    )


async def test_a_full_window_is_compacted_and_the_users_words_stay(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        await talk(session, 16)
        made = await compactions(session)
        assert made, "it was compacted by itself"
        first = made[0].data
        assert first.reason == "full"
        assert first.after < first.before <= 6000
        assert first.dropped["messages"] > 0
        assert SUMMARY in first.summary
        history = await session.history()
        assert said_by_user(history) == [f"word {number}" for number in range(16)]
        assert (await session.context()).percent < 85


async def test_the_instructions_of_a_project_are_a_part_of_the_context(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    (folder / "AGENTS.md").write_text(f"\n{'Mind the gap. ' * 400}\n")
    async with small(home, 100_000) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        await talk(session, 1)
        parts = (await session.context()).parts
    assert parts["instructions"] > 500
    assert 0 < parts["system"] < parts["instructions"]


async def test_a_summary_is_counted_to_the_exchange_that_needed_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        await talk(session, 12)
        facts_ = await session.facts()
    (made, *_) = [event for event in facts_ if event.type == "compaction"]
    assert made.data.usage == Usage(7, 3)
    mine = [event.data for event in facts_ if event.message_id == made.message_id]
    answers = sum(
        (each.usage for each in mine if isinstance(each, facts.AssistantMessage)), Usage()
    )
    (end,) = [each for each in mine if isinstance(each, facts.ExchangeResponse)]
    assert end.usage == answers + Usage(7, 3)


async def test_old_noise_goes_before_anything_is_summed_up(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    (folder / "notes.txt").write_text("a line of the notes that is long enough to weigh\n" * 60)
    read = [{"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}]
    look = [{"do": "call", "name": "list_dir", "input": {}}]
    model = scripted(*[read, look] * 12, [{"do": "say", "text": "Done."}], rules=[RECORD])
    async with small(home, 9_000) as studio:
        session = await studio.start(model=model, folder=folder)
        assert (await session.prompt("read it again and again")).success
        (first, *_) = await compactions(session)
    assert first.data.upto == 0
    assert first.data.cut
    assert not first.data.summary
    assert first.data.after < first.data.before * 0.75


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([{"do": "say", "text": " "}], "empty"),
        ([{"do": "say", "text": LONG * 40}], "longer than what it stood for"),
        ([{"do": "fail", "code": "overloaded"}], "overloaded"),
    ],
)
async def test_a_summary_of_no_use_is_replaced_by_a_list_that_says_so(
    home: Path, folder: Path, scripted: Scripted, steps: list[dict[str, Any]], why: str
) -> None:
    rules = [{"when": "<record>", "turns": [steps]}]
    async with small(home) as studio:
        session = await studio.start(model=talker(scripted, rules=rules), folder=folder)
        await talk(session, 12)
        (first, *_) = await compactions(session)
        assert why in first.data.summary
        assert "made by the program" in first.data.summary
        assert first.data.after < first.data.before
        assert (await session.prompt("and now?")).success


async def test_what_a_provider_refuses_for_its_size_is_compacted_and_asked_again(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    say = [{"do": "say", "text": LONG}]
    refuse = [{"do": "fail", "code": "context_overflow", "message": "Too long."}]
    model = scripted(*[say] * 8, refuse, rules=[RECORD])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        await talk(session, 8)
        end = await session.prompt("once more")
        (made,) = await compactions(session)
    assert end.success
    assert made.data.reason == "overflow"
    assert end.iterations == 1


async def test_open_todos_and_changed_files_are_put_into_the_summary_by_code(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    todos = [
        {"content": "mend the roof", "status": "in_progress"},
        {"content": "gone", "status": "completed"},
    ]
    model = scripted(
        [
            {"do": "call", "name": "todo_write", "input": {"todos": todos}},
            {
                "do": "call",
                "name": "write_file",
                "input": {"file_path": "roof.txt", "content": "x"},
            },
        ],
        *[[{"do": "say", "text": LONG}]] * 9,
        rules=[RECORD],
    )
    async with small(home, mode="allow") as studio:
        session = await studio.start(model=model, folder=folder)
        await talk(session, 6)
        assert await session.compact()
        made = (await compactions(session))[-1].data
    assert "- [in_progress] mend the roof" in made.summary
    assert "gone" not in made.summary
    assert "- roof.txt" in made.summary


async def test_a_session_is_compacted_on_request_outside_an_exchange(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home, 100_000) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        assert not await session.compact(), "there is nothing to drop"
        await talk(session, 8)
        assert await session.compact()
        (made,) = await compactions(session)
        assert (made.message_id, made.data.reason) == ("", "asked")
        assert len(await session.history()) < 16
        assert (await session.prompt("go on")).success
        again = await studio.resume(session.id)
        assert (await again.prompt("and on")).success


async def test_one_that_runs_is_compacted_before_its_next_model_call(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    look = {"do": "call", "name": "list_dir", "input": {}}
    say = [{"do": "say", "text": LONG}]
    model = scripted(*[say] * 6, [{"do": "gate", "path": str(gate)}, look], say, rules=[RECORD])
    async with small(home, 100_000) as studio:
        session = await studio.start(model=model, folder=folder)
        await talk(session, 6)
        answer = session.prompt("look")
        async for event in answer:
            if event.type == "message_start" and not gate.exists():
                assert await session.compact() is None
                with pytest.raises(Conflict):
                    await session.reset()
                with pytest.raises(Conflict):
                    await session.clear()
                gate.touch()
        (made,) = await compactions(session)
    assert made.message_id == answer.message_id
    assert made.data.reason == "asked"


async def test_one_that_is_asked_for_in_the_last_answer_comes_with_the_next_prompt(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    say = [{"do": "say", "text": LONG}]
    last = [{"do": "gate", "path": str(gate)}, *say]
    model = scripted(*[say] * 6, last, say, say, rules=[RECORD])
    async with small(home, 100_000) as studio:
        session = await studio.start(model=model, folder=folder)
        await talk(session, 6)
        async for event in session.prompt("the last"):
            if event.type == "message_start":
                assert await session.compact() is None
                gate.touch()
        assert not await compactions(session)
        following = session.prompt("go on")
        await following
        await session.prompt("and on")
        (made,) = await compactions(session)
    assert (made.message_id, made.data.reason) == (following.message_id, "asked")


async def test_an_undone_compaction_shows_all_again_and_the_next_waits_longer(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        number = 0
        while not await compactions(session):
            await talk(session, 1, number)
            number += 1
        before = len(await session.history())
        (made,) = await compactions(session)
        assert await session.undo_compaction() == made.index
        assert await session.undo_compaction() == 0, "once is enough"
        assert len(await session.history()) > before
        assert len(await session.history()) == 2 * number
        full = (await session.context()).percent
        assert 80 <= full < 95
        await talk(session, 1, number)
        assert len(await compactions(session)) == 1, "it waits until 95 %"
        await talk(session, 4, number + 1)
        assert len(await compactions(session)) > 1


async def test_what_a_process_remembers_minds_what_guests_have_undone(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home, 100_000) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        await talk(session, 8)
        assert await session.compact()
        await session.prompt("shorter")
        short = (await session.facts())[-2].data.usage.input_tokens
        await session.undo_compaction()
        await session.prompt("longer")
        longer = (await session.facts())[-2].data.usage.input_tokens
    assert longer > short * 2


async def test_words_that_fill_the_window_are_never_cut_but_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home, 2_000) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        end = await session.prompt("these words matter " * 3_000)
        told = [e.data for e in await session.facts() if isinstance(e.data, facts.ErrorMessage)]
        assert not end.success
        assert told[0].code == "context_full"
        assert "/reset" in told[0].hint
        await session.reset()
        assert await session.history() == []


async def test_with_zero_percent_nothing_is_compacted_by_itself(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with small(home, 3_000, compact_at=0) as studio:
        session = await studio.start(model=talker(scripted), folder=folder)
        await talk(session, 10)
        assert not await compactions(session)


async def test_one_long_exchange_is_compacted_again_and_again_and_never_loses_its_task(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    """The script knows no end: only the limit of 50 model calls ends it. Each search differs from the one before."""
    (folder / "notes.txt").write_text("a line of the notes that is long enough to weigh\n" * 40)
    look = [
        {"do": "say", "text": "I look at the lines once more, as they may have changed. " * 12},
        {"do": "call", "name": "grep", "input": {"pattern": "line"}},
        {"do": "call", "name": "read_file", "input": {"file_path": "nowhere.txt"}},
    ]
    again = [*look[:1], {"do": "call", "name": "grep", "input": {"pattern": "notes"}}, *look[2:]]
    async with small(home, 9_000) as studio:
        session = await studio.start(
            model=scripted(look, again, after="repeat", rules=[RECORD]), folder=folder
        )
        end = await session.prompt("count the lines, and never stop")
        made = await compactions(session)
        history = await session.history()
    assert end.iterations == 50
    assert 3 <= len(made) <= 15, "often enough, and not at every step"
    assert all(each.data.after < each.data.before for each in made)
    assert any(each.data.upto for each in made)
    assert said_by_user(history) == ["count the lines, and never stop"]
    assert "nowhere.txt" in str(history)


TALK = """
import asyncio, sys
from bottega.studio import Studio

async def main():
    home, model, folder = sys.argv[1:]
    async with Studio(home, flags={"context_window": 6000}) as studio:
        session = await studio.start(model=model, folder=folder)
        for number in range(30):
            await session.prompt(f"word {number}")

asyncio.run(main())
"""


@pytest.mark.chaos
@pytest.mark.parametrize(
    ("point", "made"), [("compacting.before_fact", 0), ("compacting.after_fact", 1)]
)
async def test_a_kill_while_compacting_leaves_a_session_that_goes_on(
    home: Path, folder: Path, scripted: Scripted, point: str, made: int
) -> None:
    killed = run(TALK, home, talker(scripted), folder, failpoints=f"{point}=kill@1")
    assert killed.returncode == -9, killed.stderr
    async with small(home) as studio:
        (row,) = await studio.sessions()
        assert len(await compactions(studio.find(row.id))) == made
        session = await studio.resume(row.id)
        end = await session.prompt("and now?")
        assert end.success
        assert len(await compactions(session)) == 1
        words = said_by_user(await session.history())
        assert words == [f"word {number}" for number in range(len(words) - 1)] + ["and now?"]


async def test_the_window_is_the_models_own_setting_else_the_setting_else_what_the_list_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    config = home / "config.toml"
    config.write_text("context_window = 5000\n[models.guide]\ncontext_window = 7000\n")
    async with Studio(home) as studio:
        assert studio.runtime.model("guide").window() == 7000
        assert studio.runtime.model("ollama/llama").window() == 5000
    config.write_text("")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    async with Studio(home) as studio:
        model = studio.runtime.model("openai/gpt-4o")
        assert await window_of(model) == 128_000
        assert model.window() == 128_000, "it was read, and costs nothing now"
        assert await window_of(studio.runtime.model("ollama/llama")) is None
