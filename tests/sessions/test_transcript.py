"""What a screen draws, whole or while it streams."""

from typing import Any

import msgspec
import pytest

from bottega.events import facts as f
from bottega.events.event import Event
from bottega.messages.block import (
    Image,
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.sessions.told.transcript import (
    Answer,
    End,
    Item,
    Notice,
    Prompt,
    Thought,
    Use,
    transcript,
)
from tests.events.logs import Generator, answer, call, end, log, prompt, ran
from tests.hunt import examples


def drawn(*payloads: Any) -> list[Item]:
    return transcript(log(*payloads))


def brief(items: list[Item]) -> list[Any]:
    """Each item as its kind and what it says."""
    said: list[Any] = []
    for item in items:
        match item:
            case Answer() | Thought():
                said.append((type(item).__name__, item.text, item.partial))
            case Use():
                output = "".join(part.text for part in item.output if isinstance(part, Text))
                said.append(("Use", item.name, item.state, output))
            case Notice():
                said.append(("Notice", item.topic, item.text))
            case _:
                said.append(type(item).__name__)
    return said


def test_a_whole_exchange_is_drawn_in_order() -> None:
    items = drawn(
        *prompt("look"),
        f.MessageStart("model"),
        f.ReasoningDelta("h"),
        f.TextDelta("let"),
        answer(Reasoning("hm"), Text("let me see"), call("c1"), call("c2")),
        *ran("c1", "one"),
        *ran("c2", "broken", is_error=True),
        answer(Text("there")),
        end("there"),
    )
    assert brief(items) == [
        "Prompt",
        ("Thought", "hm", False),
        ("Answer", "let me see", False),
        ("Use", "read_file", "done", "one"),
        ("Use", "read_file", "failed", "broken"),
        ("Answer", "there", False),
        "End",
    ]
    assert isinstance(items[0], Prompt)
    assert items[0].content == (Text("look"),)
    assert (items[0].index, items[0].at, items[0].message_id) == (2, 1002, "m1")
    assert isinstance(items[-1], End)


def test_an_answer_that_still_streams_is_drawn_as_far_as_it_is() -> None:
    items = drawn(
        *prompt(),
        f.MessageStart("model"),
        f.ReasoningDelta("h"),
        f.ReasoningDelta("m"),
        f.TextDelta("so "),
        f.TextDelta("far"),
        f.InputJsonDelta(0, "", "c1", "read_file"),
        f.InputJsonDelta(1, "", "c2", "list_dir"),
        f.InputJsonDelta(0, '{"path":'),
        f.InputJsonDelta(1, '{"p'),
    )
    assert brief(items[1:]) == [
        ("Thought", "hm", True),
        ("Answer", "so far", True),
        ("Use", "read_file", "streaming", ""),
        ("Use", "list_dir", "streaming", ""),
    ]
    first, second = items[3:]
    assert isinstance(first, Use)
    assert isinstance(second, Use)
    assert (first.tool_id, first.written) == ("c1", '{"path":')
    assert (second.tool_id, second.written) == ("c2", '{"p')


def test_a_reset_voids_what_was_streamed() -> None:
    items = drawn(
        *prompt(), f.MessageStart("m"), f.TextDelta("bad"), f.StreamReset("x"), f.TextDelta("good")
    )
    assert brief(items[1:]) == [("Answer", "good", True)]


def test_a_broken_answer_stays_until_a_new_attempt_takes_its_place() -> None:
    broken = [*prompt(), f.MessageStart("m"), f.TextDelta("half"), f.Interrupted("it died")]
    assert brief(drawn(*broken))[1:] == [
        ("Answer", "half", True),
        ("Notice", "interrupted", "it died"),
    ]
    assert brief(drawn(*broken, end("half", success=False)))[1:] == [
        ("Answer", "half", True),
        ("Notice", "interrupted", "it died"),
        "End",
    ]
    again = drawn(*broken, f.MessageStart("m"), f.TextDelta("anew"))
    assert brief(again)[1:] == [("Notice", "interrupted", "it died"), ("Answer", "anew", True)]


def test_the_output_of_a_tool_is_drawn_while_it_runs_and_replaced_by_its_result() -> None:
    running = [
        *prompt(),
        answer(call("c1")),
        f.ToolIntent("c1", "read_file", "hash"),
        f.ToolOutputDelta("c1", "10 %"),
        f.ToolOutputDelta("c1", ", 20 %"),
    ]
    assert brief(drawn(*running))[1:] == [("Use", "read_file", "running", "10 %, 20 %")]
    done = f.ToolResultFact("c1", "read_file", (Text("all"),), duration_ms=40, blob="ab")
    items = drawn(*running, done)
    assert brief(items)[1:] == [("Use", "read_file", "done", "all")]
    assert isinstance(items[1], Use)
    assert (items[1].duration_ms, items[1].blob, items[1].input) == (40, "ab", {"path": "c1"})


def test_a_call_without_a_result_has_an_unknown_outcome_once_all_is_over() -> None:
    items = drawn(*prompt(), answer(call("c1")), end("", success=False))
    assert brief(items)[1] == ("Use", "read_file", "unknown", "")


def test_a_result_without_its_call_is_drawn_too() -> None:
    assert brief(drawn(*ran("c1", "one"))) == [("Use", "read_file", "done", "one")]


def test_ids_that_a_provider_uses_again_do_not_mix_results() -> None:
    items = drawn(answer(call("c")), *ran("c", "one"), answer(call("c")), *ran("c", "two"))
    assert [said[3] for said in brief(items)] == ["one", "two"]


def test_tools_that_the_provider_ran_pictures_and_sources_are_drawn() -> None:
    items = drawn(
        answer(
            ToolUse("s", "web_search", {"q": "x"}, server=True),
            ToolResult("s", (Text("found"),), server=True),
            Image("image/png", data="AAAA"),
            Sources((Source("A page", "https://example.org"),)),
        )
    )
    assert brief(items) == [("Use", "web_search", "done", "found"), "Attached", "Cited"]


def test_a_malformed_call_shows_what_the_model_wrote() -> None:
    (use,) = drawn(answer(ToolUse("c", "read_file", malformed='{"path":')))
    assert isinstance(use, Use)
    assert use.written == '{"path":'


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (f.ErrorMessage("It broke.", "server_error", hint="Try later."), "It broke."),
        (f.ConversationRetrying(2, 10, 500, "Overloaded."), "Overloaded. Trying again: 2 of 10."),
        (f.Compaction(1, "so far"), "so far"),
        (
            f.Compaction(
                1, "so far", before=9000, after=300, dropped={"messages": 1, "results": 2}
            ),
            "Compacted: 9,000 → 300 tokens. 1 answer and 2 results left the model's sight.",
        ),
        (f.FileReady("a.py"), "a.py"),
        (f.ModeChanged("plan"), "plan"),
        (f.ModelChanged("other"), "other"),
        (f.ApprovalRequired("a", "tool", tool_name="bash"), "May it use bash?"),
        (f.ApprovalRequired("a", "question", question="Which?"), "Which?"),
        (f.ApprovalResolved("a", "deny", note="not now"), "Denied: not now"),
        (f.Interrupted("it died"), "it died"),
    ],
)
def test_what_happened_beside_is_a_notice(payload: Any, said: str) -> None:
    (notice,) = drawn(payload)
    assert isinstance(notice, Notice)
    assert notice.text == said
    assert f.NAMES[type(payload)] == notice.topic


def test_notices_of_an_answer_follow_it() -> None:
    answered = msgspec.structs.replace(answer(Text("so")), notices=("Temperature was ignored.",))
    assert brief(drawn(answered)) == [
        ("Answer", "so", False),
        ("Notice", "assistant_message", "Temperature was ignored."),
    ]


def test_what_this_version_does_not_know_is_left_out() -> None:
    assert transcript([Event("brand_new", 1, msgspec.Raw(b"{}"))]) == []


@pytest.mark.fuzz
def test_trimmed_deltas_change_nothing_once_all_is_told() -> None:
    for seed in range(examples(300, 10_000)):
        facts = Generator(seed).plausible()
        complete = [e for e in facts if e.type not in f.DELTAS]
        if any(e.type == "interrupted" for e in facts):
            continue  # then deltas are all there is of an answer
        assert transcript(facts) == transcript(complete), seed
