"""What each type of agent makes of what its model writes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.events.event import Event
from bottega.events.facts import ExchangeResponse
from bottega.studio import Session, Studio
from bottega.studio.answering import Waits

Scripted = Callable[..., str]

SITE = """Here is your site.

```html index.html
<h1>Hello</h1>
```

and its looks:

```css css/style.css
h1 { color: teal }
```

Open index.html.
"""


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


HOUSE = (
    Agent(slug="writer", type="StreamAgent", prompt="Write files."),
    Agent(slug="thinker", type="ReActAgent", prompt="Think."),
    Agent(slug="looker", mode="plan", prompt="Look."),
)


async def ran(
    home: Path,
    folder: Path,
    model: str,
    *,
    agent: str = "",
    mode: Any = "allow",
    flags: dict[str, Any] | None = None,
    on_approval: Callable[[Ask], Reply] | None = None,
    house: Iterable[Agent] = HOUSE,
) -> tuple[ExchangeResponse, list[Event], Session]:
    """One exchange, with all of its events of every layer."""
    events: list[Event] = []
    async with Studio(home, flags=flags, agents=house) as studio:
        session = await studio.start(model=model, folder=folder, agent=agent, mode=mode)
        async for event in session.prompt("go", on_approval=on_approval):
            events.append(event)
    return events[-1].data, events, session


def of(events: list[Event], kind: str) -> list[Any]:
    return [event.data for event in events if event.type == kind]


@pytest.mark.requirement("T16")
async def test_the_files_in_a_single_pass_are_saved_and_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    end, events, _ = await ran(home, folder, scripted([say(SITE)]), agent="writer")
    assert (folder / "index.html").read_text() == "<h1>Hello</h1>\n"
    assert (folder / "css/style.css").read_text() == "h1 { color: teal }\n"
    assert (end.success, end.iterations, end.completion_reason) == (True, 1, "no_more_actions")
    assert end.final_response == SITE.strip()
    assert [(f.path, f.size) for f in of(events, "file_ready")] == [
        ("index.html", 15),
        ("css/style.css", 19),
    ]
    assert "".join(delta.text for delta in of(events, "text_delta")) == SITE


async def test_a_single_pass_asks_before_it_saves_and_a_no_is_no_failure(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    asked: list[Any] = []

    def decide(ask: Ask) -> Reply:
        asked.append(ask.input["file_path"])
        return Reply("allow_once" if ask.input["file_path"] == "index.html" else "deny")

    end, events, _ = await ran(
        home, folder, scripted([say(SITE)]), agent="writer", mode="ask", on_approval=decide
    )
    assert asked == ["index.html", "css/style.css"]
    assert (folder / "index.html").exists()
    assert not (folder / "css").exists()
    assert end.success
    assert [f.path for f in of(events, "file_ready")] == ["index.html"]


async def test_a_single_pass_that_waited_for_an_answer_is_not_made_again(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([say(SITE)], [say("A second pass.")])
    async with Studio(home, flags={"patience": 0}, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="writer", mode="ask")
        with pytest.raises(Waits):
            await session.prompt("go")
    async with Studio(home, agents=HOUSE) as studio:
        session = studio.find(session.id)
        for ask in session.asks():
            await session.answer(ask, "allow_once")
        following = session.resume(wait=True)
        assert following
        end = await following
        log = await session.facts()
    assert (end.iterations, end.final_response) == (1, SITE.strip())
    assert [each.path for each in of(log, "file_ready")] == ["index.html", "css/style.css"]


async def test_a_file_that_broke_off_or_lies_outside_is_not_saved_and_the_person_is_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    text = "```txt ../out.txt\nhi\n```\n```txt in.txt\nhi\n```\n```txt half.txt\nhal"
    end, events, _ = await ran(home, folder, scripted([say(text)]), agent="writer")
    assert (end.success, end.completion_reason) == (False, "error")
    (error,) = of(events, "error_message")
    assert "half.txt" in error.message
    assert "../out.txt" in error.message
    assert (folder / "in.txt").read_text() == "hi\n"
    assert not (folder / "half.txt").exists()
    assert not (folder.parent / "out.txt").exists()


async def test_a_file_that_is_so_already_counts_as_saved(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    (folder / "index.html").write_text("<h1>Hello</h1>\n")
    end, events, _ = await ran(home, folder, scripted([say(SITE)]), agent="writer")
    assert end.success
    assert [f.path for f in of(events, "file_ready")] == ["index.html", "css/style.css"]


async def test_a_single_pass_makes_one_model_call_and_the_next_one_sees_its_words_only(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    from bottega.agents.texting import in_text

    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(
            model=scripted([say(SITE)], [say("Changed nothing.")]),
            folder=folder,
            agent="writer",
            mode="allow",
        )
        await session.prompt("go")
        end = await session.prompt("again")
        history = await session.history()
    assert (end.success, end.final_response) == (True, "Changed nothing.")
    told = in_text(history)
    assert [message.role for message in told] == ["user", "assistant", "user", "assistant"]


async def test_what_another_agent_did_with_tools_is_told_to_one_that_has_none(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    from bottega.agents.texting import in_text

    (folder / "a.txt").write_text("apple")
    model = scripted([call("read_file", file_path="a.txt")], [say("An apple.")], [say(SITE)])
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("what is in it?")
        assert (await session.prompt("a page", agent="writer")).success
        history = in_text(await session.history())
    words = [plain for message in history for plain in map(repr, message.content)]
    assert sum("apple" in each and "tool_result" in each for each in words) == 1
    assert not any("write_file" in each for each in words)
    assert [message.role for message in history[:4]] == ["user", "assistant", "user", "assistant"]


async def test_a_single_pass_that_crashed_before_it_saved_is_not_made_again(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    from tests.chaos.victim import Victim

    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('agent = "site-builder"\n')
    model = scripted([say(SITE)], [say("never")])
    Victim(home, model, folder, "tool.after_intent=kill").last_words()
    async with Studio(home, on_crash="resume") as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        answer = session.resume()
        if answer:
            await answer
        facts = await session.facts()
    assert (folder / "index.html").exists()
    assert (folder / "css/style.css").exists()
    assert facts[-1].data.success
    assert sum(event.type == "assistant_message" for event in facts) == 1


@pytest.mark.requirement("T18", "C15")
async def test_a_thought_is_shown_apart_and_goes_back_to_the_model(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    from bottega.messages.block import Text
    from bottega.messages.repair import repair

    first = [say("THOUGHT: I have to look first.\n\n"), call("list_dir")]
    model = scripted(first, [say("THOUGHT: Nothing is there.\n\nANSWER: It is empty.")])
    end, events, session = await ran(home, folder, model, agent="thinker")
    assert end.final_response == "It is empty."
    steps = of(events, "agent_step")
    assert [step.thought for step in steps] == ["I have to look first.", "Nothing is there."]
    assert [step.response_text.strip() for step in steps] == ["", "It is empty."]
    assert [step.is_complete for step in steps] == [False, True]
    shown = "".join(delta.text for delta in of(events, "text_delta"))
    assert "THOUGHT" not in shown
    assert [delta.text for delta in of(events, "reasoning_delta")] == [
        "I have to look first.",
        "Nothing is there.",
    ]
    async with Studio(home) as studio:
        history = await studio.find(session.id).history()
    for origin in ("anthropic", "openai-chat"):
        sent = repair(history, origin)  # type: ignore[arg-type]
        assert Text("THOUGHT: I have to look first.") in sent[1].content


@pytest.mark.parametrize("agent", ["thinker", ""])
async def test_what_was_held_back_is_shown_before_anything_else_begins(
    home: Path, folder: Path, scripted: Scripted, agent: str
) -> None:
    first = [say("THOUGHT: I look.\n\nACTION: Now I look\n\n"), call("list_dir"), say("\n\n")]
    model = scripted(first, [say("ANSWER: TASK and so on")])
    end, events, _ = await ran(home, folder, model, agent=agent)
    streamed: dict[int, str] = {}
    for event in events:
        if event.type == "text_delta":
            streamed[event.step] = streamed.get(event.step, "") + event.data.text
    said = {e.step: e.data for e in events if e.type == "agent_step"}
    assert {step: text.strip() for step, text in streamed.items()} == {
        step: told.response_text.strip() for step, told in said.items()
    }
    assert streamed[2] == end.final_response
    kinds = [e.type for e in events if e.type in ("text_delta", "input_json_delta") and e.step == 1]
    assert kinds[-1] == "input_json_delta"


@pytest.mark.requirement("C4")
async def test_calls_of_a_model_without_tools_are_read_from_its_text_and_give_the_same_events(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    (folder / "a.txt").write_text("apple")
    fence = '```tool_call\n{"name": "read_file", "arguments": {"file_path": "a.txt"}}\n```'
    model = scripted([say(f"I look at it.\n\n{fence}\n")], [say("An apple.")])
    end, events, _ = await ran(home, folder, model, flags={"text_calls": [model]})
    assert end.final_response == "An apple."
    (tool,) = of(events, "tool_call")
    assert (tool.name, tool.input) == ("read_file", {"file_path": "a.txt"})
    (result,) = of(events, "tool_result")
    assert "apple" in result.content[0].text
    assert of(events, "assistant_message")[0].stop_reason == "tool_use"
    shown = "".join(delta.text for delta in of(events, "text_delta"))
    assert shown == "I look at it.An apple."


async def test_a_foreign_call_is_answered_with_the_right_form_and_never_run(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    foreign = '<function_calls><invoke name="write_file"></invoke></function_calls>'
    fence = '```tool_call\n{"name": "list_dir", "arguments": {}}\n```'
    model = scripted([say(foreign)], [say(fence)], [say("Done.")])
    end, events, _ = await ran(home, folder, model, flags={"text_calls": [model]})
    assert end.final_response == "Done."
    assert [each.name for each in of(events, "tool_call")] == ["list_dir"]
    (aside,) = [each for each in of(events, "aside") if "tool_call" in each.after]
    assert "Nothing was run" in aside.after


async def test_a_model_that_keeps_to_a_foreign_form_is_given_up_with_a_reason(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    foreign = '<function_calls><invoke name="write_file"></invoke></function_calls>'
    model = scripted([say(foreign)], after="repeat")
    end, events, _ = await ran(home, folder, model, flags={"text_calls": [model]})
    assert (end.success, end.completion_reason, end.iterations) == (False, "error", 4)
    assert of(events, "error_message")[-1].code == "foreign_calls"


async def test_an_agent_does_no_more_than_its_own_mode_allows(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([call("write_file", file_path="a", content="x")], [say("No.")])
    _, events, _ = await ran(home, folder, model, agent="looker", mode="allow")
    assert not (folder / "a").exists()
    assert "plan mode" in of(events, "tool_result")[0].content[0].text
