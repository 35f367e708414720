"""The model's history: whole messages in order, and a summary in place of what was compacted."""

from collections.abc import Iterable

import pytest

from bottega.events.codec import encode
from bottega.events.event import Event
from bottega.events.facts import (
    Compaction,
    Interrupted,
    MessageStart,
    StreamReset,
    TextDelta,
    UserMessage,
)
from bottega.messages.block import Text, ToolResult
from bottega.messages.message import Message
from bottega.sessions.told.history import replay
from tests.events.logs import answer, call, end, log, prompt, ran


def messages_of(facts: Iterable[Event]) -> list[Message]:
    """What a model sees of these facts, once they are stored."""
    return replay((fact.index, encode(fact)) for fact in facts)


def said(role: str, text: str, at: int) -> Message:
    return Message(role, (Text(text),), at)  # type: ignore[arg-type]


@pytest.mark.requirement("C3", "A12")
def test_a_history_holds_prompts_answers_and_results_with_their_times() -> None:
    history = messages_of(
        log(
            *prompt("look"),
            MessageStart("model"),
            TextDelta("let"),
            answer(Text("let me look"), call("c1"), call("c2")),
            *ran("c1", "one"),
            *ran("c2", "no", is_error=True),
            MessageStart("model"),
            answer(Text("done")),
            end("done"),
        )
    )
    assert history == [
        said("user", "look", 1002),
        Message("assistant", (Text("let me look"), call("c1"), call("c2")), 1005),
        Message("tool", (ToolResult("c1", (Text("one"),)),), 1007),
        Message("tool", (ToolResult("c2", (Text("no"),), is_error=True),), 1009),
        said("assistant", "done", 1011),
    ]


def test_what_broke_off_or_was_void_leaves_nothing() -> None:
    history = messages_of(
        log(
            *prompt("go"),
            MessageStart("model"),
            TextDelta("half an ans"),
            StreamReset("cut off"),
            TextDelta("half again"),
            Interrupted("the worker died"),
        )
    )
    assert history == [said("user", "go", 1002)]


def test_a_steer_stands_where_it_came() -> None:
    history = messages_of(
        log(
            *prompt("go"),
            answer(call("c1")),
            *ran("c1"),
            UserMessage((Text("rather there"),), steer=True),
            answer(Text("there")),
        )
    )
    assert [m.role for m in history] == ["user", "assistant", "tool", "user", "assistant"]


def test_a_summary_replaces_all_that_it_covers_and_no_more() -> None:
    facts = log(
        *prompt("first"),
        answer(Text("one")),
        *prompt("second"),
        answer(Text("two")),
        Compaction(3, "They said first and one."),
        *prompt("third"),
    )
    assert messages_of(facts) == [
        said("user", "They said first and one.", 1007),
        said("user", "second", 1005),
        said("assistant", "two", 1006),
        said("user", "third", 1009),
    ]


def test_a_later_summary_replaces_an_earlier_one() -> None:
    facts = log(
        *prompt("first"),
        answer(Text("one")),
        Compaction(3, "earlier"),
        *prompt("second"),
        Compaction(6, "later"),
    )
    assert messages_of(facts) == [said("user", "later", 1007)]


def test_a_fact_of_a_newer_version_is_left_out() -> None:
    newer = b'{"type":"user_message","at":1,"data":{"content":[],"tone":"new"},"v":99}'
    stored = [(fact.index, encode(fact)) for fact in log(*prompt("go"))]
    assert replay([(1, newer), *stored]) == [said("user", "go", 1002)]
