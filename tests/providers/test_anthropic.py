"""Answers of the Messages protocol, odd ones first of all."""

from typing import Any

import msgspec
import pytest

from bottega.messages.block import (
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Usage
from bottega.providers import anthropic
from bottega.providers.provider import (
    CallPiece,
    Failed,
    ReasoningPiece,
    Request,
    Started,
    TextPiece,
)
from tests.providers.odd_answers import failed, finished, in_any_pieces, sse
from tests.providers.recordings import (
    added_up,
    check_shape,
    play,
)

USAGE = {"input_tokens": 10, "output_tokens": 1}
START = {
    "type": "message_start",
    "message": {"type": "message", "model": "claude-x", "content": [], "usage": USAGE},
}
STOP = {"type": "message_stop"}


def opened(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": f"{kind}_delta", **fields},
    }


def closed(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def stopped(reason: str | None, usage: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": "message_delta",
        "delta": {"stop_reason": reason, **more},
        "usage": usage or {"output_tokens": 5},
    }


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    said = [delta(index, "text", text=piece) for piece in pieces]
    return [opened(index, type="text", text=""), *said, closed(index)]


def call(index: int, *pieces: str, name: str = "read", kind: str = "tool_use") -> list[Any]:
    said = [delta(index, "input_json", partial_json=piece) for piece in pieces]
    return [
        opened(index, type=kind, id=f"toolu_{index}", name=name, input={}),
        *said,
        closed(index),
    ]


def answer(*events: dict[str, Any] | list[Any], stop: str = "end_turn") -> bytes:
    flat: list[Any] = []
    for event in events:
        flat += event if isinstance(event, list) else [event]
    return sse([START, *flat, stopped(stop), STOP])


@pytest.mark.requirement("A22", "X04")
def test_text_streams_in_pieces_and_is_said_again_at_the_end() -> None:
    events = in_any_pieces("anthropic", answer(text(0, "Hel", "", "lo", " 👋")))
    assert events[:4] == [Started("claude-x"), TextPiece("Hel"), TextPiece("lo"), TextPiece(" 👋")]
    end = finished(events)
    assert end.content == (Text("Hello 👋"),)
    assert (end.stop_reason, end.provider_stop, end.model) == ("end_turn", "end_turn", "claude-x")


def test_neighbouring_texts_are_one_block() -> None:
    end = finished(play("anthropic", answer(text(0, "**bo"), text(1, "ld**"))))
    assert end.content == (Text("**bold**"),)


def test_a_thought_keeps_its_seal() -> None:
    body = answer(
        opened(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking", thinking="Let me "),
        delta(0, "thinking", thinking="see."),
        delta(0, "signature", signature="c2Vh"),
        delta(0, "signature", signature="bA=="),
        closed(0),
        text(1, "So."),
    )
    events = in_any_pieces("anthropic", body)
    assert [e.text for e in events if isinstance(e, ReasoningPiece)] == ["Let me ", "see."]
    end = finished(events)
    assert end.content == (Reasoning("Let me see.", "anthropic", "c2VhbA=="), Text("So."))


def test_a_hidden_thought_is_kept_for_its_seal_alone() -> None:
    body = answer(
        opened(0, type="thinking", thinking="", signature=""),
        delta(0, "signature", signature="c2VhbA=="),
        closed(0),
    )
    assert finished(play("anthropic", body)).content == (Reasoning("", "anthropic", "c2VhbA=="),)


def test_a_redacted_thought_is_kept_as_it_came() -> None:
    block = {"type": "redacted_thinking", "data": "abc="}
    end = finished(play("anthropic", answer(opened(0, **block), closed(0))))
    assert end.content == (Reasoning("", "anthropic", raw=block),)


@pytest.mark.requirement("X05", "X06", "X17")
def test_parallel_calls_come_in_any_pieces() -> None:
    body = answer(
        call(0, "", '{"pa', 'th": "a', '.py"}'),
        call(1, '{"path": "b.py"}'),
        call(2, name="list"),
        stop="tool_use",
    )
    events = in_any_pieces("anthropic", body)
    assert [e for e in events if isinstance(e, CallPiece)] == [
        CallPiece(0, "", "toolu_0", "read"),
        CallPiece(0, '{"pa'),
        CallPiece(0, 'th": "a'),
        CallPiece(0, '.py"}'),
        CallPiece(1, "", "toolu_1", "read"),
        CallPiece(1, '{"path": "b.py"}'),
        CallPiece(2, "", "toolu_2", "list"),
    ]
    end = finished(events)
    assert end.stop_reason == "tool_use"
    assert end.content == (
        ToolUse("toolu_0", "read", {"path": "a.py"}),
        ToolUse("toolu_1", "read", {"path": "b.py"}),
        ToolUse("toolu_2", "list", {}),
    )


def test_calls_may_be_interleaved() -> None:
    body = answer(
        opened(0, type="tool_use", id="a", name="f", input={}),
        opened(1, type="tool_use", id="b", name="g", input={}),
        delta(1, "input_json", partial_json='{"y":'),
        delta(0, "input_json", partial_json='{"x":'),
        delta(1, "input_json", partial_json="2}"),
        delta(0, "input_json", partial_json="1}"),
        closed(0),
        closed(1),
        stop="tool_use",
    )
    end = finished(play("anthropic", body))
    assert end.content == (ToolUse("a", "f", {"x": 1}), ToolUse("b", "g", {"y": 2}))


def test_arguments_in_the_start_of_a_call_are_streamed_too() -> None:
    body = answer(
        opened(0, type="tool_use", id="a", name="f", input={"x": 1}), closed(0), stop="tool_use"
    )
    events = play("anthropic", body)
    assert added_up(events)["tool_calls"] == [{"id": "a", "name": "f", "args": '{"x":1}'}]
    assert finished(events).content == (ToolUse("a", "f", {"x": 1}),)


@pytest.mark.parametrize("said", ["[1]", '"x"', "null", "nonsense", '{"a": NaN}', '{"a": 1e999}'])
def test_arguments_that_are_no_object_are_malformed_never_empty(said: str) -> None:
    end = finished(play("anthropic", answer(call(0, said), stop="tool_use")))
    assert end.content == (ToolUse("toolu_0", "read", {}, malformed=said),)


def test_arguments_without_bottom_are_malformed() -> None:
    deep = '{"a":' * 500 + "1" + "}" * 500
    end = finished(play("anthropic", answer(call(0, deep), stop="tool_use")))
    assert end.content == (ToolUse("toolu_0", "read", {}, malformed=deep),)


def test_a_call_cut_at_the_token_limit_is_malformed() -> None:
    end = finished(play("anthropic", answer(call(0, '{"path": "a.'), stop="max_tokens")))
    assert end.stop_reason == "max_tokens"
    assert end.content == (ToolUse("toolu_0", "read", {}, malformed='{"path": "a.'),)


def test_a_call_cut_before_its_arguments_does_not_run_without_any() -> None:
    end = finished(play("anthropic", answer(call(0, ""), stop="max_tokens")))
    (use,) = end.content
    assert isinstance(use, ToolUse)
    assert use.malformed


def test_a_complete_call_before_the_token_limit_stays_whole() -> None:
    body = answer(call(0, '{"a":1}'), text(1, "and th"), stop="max_tokens")
    assert finished(play("anthropic", body)).content[0] == ToolUse("toolu_0", "read", {"a": 1})


@pytest.mark.parametrize("at", range(12))
def test_a_cut_stream_yields_no_tool_call(at: int) -> None:
    events = [START, *text(0, "a", "b"), *call(1, '{"a"', ":1}"), stopped("tool_use"), STOP]
    for body in (sse(events[:at]), sse(events[: at + 1])[:-9]):
        if body == sse(events):
            continue
        end = failed(play("anthropic", body))
        assert (end.code, end.retryable) == ("cut_off", True)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", "end_turn"),
        ("max_tokens", "max_tokens"),
        ("stop_sequence", "stop_sequence"),
        ("refusal", "refusal"),
        ("pause_turn", "end_turn"),
        ("model_context_window_exceeded", "max_tokens"),
        ("something_new", "end_turn"),
    ],
)
@pytest.mark.requirement("X16")
def test_the_reason_to_stop_is_ours_and_the_providers_word_is_kept(word: str, reason: str) -> None:
    end = finished(play("anthropic", answer(text(0, "x"), stop=word)))
    assert (end.stop_reason, end.provider_stop) == (reason, word)


def test_a_call_makes_the_reason_tool_use_whatever_the_server_says() -> None:
    assert finished(play("anthropic", answer(call(0, "{}")))).stop_reason == "tool_use"


def test_a_paused_turn_and_a_refusal_are_explained() -> None:
    paused = finished(play("anthropic", answer(text(0, "x"), stop="pause_turn")))
    assert "paused" in paused.notices[0]
    details = {"type": "refusal", "explanation": "Not this."}
    body = sse([START, *text(0, "x"), stopped("refusal", stop_details=details), STOP])
    assert finished(play("anthropic", body)).notices == ("Not this.",)


def test_the_final_usage_overrides_and_all_input_is_counted() -> None:
    first = {"input_tokens": 10, "cache_read_input_tokens": 70, "output_tokens": 1}
    started = {"type": "message_start", "message": {"model": "claude-x", "usage": first}}
    last = {
        "input_tokens": 12,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": None,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 30},
    }
    end = finished(
        play("anthropic", sse([started, *text(0, "x"), stopped("end_turn", last), STOP]))
    )
    assert end.usage == Usage(102, 50, 70, 20, 30)


def test_usage_that_makes_no_sense_counts_nothing() -> None:
    odd = {"input_tokens": "12", "output_tokens": -3, "output_tokens_details": [1]}
    body = sse([START, *text(0, "x"), stopped("end_turn", odd), STOP])
    assert finished(play("anthropic", body)).usage == Usage()


def test_citations_become_sources_once_each() -> None:
    page = {"type": "web_search_result_location", "url": "https://a.example", "title": "A"}
    paper = {"type": "page_location", "document_title": "Paper", "start_page_number": 1}
    body = answer(
        opened(0, type="text", text="", citations=[]),
        delta(0, "citations", citation=page),
        delta(0, "text", text="As said"),
        closed(0),
        opened(1, type="text", text=""),
        delta(1, "citations", citation=paper),
        delta(1, "citations", citation=page),
        delta(1, "text", text="."),
        closed(1),
    )
    end = finished(in_any_pieces("anthropic", body))
    found = Sources((Source("A", "https://a.example"), Source("Paper")))
    assert end.content == (Text("As said."), found)


def test_tools_that_the_provider_ran_are_calls_with_results() -> None:
    results = [{"type": "web_search_result", "title": "T", "url": "https://t.example"}]
    sealed = [{**results[0], "encrypted_content": "xyz"}]
    block = {"type": "web_search_tool_result", "tool_use_id": "toolu_0", "content": sealed}
    body = answer(
        call(0, '{"query":', '"x"}', name="web_search", kind="server_tool_use"),
        opened(1, **block),
        closed(1),
        call(2, '{"a":1}'),
        stop="tool_use",
    )
    events = in_any_pieces("anthropic", body)
    assert [e.call for e in events if isinstance(e, CallPiece)] == [0, 0, 0, 1, 1]
    use, result, mine = finished(events).content
    raw = {
        "type": "server_tool_use",
        "id": "toolu_0",
        "name": "web_search",
        "input": {"query": "x"},
    }
    assert use == ToolUse(
        "toolu_0", "web_search", {"query": "x"}, server=True, origin="anthropic", raw=raw
    )
    assert result == ToolResult(
        "toolu_0", (Text("T https://t.example"),), server=True, origin="anthropic", raw=block
    )
    assert mine == ToolUse("toolu_2", "read", {"a": 1})


def test_a_failed_server_tool_is_an_error() -> None:
    content = {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}
    block = {"type": "web_fetch_tool_result", "tool_use_id": "a", "content": content}
    (result,) = finished(play("anthropic", answer(opened(0, **block)))).content
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert result.content == (Text("url_not_accessible"),)


def test_what_has_no_place_is_passed_over() -> None:
    body = answer(
        opened(0, type="text", text="", citations=[{"title": "Given"}, 5]),
        delta(0, "citations", citation={"type": "x"}),
        {"type": "content_block_delta", "index": 0},
        {"type": "content_block_stop", "index": 9},
        {"type": "message_delta", "usage": 5},
        delta(0, "text", text="x"),
        closed(0),
        opened(1, type="thinking", thinking="Hm."),
        delta(1, "signature", signature=""),
        closed(1),
        opened(2, type="tool_use", id="a", name="f"),
        delta(2, "text", text="no"),
        opened(3, type="tool_use", id="a", name="f"),
        opened(4, type="x_tool_result", tool_use_id="b", content="plain"),
        b"",
    )
    first, thought, use, other, result, cited = finished(play("anthropic", body)).content
    assert (first, thought) == (Text("x"), Reasoning("Hm.", "anthropic"))
    assert isinstance(use, ToolUse)
    assert isinstance(other, ToolUse)
    assert use.id != other.id, "two calls never share an id"
    assert isinstance(result, ToolResult)
    assert result.content == (Text("plain"),)
    assert cited == Sources((Source("Given"),))


def test_unknown_events_blocks_and_pings_are_ignored() -> None:
    body = sse(
        [
            b"[DONE]",
            START,
            {"type": "ping"},
            {"type": "brand_new", "delta": {"type": "what"}},
            opened(0, type="hologram", shape="cube"),
            delta(0, "hologram", shape="sphere"),
            closed(0),
            *text(1, "x")[:-1],
            delta(1, "novelty", text="y"),
            closed(1),
            delta(1, "novelty", shape="cone"),
            stopped("end_turn"),
            STOP,
            *text(2, "late"),
            b"[DONE]",
        ]
    )
    assert finished(in_any_pieces("anthropic", body)).content == (Text("x"),)


@pytest.mark.parametrize(
    ("kind", "code", "again"),
    [
        ("overloaded_error", "overloaded", True),
        ("rate_limit_error", "rate_limited", True),
        ("api_error", "server_error", True),
        ("invalid_request_error", "bad_request", False),
        ("authentication_error", "bad_key", False),
    ],
)
@pytest.mark.requirement("A42")
def test_an_error_inside_the_stream_fails_it(kind: str, code: str, again: bool) -> None:
    error = {"type": "error", "error": {"type": kind, "message": "So it is."}}
    end = failed(in_any_pieces("anthropic", sse([START, *text(0, "x"), error, STOP])))
    assert (end.code, end.retryable) == (code, again)
    assert "So it is." in end.message


def test_an_event_in_the_middle_that_is_no_json_fails_the_stream() -> None:
    for odd in (b'{"type": "content_block', b"<html>", b'{"type": 5}'):
        end = failed(play("anthropic", sse([START, odd, *text(0, "x"), stopped("end_turn"), STOP])))
        assert end.code == "provider_error"


def test_something_that_is_no_stream_of_this_protocol_is_said_so() -> None:
    assert failed(play("anthropic", b"data: <html>\n\n")).code == "not_sse"


def test_a_call_without_a_name_fails() -> None:
    assert failed(play("anthropic", answer(opened(0, type="tool_use", id="a")))).code
    stray = delta(3, "input_json", partial_json="{}")
    assert failed(play("anthropic", answer(stray))).code == "provider_error"


def test_a_text_whose_end_was_left_out_ends_where_the_next_begins() -> None:
    body = answer(opened(0, type="text", text="a"), text(1, "b"), delta(1, "text", text="late"))
    assert failed(play("anthropic", body)).code == "provider_error"
    body = answer(opened(0, type="text", text="a"), text(1, "b"))
    assert finished(play("anthropic", body)).content == (Text("ab"),)


def test_an_answer_without_its_start_is_still_one() -> None:
    events = play("anthropic", sse([*text(0, "x"), stopped("end_turn"), STOP]))
    assert events[:2] == [Started(""), TextPiece("x")]
    assert finished(events).content == (Text("x"),)


def test_half_a_character_waits_for_the_other_half() -> None:
    high = (
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\\ud83d"}}'
    )
    low = (
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\ude00b"}}'
    )
    opening = opened(0, type="text", text="")
    body = sse([START, opening, high, low, closed(0), stopped("end_turn"), STOP])
    events = in_any_pieces("anthropic", body)
    assert [e.text for e in events if isinstance(e, TextPiece)] == ["a", "😀b"]
    lone = sse([START, opening, high, *text(1, "c"), stopped("end_turn"), STOP])
    assert added_up(play("anthropic", lone))["text"] == "a\ufffdc"


def test_half_characters_in_calls_and_results_are_mended() -> None:
    start = b'{"type":"content_block_start","index":1,"content_block":{"type":"x_tool_result",'
    result = start + b'"tool_use_id":"a","content":{"text":"\\ude00!"}}}'
    body = sse([START, *call(0, '{"a":"\\ud83d"}'), result, stopped("tool_use"), STOP])
    use, given = finished(play("anthropic", body)).content
    assert use == ToolUse("toolu_0", "read", {"a": "\ufffd"})
    assert isinstance(given, ToolResult)
    assert given.content == (Text("\ufffd!"),)


def test_nothing_follows_the_end() -> None:
    decoder = anthropic.decoder(Request(model="m", messages=()))
    assert isinstance(decoder.end()[0], Failed)
    assert not decoder.end()
    assert not decoder.step("", b'{"type":"message_start","message":{}}')
    assert not decoder.whole(b"{}")


def test_an_http_error_is_explained() -> None:
    body = b'{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}'
    end = anthropic.explain(429, body, {"retry-after": "7"})
    assert (end.code, end.retryable, end.retry_after) == ("rate_limited", True, 7.0)


@pytest.mark.parametrize("depth", [500, 501, 5000])
def test_nothing_is_too_deep_to_end_well(depth: int) -> None:
    result = {"type": "x_tool_result", "tool_use_id": "a", "content": "?"}
    for event in (
        opened(0, **result),
        opened(0, type="redacted_thinking", data="?"),
        opened(0, type="server_tool_use", id="a", name="f", input={"a": "?"}),
        opened(0, type="tool_use", id="a", name="f", input={"a": "?"}),
        delta(0, "citations", citation="?"),
        {"type": "error", "error": {"message": "?"}},
    ):
        deep = (b"[" if depth % 2 else b'{"content":') * depth
        deep += b"1" + (b"]" if depth % 2 else b"}") * depth
        events = play("anthropic", answer(event).replace(b'"?"', deep))
        check_shape(events)
        msgspec.json.decode(msgspec.json.encode(events))
