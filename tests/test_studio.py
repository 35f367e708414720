"""The Python library: what a programmer who embeds the engine relies on."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bottega
from bottega.errors import BadUsage, Conflict, NewerSchema, NotFound, Problem
from bottega.events import facts
from bottega.events.event import Event
from bottega.events.layers import ToolUseMessage
from bottega.providers.provider import Wishes
from bottega.sessions.inbox import Prompt
from bottega.studio import Studio

Scripted = Callable[..., str]

LOOK = [
    {"do": "think", "text": "Where is it?"},
    {"do": "say", "text": "I look."},
    {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}},
]
SAY = [{"do": "say", "text": "It says hello."}]


@pytest.mark.requirement("N04", "N10", "N12", "N13", "C6", "C15")
async def test_three_callbacks_hear_the_chunks_the_tool_messages_and_the_end(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    heard: list[tuple[str, Any]] = []

    async def complete(text: str) -> None:
        heard.append(("complete", text))

    async with Studio(home) as studio:
        session = await studio.start(model=scripted(LOOK, SAY), folder=folder)
        end = await session.prompt(
            "what does it say?",
            on_chunk=lambda text: heard.append(("chunk", text)),
            on_additional_message=lambda message: heard.append(("message", message)),
            on_complete=complete,
        )
    chunks = "".join(value for name, value in heard if name == "chunk")
    assert chunks == "I look.It says hello.", "the thought is no part of it"
    (tool,) = [value for name, value in heard if name == "message"]
    assert isinstance(tool, ToolUseMessage)
    assert "hello world" in tool.tool_result.value
    assert heard[-1] == ("complete", "It says hello.")
    assert end.final_response == "It says hello."


@pytest.mark.requirement("N13", "N07")
async def test_a_prompt_without_tools_streams_and_ends(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder)
        events = [event async for event in session.prompt("hi")]
    assert "tool_call" not in {event.type for event in events}
    assert events[-1].type == "exchange_response"
    assert events[-1].data.usage.output_tokens > 0


@pytest.mark.requirement("X03")
async def test_reactors_hear_what_they_asked_for_until_they_unsubscribe(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    calls: list[Event] = []
    everything: list[Event] = []
    heard = asyncio.Event()

    def note(event: Event) -> None:
        everything.append(event)
        if event.type == "exchange_response":
            heard.set()

    async with Studio(home) as studio:
        session = await studio.start(model=scripted(LOOK, SAY, SAY), folder=folder)
        stop = session.react(on_tool_call=calls.append, on_event=note)
        with pytest.raises(BadUsage, match="on_tool_cal"):
            session.react(on_tool_cal=calls.append)
        await session.prompt("one")
        async with asyncio.timeout(30):
            await heard.wait()
        stop()
        before = len(everything)
        await session.prompt("two")
    assert [event.data.name for event in calls] == ["read_file"]
    assert len(everything) == before


@pytest.mark.requirement("A08", "A12", "C3")
async def test_one_log_gives_the_chat_the_history_and_the_steps(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(LOOK, SAY), folder=folder)
        await session.prompt("what does it say?")
        chat, history, (exchange,) = (
            await session.chat(),
            await session.history(),
            await session.steps(),
        )
    assert [(said.role, said.content) for said in chat] == [
        ("user", "what does it say?"),
        ("assistant", "It says hello."),
    ]
    assert [message.role for message in history] == ["user", "assistant", "tool", "assistant"]
    assert [step.iteration for step in exchange.steps] == [1, 2]
    assert exchange.steps[0].thought == "Where is it?"


async def test_following_from_the_middle_gives_the_same_events_as_from_the_start(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(LOOK, SAY, LOOK, SAY), folder=folder)
        await session.prompt("one")
        await session.prompt("two")
        last = studio.runtime.sessions.get(session.id).last_index
        whole = await _until(session, 0, last)
        for after in range(last):
            rest = await _until(session, after, last)
            assert rest == [event for event in whole if event.index > after]


async def _until(session: bottega.Session, after: int, last: int) -> list[Event]:
    seen: list[Event] = []
    async with asyncio.timeout(30):
        async for event in session.follow(after):
            seen.append(event)
            if event.type == "exchange_response" and event.index == last:
                break
    return seen


async def test_the_same_message_id_is_the_same_prompt(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder)
        answers = [
            session.prompt("hi", message_id="6f9619ff-8b86-4011-b42d-00cf4fc964ff")
            for _ in range(8)
        ]
        ends = await asyncio.gather(*map(_end, answers))
        log = await session.facts()
        with pytest.raises(Conflict):
            await session.prompt("other", message_id="6f9619ff-8b86-4011-b42d-00cf4fc964ff")
    assert len(set(ends)) == 1
    assert [event.type for event in log].count("user_message") == 1


async def _end(answer: bottega.Answer) -> facts.ExchangeResponse:
    return await answer


async def test_a_session_is_resumed_by_another_studio(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted(SAY, [{"do": "say", "text": "Still here."}]), folder=folder
        )
        await session.prompt("hi")
    async with Studio(home) as studio:
        again = await studio.resume(session.id[-8:])
        end = await again.prompt("and now?")
        (row,) = await studio.sessions()
    assert end.final_response == "Still here."
    assert (row.id, row.title, row.status) == (session.id, "hi", "idle")


async def test_what_cannot_be_is_refused_before_anything_is_stored(
    home: Path, folder: Path
) -> None:
    async with Studio(home) as studio:
        with pytest.raises(BadUsage, match="not a folder"):
            await studio.start(model="guide", folder=folder / "missing")
        with pytest.raises(NotFound, match="no agent"):
            await studio.start(model="guide", agent="nobody", folder=folder)
        with pytest.raises(NotFound, match="no session"):
            await studio.resume("ses_0000")
        assert await studio.sessions() == []
        session = await studio.start(model="guide", folder=folder)
        with pytest.raises(BadUsage, match="empty"):
            session.prompt("  \n")
    with pytest.raises(BadUsage, match="not open"):
        _ = studio.runtime


async def test_a_tool_made_of_a_function_is_called(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    @bottega.tool(effects=["read"])
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    model = scripted([{"do": "call", "name": "add", "input": {"a": 41}}], SAY)
    async with Studio(home, tools=[add]) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("add")
        (result,) = [event.data for event in await session.facts() if event.type == "tool_result"]
    assert '"result":42' in result.content[0].text


async def test_a_long_result_is_cut_for_the_model_and_kept_whole(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    @bottega.tool(effects=["read"])
    def recite() -> str:
        """Say a lot."""
        return "".join(f"line {number}\n" for number in range(5000))

    model = scripted([{"do": "call", "name": "recite"}], SAY)
    async with Studio(home, tools=[recite]) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("read")
        (result,) = [event.data for event in await session.facts() if event.type == "tool_result"]
        kept = studio.runtime.attachments.read(session.row.n, result.blob)
    shown = result.content[0].text
    assert len(shown) < 12_000
    assert "line 2500" not in shown
    assert "line 2500" in kept.decode()


async def test_the_readmes_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    monkeypatch.setenv("BOTTEGA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(Path(__file__).parent.parent)
    said: list[str] = []
    scope = {"print": lambda text="", **_: said.append(str(text)), "__name__": "readme"}
    exec(compile(example, "README.md", "exec"), scope)  # noqa: S102
    await scope["main"]()  # type: ignore[operator]
    assert "README.md" in "".join(said)


@pytest.mark.requirement("C11")
async def test_old_deltas_are_trimmed_at_start_where_that_is_set(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder)
        await session.prompt("hi")
        whole = [
            event.type
            for event in await _until(
                session, 0, studio.runtime.sessions.get(session.id).last_index
            )
        ]
        await studio.runtime.database.write(_an_hour_and_two_days_ago)
    async with Studio(home, flags={"trim_after_days": 1}) as studio:
        assert studio._chores
        await studio._chores
        again = await studio.resume(session.id)
        kept = [event.type for event in await _until(again, 0, again.row.last_index)]
        chat = await again.chat()
    assert "text_delta" in whole
    assert "text_delta" not in kept
    assert chat[-1].content == "It says hello."


def _an_hour_and_two_days_ago(connection: Any) -> None:
    """Make everything that is stored look old."""
    rows = connection.execute("SELECT n, body FROM events").fetchall()
    for n, body in rows:
        old = re.sub(rb'"at":(\d+)', lambda found: b'"at":%d' % (int(found[1]) - 176_400_000), body)
        connection.execute("UPDATE events SET body = ? WHERE n = ?", (old, n))


async def test_wishes_of_the_call_win_over_the_agents_and_those_over_the_models(
    home: Path, folder: Path
) -> None:
    home.mkdir()
    (home / "config.toml").write_text(
        'temperature = 0.1\nmax_output = 100\neffort = "low"\n'
        "[models.guide]\ntemperature = 0.2\nmax_output = 200\n"
    )
    async with Studio(home, flags={"max_output": 300}) as studio:
        session = await studio.start(model="guide", folder=folder)
        plan = await studio.runtime.plan(session.row, Prompt("m", ()))
        called = await studio.runtime.plan(
            session.row, Prompt("m", (), wishes=Wishes(max_output=400))
        )
    assert plan.wishes == Wishes(effort="low", temperature=0.2, max_output=300)
    assert called.wishes.max_output == 400


async def test_another_model_answers_from_the_next_prompt_on_and_after_a_restart(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    one = scripted([{"do": "say", "text": "One."}], name="one", after="repeat")
    two = scripted([{"do": "say", "text": "Two."}], name="two", after="repeat")
    async with Studio(home) as studio:
        session = await studio.start(model=one, folder=folder)
        said = [(await session.prompt("who?")).final_response]
        await session.change_model(two)
        said.append((await session.prompt("who?")).final_response)
        with pytest.raises(Problem):
            await session.change_model("openai/gpt-5")
    async with Studio(home) as studio:
        again = await studio.resume(session.id)
        said.append((await again.prompt("who?")).final_response)
        changes = [
            event.data.model for event in await again.facts() if event.type == "model_changed"
        ]
    assert said == ["One.", "Two.", "Two."]
    assert changes == [two]


async def test_a_session_that_needs_a_newer_program_is_shown_but_not_run(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder)
        await session.prompt("hi")
        await studio.runtime.database.write(
            lambda c: c.execute("UPDATE sessions SET needs = 99").close()
        )
        with pytest.raises(NewerSchema, match="newer Bottega"):
            await session.prompt("go on")
        assert [said.content for said in await session.chat()] == ["hi", "It says hello."]
        log = await session.facts()
    assert [event.type for event in log].count("prompt_queued") == 1, "nothing was admitted"


async def test_half_a_character_in_a_prompt_is_replaced_as_it_can_be_neither_stored_nor_sent(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([{"do": "say", "text": "Yes."}]), folder=folder)
        assert (await session.prompt("half \ud83d")).success
        assert (await session.chat())[0].content == "half \ufffd"
