"""The fold's rules, one by one, and its laws on generated logs."""

import os
import sys
from random import SystemRandom
from typing import Any

import msgspec
import pytest

from bottega.events.event import Event
from bottega.events.facts import (
    ErrorMessage,
    InputJsonDelta,
    Interrupted,
    MessageStart,
    PromptQueued,
    ReasoningDelta,
    StreamReset,
    TextDelta,
    ToolResultFact,
    UserMessage,
)
from bottega.events.fold import EMPTY, Fold, replay, step
from bottega.events.layers import LAYERS
from bottega.messages.block import Image, Reasoning, Text, ToolResult, ToolUse
from tests.events.logs import Generator, answer, call, end, log, prompt, ran, result
from tests.hunt import LONG, examples


def folded(*payloads: Any) -> list[Event]:
    return list(replay(log(*payloads)))


def names(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def only(events: list[Event], *types: str) -> list[Any]:
    return [event.data for event in events if event.type in types]


@pytest.mark.requirement("X04", "X08", "X13", "X15", "A22")
def test_a_plain_answer_is_told_in_every_layer_in_order() -> None:
    told = folded(
        *prompt(), MessageStart("m"), TextDelta("a"), TextDelta("b"), answer(Text("ab")), end("ab")
    )
    assert [(event.index, event.sub, event.type) for event in told] == [
        (1, 0, "prompt_queued"),
        (1, 1, "conversation_queued"),
        (2, 0, "user_message"),
        (2, 1, "exchange_request"),
        (2, 2, "conversation_start"),
        (3, 0, "message_start"),
        (3, 1, "conversation_thinking"),
        (4, -2, "conversation_responding"),
        (4, -1, "text_content_block_start"),
        (4, 0, "text_delta"),
        (5, 0, "text_delta"),
        (6, -1, "text_content_block_stop"),
        (6, 0, "assistant_message"),
        (6, 1, "usage"),
        (6, 2, "message_delta"),
        (6, 3, "message_stop"),
        (7, -2, "agent_step"),
        (7, -1, "conversation_end"),
        (7, 0, "exchange_response"),
    ]


@pytest.mark.requirement("X06", "X09", "X10", "X17", "X21", "C6")
def test_a_call_its_message_its_result_and_the_end_come_in_this_order() -> None:
    told = folded(
        *prompt(), MessageStart("m"), answer(call("a")), *ran("a"),
        MessageStart("m"), answer(Text("so")), end("so", 2),
    )  # fmt: skip
    wanted = {"tool_call", "tool_use_message", "tool_result", "exchange_response"}
    assert [name for name in names(told) if name in wanted] == [
        "tool_call",
        "tool_use_message",
        "tool_result",
        "tool_use_message",
        "exchange_response",
    ]
    states = {"tool_planned", "tool_executing", "tool_completed"}
    assert [name for name in names(told) if name in states] == [
        "tool_planned",
        "tool_executing",
        "tool_completed",
    ]


@pytest.mark.requirement("X11", "X12", "C6")
def test_a_tool_use_message_is_a_placeholder_until_its_result_fills_it() -> None:
    told = folded(*prompt(), MessageStart("m"), answer(call("a")), *ran("a", "content"))
    first, second = only(told, "tool_use_message")
    assert msgspec.to_builtins(first) == {
        "id": "a",
        "role": "tool-use",
        "tool_call": {"id": "a", "name": "read_file", "input": {"path": "a"}},
        "tool_result": {"type": "text", "value": ""},
        "complete": False,
    }
    assert second.id == first.id
    assert second.tool_call == first.tool_call
    assert (second.tool_result.value, second.complete) == ("content", True)


@pytest.mark.requirement("X07", "X12")
def test_a_failed_call_is_told_as_error_text() -> None:
    told = folded(*prompt(), MessageStart("m"), answer(call("a")), *ran("a", "no", is_error=True))
    assert only(told, "tool_result")[0].is_error
    assert only(told, "tool_use_message")[1].tool_result.type == "error-text"


@pytest.mark.requirement("X12")
def test_media_in_a_result_are_named_by_their_type() -> None:
    shown = ToolResultFact("a", "read_file", (Text("see "), Image("image/png", "aGk=")))
    told = folded(*prompt(), MessageStart("m"), answer(call("a")), shown)
    assert only(told, "tool_use_message")[1].tool_result.value == "see [image/png]"


@pytest.mark.requirement("X05", "X18")
def test_a_calls_block_starts_before_its_first_piece_and_stops_when_another_opens() -> None:
    told = folded(
        *prompt(),
        MessageStart("m"),
        TextDelta("so"),
        InputJsonDelta(0, "", "a", "read_file"),
        InputJsonDelta(0, "{}"),
        InputJsonDelta(1, "{}", "b", "read_file"),
        answer(Text("so"), call("a"), call("b")),
    )
    streamed = [e for e in told if "block" in e.type or e.type.endswith("_delta")]
    assert [
        (e.type, getattr(e.data, "block", None)) for e in streamed if e.type != "message_delta"
    ] == [
        ("text_content_block_start", 0),
        ("text_delta", None),
        ("text_content_block_stop", 0),
        ("tool_use_content_block_start", 1),
        ("input_json_delta", 0),
        ("input_json_delta", 0),
        ("tool_use_content_block_stop", 1),
        ("tool_use_content_block_start", 2),
        ("input_json_delta", 1),
        ("tool_use_content_block_stop", 2),
    ]
    starts = only(told, "tool_use_content_block_start")
    assert [(start.id, start.name) for start in starts] == [("a", "read_file"), ("b", "read_file")]
    assert [stop.id for stop in only(told, "tool_use_content_block_stop")] == ["a", "b"]


def test_pieces_of_parallel_calls_may_be_mixed_and_each_call_starts_once() -> None:
    pieces = [InputJsonDelta(0, "{", "a", "x"), InputJsonDelta(1, "{", "b", "x")]
    told = folded(
        *prompt(), MessageStart("m"), *pieces, InputJsonDelta(0, "}"), InputJsonDelta(1, "}")
    )
    assert [start.id for start in only(told, "tool_use_content_block_start")] == ["a", "b"]


@pytest.mark.requirement("C15", "A23")
def test_reasoning_closes_the_text_and_is_never_part_of_it() -> None:
    told = folded(
        *prompt(),
        MessageStart("m"),
        ReasoningDelta("hm"),
        TextDelta("a"),
        ReasoningDelta("hm"),
        TextDelta("b"),
        answer(Reasoning("hm"), Text("a"), Reasoning("hm"), Text("b")),
        end("ab"),
    )
    blocks = only(told, "text_content_block_start", "text_content_block_stop")
    assert [block.block for block in blocks] == [1, 1, 3, 3]
    (told_step,) = only(told, "agent_step")
    assert (told_step.response_text, told_step.thought) == ("ab", "hmhm")
    assert names(told).count("conversation_responding") == 1


@pytest.mark.requirement("C6", "A28")
def test_a_step_is_told_once_with_its_calls_and_results_and_only_the_last_is_complete() -> None:
    told = folded(
        *prompt(), MessageStart("m"), answer(Text("let me see"), call("a"), call("b")),
        result("b", "2"), result("a", "1"),
        MessageStart("m"), answer(Text("done")), end("done", 2),
    )  # fmt: skip
    first, last = only(told, "agent_step")
    assert [use.id for use in first.tool_calls] == ["a", "b"]
    assert [(r.tool_id, r.content) for r in first.tool_results] == [("b", "2"), ("a", "1")]
    assert (first.iteration, first.response_text, first.is_complete) == (1, "let me see", False)
    assert (last.iteration, last.response_text, last.is_complete) == (2, "done", True)


def test_a_result_that_nobody_asked_for_does_not_complete_a_step() -> None:
    told = folded(
        *prompt(), MessageStart("m"), answer(call("a"), call("b")),
        result("x"), result("a"), result("a"), result("b"),
    )  # fmt: skip
    (told_step,) = only(told, "agent_step")
    assert [r.tool_id for r in told_step.tool_results] == ["a", "b"]


def test_a_step_whose_results_never_came_is_told_when_the_next_begins() -> None:
    told = folded(*prompt(), MessageStart("m"), answer(call("a")), MessageStart("m"))
    assert names(told)[-3:] == ["agent_step", "message_start", "conversation_thinking"]


def test_an_answer_after_an_answer_loses_no_step() -> None:
    told = folded(*prompt(), MessageStart("m"), answer(Text("a")), answer(Text("b")), end("b"))
    assert [s.response_text for s in only(told, "agent_step")] == ["a", "b"]


@pytest.mark.requirement("A25")
def test_a_stream_that_was_cut_off_is_no_step() -> None:
    told = folded(*prompt(), MessageStart("m"), TextDelta("half"), end(success=False))
    assert names(told)[-3:] == ["text_content_block_stop", "conversation_end", "exchange_response"]
    assert not only(told, "agent_step", "tool_call", "assistant_message")


def test_a_reset_closes_what_was_open_and_counts_anew() -> None:
    told = folded(
        *prompt(), MessageStart("m"), TextDelta("half"), StreamReset("cut"), TextDelta("whole")
    )
    assert names(told)[-5:] == [
        "text_content_block_stop",
        "stream_reset",
        "conversation_responding",
        "text_content_block_start",
        "text_delta",
    ]
    assert [block.block for block in only(told, "text_content_block_start")] == [0, 0]


def test_a_request_after_a_crash_closes_what_the_dead_worker_left_open() -> None:
    told = folded(
        *prompt(), MessageStart("m"), TextDelta("half"), Interrupted("died"), MessageStart("m")
    )
    assert names(told)[-4:] == [
        "interrupted",
        "text_content_block_stop",
        "message_start",
        "conversation_thinking",
    ]


@pytest.mark.requirement("X18")
def test_a_tool_that_the_provider_ran_is_told_as_a_call_with_its_result() -> None:
    search = ToolUse("s", "web_search", {"q": "x"}, server=True)
    found = ToolResult("s", (Text("found"),), server=True)
    told = folded(*prompt(), MessageStart("m"), answer(search, found, Text("so")), end("so"))
    place = names(told).index("tool_call")
    assert names(told)[place : place + 6] == [
        "tool_call",
        "tool_use_message",
        "tool_planned",
        "tool_result",
        "tool_completed",
        "tool_use_message",
    ]
    assert only(told, "tool_use_message")[1].tool_result.value == "found"
    assert only(told, "agent_step")[0].tool_calls == ()


def test_a_server_call_without_a_result_stays_a_placeholder() -> None:
    search = ToolUse("s", "web_search", {"q": "x"}, server=True)
    told = folded(*prompt(), MessageStart("m"), answer(search, Text("so")))
    assert [message.complete for message in only(told, "tool_use_message")] == [False]


def test_a_call_that_was_denied_is_completed_without_having_been_executed() -> None:
    told = folded(
        *prompt(), MessageStart("m"), answer(call("a")), result("a", "denied", is_error=True)
    )
    assert "tool_executing" not in names(told)
    assert "tool_completed" in names(told)


def test_a_result_without_its_call_is_still_told() -> None:
    told = folded(result("a"))
    assert names(told) == ["tool_result", "tool_completed", "tool_use_message"]
    assert only(told, "tool_use_message")[0].tool_call.input == {}


def test_a_steer_is_part_of_the_exchange_that_runs() -> None:
    told = folded(*prompt(), UserMessage((Text("rather"),), steer=True))
    assert names(told)[-2:] == ["conversation_start", "user_message"]


@pytest.mark.requirement("X14", "X15", "X16")
@pytest.mark.parametrize("stop", ["end_turn", "max_tokens", "cancelled", "limit", "error"])
def test_the_end_is_told_once_whatever_it_was(stop: str) -> None:
    ended = end("so", stop_reason=stop, success=stop == "end_turn")
    told = folded(*prompt(), MessageStart("m"), answer(Text("so")), ended)
    assert names(told)[-3:] == ["agent_step", "conversation_end", "exchange_response"]
    assert names(told).count("exchange_response") == 1
    assert only(told, "agent_step")[0].is_complete == (stop == "end_turn")


@pytest.mark.requirement("A22", "X04", "X10")
def test_usage_stop_reason_and_errors_reach_the_reader() -> None:
    told = folded(*prompt(), MessageStart("m"), answer(call("a")), ErrorMessage("no", "bad_key"))
    assert only(told, "usage")[0].output_tokens == 5
    assert only(told, "message_delta")[0].stop_reason == "tool_use"
    assert only(told, "error_message")[0].code == "bad_key"


@pytest.mark.requirement("C13")
def test_what_is_derived_carries_the_envelope_of_its_cause() -> None:
    cause = Event("user_message", 5, UserMessage((Text("a"),)), "m7", 2, 3, "user", 41)
    _, seen = step(EMPTY, cause)
    envelopes = {(e.at, e.message_id, e.step, e.attempt, e.actor, e.index) for e in seen}
    assert envelopes == {(5, "m7", 2, 3, "user", 41)}
    assert [e.sub for e in seen] == [0, 1, 2]


def test_a_fact_that_this_version_does_not_know_passes_through() -> None:
    unknown = Event("dream_dreamt", 1, msgspec.Raw(b'{"of":"sheep"}'), index=1)
    assert step(EMPTY, unknown) == (EMPTY, [unknown])


def test_a_prompt_that_waits_leaves_the_running_exchange_alone() -> None:
    start = log(*prompt(), MessageStart("m"), TextDelta("a"))
    queued = Event("prompt_queued", 9, PromptQueued((Text("b"),)), "m2", index=5)
    more = Event("text_delta", 9, TextDelta("b"), "m1", 1, 1, index=6)
    told = list(replay([*start, queued, more]))
    assert names(told)[-3:] == ["prompt_queued", "conversation_queued", "text_delta"]


def check_laws(log: list[Event]) -> list[Event]:
    """Step and replay agree at every place, and a step changes nothing but what it returns."""
    whole = list(replay(log))
    state: Fold = EMPTY
    seen = 0
    middle, rest = state, 0
    for place, fact in enumerate(log):
        frozen = msgspec.msgpack.encode(state)
        following, events = step(state, fact)
        assert step(state, fact) == (following, events)
        assert msgspec.msgpack.encode(state) == frozen
        assert whole[seen : seen + len(events)] == events
        assert sum(event is fact for event in events) == 1
        first = events[0].sub
        assert [event.sub for event in events] == list(range(first, first + len(events)))
        state, seen = following, seen + len(events)
        if place == len(log) // 2:
            middle, rest = state, seen
    assert seen == len(whole)
    assert list(replay(log[len(log) // 2 + 1 :], middle)) == whole[rest:]
    return whole


def check_blocks(told: list[Event]) -> None:
    """Blocks do not overlap: each start has its stop, before anything else starts."""
    open_block = None
    for event in told:
        assert event.type in LAYERS
        if event.type.endswith("block_start"):
            assert open_block is None
            open_block = event.data.block
        elif event.type.endswith("block_stop"):
            assert event.data.block == open_block
            open_block = None
        elif event.type == "text_delta":
            assert open_block is not None
        elif event.type in {"assistant_message", "stream_reset", "exchange_response"}:
            assert open_block is None


def check_order(told: list[Event]) -> None:
    """Each call is planned, then completed; each step is told once; the exchange ends last."""
    planned: list[str] = []
    answers = steps = 0
    for event in told:
        match event.type:
            case "exchange_request":
                planned, answers, steps = [], 0, 0
            case "tool_call":
                planned.append(event.data.id)
            case "tool_use_message":
                assert event.data.id in planned
                planned += [] if event.data.complete else [f"placeholder {event.data.id}"]
            case "tool_result":
                assert f"placeholder {event.data.tool_id}" in planned
            case "assistant_message":
                answers += 1
            case "agent_step":
                steps += 1
            case "exchange_response":
                assert steps == answers
            case _:
                pass
    assert told[-1].type == "exchange_response"
    assert told[-2].type == "conversation_end"


SEED = int(os.environ.get("BOTTEGA_SEED", "0")) or (SystemRandom().getrandbits(32) if LONG else 1)
LOGS = examples(1_000 if sys.gettrace() else 10_000, 200_000)


@pytest.mark.fuzz
def test_the_laws_hold_for_any_log() -> None:
    for number in range(LOGS):
        try:
            check_blocks(check_laws(Generator(SEED + number).wild()))
        except AssertionError as failure:
            failure.add_note(f"BOTTEGA_SEED={SEED + number}")
            raise


@pytest.mark.fuzz
@pytest.mark.requirement("X21")
def test_the_laws_and_the_order_hold_for_every_log_that_a_worker_writes() -> None:
    for number in range(LOGS):
        try:
            told = check_laws(Generator(SEED + number).plausible())
            check_blocks(told)
            check_order(told)
        except AssertionError as failure:
            failure.add_note(f"BOTTEGA_SEED={SEED + number}")
            raise
