"""A session drawn from its log."""

from bottega.cli.screen.painter import Painter
from bottega.cli.screen.transcript import drawn, last_exchanges
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Image, Reasoning, Source, Sources, Text, ToolUse
from bottega.messages.message import Usage
from bottega.sessions.told.transcript import transcript

UNANSWERED = ToolUse("2", "run", {"command": "make"})
STORY = (
    facts.UserMessage((Text("look\nat this"), Image("image/png", blob="b", name="cat.png"))),
    facts.MessageStart("m"),
    facts.AssistantMessage(
        (
            Reasoning("**Looking**\nat it"),
            Text("A *cat*."),
            Image("image/png", blob="c"),
            Sources((Source("Cats", "https://cats.example"),)),
            ToolUse("1", "read_file", {"file_path": "a"}),
            UNANSWERED,
        ),
        "tool_use",
    ),
    facts.ToolIntent("1", "read_file", ""),
    facts.ToolResultFact("1", "read_file", (Text('{"result":"x\\ny"}'),), duration_ms=2),
    facts.ToolIntent("2", "run", ""),
    facts.ErrorMessage("It broke.", "x", hint="Mend it."),
    facts.ExchangeResponse(
        False, "error", "error", 1, usage=Usage(10, 5), cost=None, duration_ms=8
    ),
    facts.UserMessage((Text("again"),)),
    facts.MessageStart("m"),
    facts.TextDelta("Half of"),
)


def items() -> list[object]:
    return transcript(
        Event(facts.NAMES[type(payload)], 0, payload, "m", 1, 1, index=place)
        for place, payload in enumerate(STORY, 1)
    )


def test_everything_that_was_said_is_drawn_in_order() -> None:
    text = "\n".join(drawn(items(), Painter(plain=True), 80))

    assert text == (
        "› look\n  at this\n  [cat.png]\n\n"
        "✻ Thought: Looking** at it\n\n"
        "A cat.\n\n"
        "[image/png]\n  [1] Cats https://cats.example\n\n"
        "● read a  ✓ 2 lines · 2 ms\n"
        "● run make  ✗ its outcome is unknown\n\n"
        "It broke. Mend it.\n\n"
        "10 in, 5 out · price unknown · 8 ms\n\n"
        "› again\n\n"
        "Half of\n… (broken off)"
    )


def test_of_a_long_session_only_the_last_exchanges_are_recalled() -> None:
    assert last_exchanges(items(), 5) == items()
    assert "\n".join(drawn(last_exchanges(items(), 1), Painter(plain=True), 80)).startswith(
        "› again"
    )
