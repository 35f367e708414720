"""Responses: what comes back, even where a proxy leaves half of it out."""

from typing import Any

import msgspec
import openai
import pytest

from bottega.messages.block import (
    Reasoning,
    Text,
    ToolUse,
    plain_text,
    tool_uses,
)
from bottega.messages.message import Usage
from bottega.providers import openai_responses
from bottega.providers.provider import CallPiece, Failed, Finished, Started, TextPiece
from tests.providers.made_up import failed, finished, nested, serving, sse, whole
from tests.providers.made_up_responses import (
    FRAME,
    WEB,
    Event,
    added,
    call,
    created,
    delta,
    done,
    ended,
    message,
    thought,
)
from tests.providers.recordings import added_up, play, streamed_calls

KIND = "openai-responses"
# Text and reasoning


def test_text_streams_in_its_pieces_after_one_start() -> None:
    body = sse(
        created(), delta("output_text", "Hel"), delta("output_text", "lo"), ended(message("Hello"))
    )
    events = play(KIND, body)
    assert events[:3] == [Started("m"), TextPiece("Hel"), TextPiece("lo")]
    end = events[3]
    assert isinstance(end, Finished)
    assert end.content == (Text("Hello"),)
    assert (end.stop_reason, end.provider_stop, end.model) == ("end_turn", "completed", "m")


def test_summaries_and_raw_thoughts_are_reasoning_and_kept_for_the_way_back() -> None:
    item = thought(
        "A", "B", content=[{"type": "reasoning_text", "text": "C"}], encrypted_content="x"
    )
    body = sse(
        created(),
        delta("reasoning_summary_text", "A"),
        delta("reasoning_summary_text", "B"),
        delta("reasoning_text", "C"),
        ended(item, message("Yes", "i1")),
    )
    got = added_up(play(KIND, body))
    assert (got["reasoning"], got["text"]) == ("ABC", "Yes")
    assert got["end"].content[0] == Reasoning("ABC", origin=KIND, raw=item)


def test_a_thought_is_told_in_the_order_in_which_it_was_streamed() -> None:
    item = thought("A", content=[{"type": "reasoning_text", "text": "C"}])
    body = sse(delta("reasoning_text", "C"), delta("reasoning_summary_text", "A"), ended(item))
    assert added_up(play(KIND, body))["reasoning"] == "CA"


def test_the_phase_of_a_message_is_kept() -> None:
    end = finished(KIND, sse(ended({**message("Let me see"), "phase": "commentary"})))
    assert end.content == (Text("Let me see", origin=KIND, signature="commentary"),)


@pytest.mark.parametrize("streamed", [True, False])
def test_a_refusal_is_text_and_a_reason_to_stop(streamed: bool) -> None:
    item = {**message(""), "content": [{"type": "refusal", "refusal": "No."}]}
    pieces = [delta("refusal", "No.")] if streamed else []
    got = added_up(play(KIND, sse(created(), *pieces, ended(item))))
    assert (got["text"], got["end"].stop_reason) == ("No.", "refusal")


def test_half_characters_are_joined_or_replaced() -> None:
    body = sse(
        created(),
        delta("output_text", "a\ud83d"),
        delta("output_text", "\ude00b"),
        delta("output_text", "\ud83d"),
        ended(message("a😀b\ud83d")),
    )
    events = play(KIND, body)
    assert added_up(events)["text"] == "a😀b\ufffd"
    msgspec.json.encode(events)


# Calls


def calls_of(*events: Event) -> list[tuple[str, str, dict[str, Any], str]]:
    played = play(KIND, sse(created(), *events))
    added_up(played)
    end = played[-1]
    assert isinstance(end, Finished)
    assert end.stop_reason in ("tool_use", "max_tokens")
    found = tool_uses(end.content)
    streamed = [c for c in streamed_calls(played) if c["id"] in {use.id for use in found}]
    assert [(c["id"], c["name"]) for c in streamed] == [(use.id, use.name) for use in found]
    return [(use.id, use.name, use.input, use.malformed) for use in found]


def test_parallel_calls_stream_side_by_side() -> None:
    one, two = call('{"a": 1}'), call('{"b": 2}', "g", "c2", "i1")
    found = calls_of(
        added(0, {**one, "arguments": ""}),
        added(1, {**two, "arguments": ""}),
        delta("function_call_arguments", '{"a":', 0),
        delta("function_call_arguments", '{"b":', 1, "i1"),
        delta("function_call_arguments", " 1}", 0),
        delta("function_call_arguments", " 2}", 1, "i1"),
        done(0, one),
        done(1, two),
        ended(one, two),
    )
    assert found == [("c1", "f", {"a": 1}, ""), ("c2", "g", {"b": 2}, "")]


def test_a_call_is_shown_before_its_arguments() -> None:
    body = sse(added(0, call("")), delta("function_call_arguments", "{}"), ended(call("{}")))
    pieces = [e for e in play(KIND, body) if isinstance(e, CallPiece)]
    assert pieces == [CallPiece(0, "", "c1", "f"), CallPiece(0, "{}")]


@pytest.mark.requirement("A24")
@pytest.mark.parametrize("text", ['{"a": 1', "[1]", "null"])
def test_arguments_that_are_no_json_object_are_kept_as_written(text: str) -> None:
    assert calls_of(ended(call(text))) == [("c1", "f", {}, text)]


def test_no_arguments_are_an_empty_object() -> None:
    assert calls_of(ended(call(""))) == [("c1", "f", {}, "")]


@pytest.mark.parametrize("text", ["", '{"a": 1'])
def test_a_call_in_which_the_answer_stopped_is_malformed(text: str) -> None:
    item = {**call(text), "status": "incomplete"}
    ((_, _, given, malformed),) = calls_of(
        added(0, call("")),
        ended(item, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )
    assert given == {}
    assert malformed


def test_a_call_without_an_id_gets_one_and_none_is_used_twice() -> None:
    nameless = {k: v for k, v in call("{}").items() if k not in ("id", "call_id")}
    found = calls_of(ended(nameless, call("{}", "g"), call("{}", "h", id="i2")))
    assert [name for _, name, _, _ in found] == ["f", "g", "h"]
    assert found[1][0] == "c1"
    assert len({id for id, _, _, _ in found}) == 3


def test_a_call_without_a_name_names_no_tool() -> None:
    item = {**call("{}"), "name": None}
    assert calls_of(added(0, item), done(0, item), ended(item))[0][:2] == ("c1", "unnamed")


# What proxies leave out

SAID, USED = message("Hello", "i0"), call('{"a": 1}', id="i1")
PIECES = [delta("output_text", "Hello"), delta("function_call_arguments", '{"a": 1}', 1, "i1")]

LEFT_OUT: dict[str, list[Event]] = {
    "nothing": [created(), added(0, message("")), PIECES[0], done(0, SAID), added(1, call("", id="i1")),
                PIECES[1], done(1, USED), ended(SAID, USED)],
    "all but the end": [ended(SAID, USED)],
    "the pieces": [created(), added(0, message("")), done(0, SAID), added(1, USED), done(1, USED),
                   ended(SAID, USED)],
    "some of the pieces": [created(), added(0, message("")), delta("output_text", "Hel"), done(0, SAID),
                           ended(SAID, USED)],
    "the items' beginnings": [created(), *PIECES, done(0, SAID), done(1, USED), ended(SAID, USED)],
    "the items' ends": [created(), added(0, message("")), PIECES[0], added(1, call("", id="i1")),
                        PIECES[1], ended(SAID, USED)],
    "the items in the end": [created(), added(0, message("")), PIECES[0], done(0, SAID),
                             added(1, call("", id="i1")), PIECES[1], done(1, USED), ended()],
    "the items' ends and those in the end": [created(), added(0, message("")), PIECES[0],
                                             added(1, call("", id="i1")), PIECES[1], ended()],
    "the places": [delta("output_text", "Hello", None), {"type": "response.output_item.added",
                   "item": call("", id="i1")}, delta("function_call_arguments", '{"a": 1}', None, "i1"),
                   ended(SAID, USED)],
    "the same ids": [created(), added(0, message("", "x")), delta("output_text", "Hello", 0, "y"),
                     done(0, message("Hello", "z")), added(1, call("", id="p")),
                     delta("function_call_arguments", '{"a": 1}', 1, "q"), done(1, call('{"a": 1}', id="r")),
                     ended(message("Hello", "s"), call('{"a": 1}', id="t"))],
    "any place but 0": [created(), added(0, message("")), PIECES[0], done(0, SAID),
                        added(0, call("", id="i1")), delta("function_call_arguments", '{"a": 1}', 0, "i1"),
                        done(0, USED), ended(SAID, USED)],
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT_OUT)
def test_the_pieces_add_up_whatever_was_left_out(what: str) -> None:
    got = added_up(play(KIND, sse(*LEFT_OUT[what])))
    assert got["text"] == "Hello"
    assert got["tool_calls"] == [{"id": "c1", "name": "f", "args": '{"a": 1}'}]
    assert [type(block) for block in got["end"].content] == [Text, ToolUse]
    assert got["end"].stop_reason == "tool_use"


def test_the_last_event_is_the_truth() -> None:
    end = finished(KIND, sse(delta("output_text", "Helo"), ended(message("Hello"))))
    assert plain_text(end.content) == "Hello"


def test_the_event_s_name_stands_in_for_a_missing_type() -> None:
    body = b'event: response.output_text.delta\ndata: {"delta": "Hi"}\n\n'
    body += b'event: response.completed\ndata: {"response": {}}\n\n'
    assert finished(KIND, body).content == (Text("Hi"),)


def test_an_event_that_comes_twice_opens_one_item() -> None:
    twice = added(0, call(""))
    pieces = delta("function_call_arguments", "{}")
    assert calls_of(twice, twice, pieces, ended()) == [("c1", "f", {}, "")]


# How it ends


@pytest.mark.parametrize(
    ("reason", "stop", "word"),
    [
        ("max_output_tokens", "max_tokens", "max_output_tokens"),
        ("content_filter", "refusal", "content_filter"),
        (None, "max_tokens", "incomplete"),
    ],
)
def test_an_incomplete_response_says_why(reason: str | None, stop: str, word: str) -> None:
    details = {"reason": reason}
    end = finished(KIND, sse(ended(message("x"), status="incomplete", incomplete_details=details)))
    assert (end.stop_reason, end.provider_stop, plain_text(end.content)) == (stop, word, "x")


def test_usage_and_cost_are_told() -> None:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3},
        "cost": 1.13e-05,
    }
    end = finished(KIND, sse(ended(message("x"), usage=usage)))
    assert (end.usage, end.cost) == (Usage(10, 7, 4, 1, 3), 11)


@pytest.mark.parametrize(
    ("event", "code", "again"),
    [
        (ended(status="failed", error={"code": "server_error", "message": "Oops"}), "server_error", True),
        (ended(status="failed", error={"code": "rate_limit_exceeded", "message": "Oops"}),
         "rate_limited", True),
        (ended(status="failed", error={"code": "invalid_prompt", "message": "Oops"}),
         "bad_request", False),
        ({"type": "error", "code": "server_error", "message": "Oops", "param": None},
         "server_error", True),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Oops"}},
         "overloaded", True),
        ({"error": {"message": "Oops", "code": 429}}, "rate_limited", True),
    ],
)  # fmt: skip
def test_an_error_in_the_stream_ends_it(event: Event, code: str, again: bool) -> None:
    end = failed(KIND, sse(created(), delta("output_text", "x"), event, ended(message("x"))))
    assert (end.code, end.retryable) == (code, again)
    assert "Oops" in end.message


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_response_that_failed_without_a_word_is_still_explained(status: str) -> None:
    assert status in failed(KIND, sse(ended(status=status))).message


@pytest.mark.parametrize("rest", [[], ["[DONE]"], ['{"type": "resp']])
def test_a_stream_without_its_last_event_was_cut_off_and_yields_no_call(rest: list[Any]) -> None:
    end = failed(KIND, sse(created(), added(0, call("{}")), done(0, call("{}")), *rest))
    assert (end.code, end.retryable) == ("cut_off", True)


def test_an_event_that_is_no_json_ends_the_stream_once_something_follows() -> None:
    for follows in (ended(message("x")), "[DONE]", '{"type'):
        body = sse(created(), delta("output_text", "x"), '{"type": "resp', follows)
        assert failed(KIND, body).code == "provider_error"


@pytest.mark.parametrize("text", ["hello", "[1]", "5"])
def test_a_stream_of_something_else_is_no_answer(text: str) -> None:
    assert failed(KIND, sse(text)).code == "not_sse"


def test_events_of_unknown_kinds_are_passed_over() -> None:
    odd = [
        {"type": "response.dance"},
        {"type": 5},
        {},
        {"type": "response.output_text.delta", "delta": 5},
        {"type": "response.output_item.added", "item": None},
        {"type": "response.output_item.done", "item": []},
    ]
    assert finished(KIND, sse(created(), *odd, ended(message("x")))).content == (Text("x"),)
    keep_alive = b": wait\n\ndata:\n\n" + sse(ended(message("x")))
    assert finished(KIND, keep_alive).content == (Text("x"),)


@pytest.mark.parametrize("depth", [250, 900])
def test_an_item_that_nests_too_deeply_to_be_stored_is_a_fault_of_the_provider(depth: int) -> None:
    item = {"type": "web_search_call", "id": "w", "action": nested(depth)}
    for event in (added(0, item), done(0, item), ended(item)):
        assert failed(KIND, sse(created(), event, ended(message("x")))).code == "provider_error"
    assert isinstance(whole(KIND, {"status": "completed", "output": [item]})[-1], Failed)


def test_an_event_called_error_ends_the_stream() -> None:
    assert "Oops" in failed(KIND, b"event: error\ndata: Oops\n\n").message


# Whole answers


def test_a_whole_answer_says_the_same_as_a_stream() -> None:
    body = {**FRAME, "status": "completed", "output": [thought("Hm"), SAID, USED],
            "usage": {"input_tokens": 1, "output_tokens": 2}}  # fmt: skip
    got = added_up(whole(KIND, body))
    assert (got["text"], got["reasoning"], got["stop"]) == ("Hello", "Hm", "completed")
    assert got["tool_calls"] == [{"id": "c1", "name": "f", "args": '{"a": 1}'}]
    assert got["usage"] == Usage(1, 2)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "Oops", "code": 429}}, "rate_limited"),
        ({"status": "failed", "output": [], "error": {"code": "server_error", "message": "Oops"}},
         "server_error"),
        ({"status": "queued", "output": []}, "provider_error"),
        (b"Oops", "not_sse"),
        ([], "not_sse"),
        (b'{"output": ', "cut_off"),
        (b"", "cut_off"),
        (b'{"output": x}', "provider_error"),
    ],
)  # fmt: skip
def test_a_good_status_with_no_answer_is_a_failure(body: Any, code: str) -> None:
    end = whole(KIND, body)[-1]
    assert isinstance(end, Failed)
    assert end.code == code


def test_a_whole_answer_with_half_a_character_is_read() -> None:
    body = {**FRAME, "status": "completed", "output": [message("a\ud83d")]}
    assert added_up(whole(KIND, body))["text"] == "a\ufffd"


def test_an_http_error_is_explained() -> None:
    end = openai_responses.explain(429, b'{"error":{"message":"Slow down"}}', {"retry-after": "2"})
    assert (end.code, end.retryable, end.retry_after) == ("rate_limited", True, 2.0)


# The vendor's own SDK hears the same

HEARD = {
    "text": LEFT_OUT["nothing"],
    "thought": [created(), delta("reasoning_summary_text", "Hm"), delta("output_text", "Yes", 1, "i1"),
                ended(thought("Hm"), message("Yes", "i1"))],
    "web search": [created(), added(0, WEB), done(0, WEB), delta("output_text", "x", 1, "i1"),
                   ended(WEB, message("x", "i1"))],
    "incomplete": [created(), delta("output_text", "x"),
                   ended(message("x"), status="incomplete",
                         incomplete_details={"reason": "max_output_tokens"})],
}  # fmt: skip


@pytest.mark.parametrize("name", HEARD)
async def test_the_vendor_s_sdk_hears_the_same(name: str) -> None:
    body = sse(*HEARD[name], named=True)
    streamed, last = "", None
    async with (
        serving(body) as url,
        openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client,
    ):
        async for event in await client.responses.create(model="m", input="x", stream=True):
            if event.type == "response.output_text.delta":
                streamed += event.delta
            elif event.type in ("response.completed", "response.incomplete"):
                last = event.response  # type: ignore[union-attr]
    assert last is not None
    ours = added_up(play(KIND, body))
    assert ours["text"] == last.output_text == streamed
    theirs = [i for i in last.output if i.type == "function_call"]
    assert ours["tool_calls"] == [
        {"id": i.call_id, "name": i.name, "args": i.arguments} for i in theirs
    ]
    summaries = [i.summary for i in last.output if i.type == "reasoning"]
    assert ours["reasoning"] == "".join(part.text for summary in summaries for part in summary)
    assert ours["end"].model == last.model
