"""Chat completions: what comes back, in all the ways in which providers send it."""

from typing import Any

import msgspec
import openai
import pytest

from bottega.messages.block import (
    Image,
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
    plain_text,
    tool_uses,
)
from bottega.messages.message import Usage
from bottega.providers import openai_chat
from bottega.providers.provider import Failed, Finished, Started, TextPiece
from tests.providers.made_up import (
    calling,
    chat,
    failed,
    finished,
    nested,
    piece,
    serving,
    sse,
    whole,
)
from tests.providers.recordings import added_up, play, streamed_calls

KIND = "openai-chat"


# Text and reasoning


@pytest.mark.requirement("A40")
def test_text_streams_in_its_pieces_after_one_start() -> None:
    events = play(KIND, sse(chat({"content": "Hel"}), chat({"content": "lo"}), chat({}, "stop")))
    assert events[:3] == [Started("m"), TextPiece("Hel"), TextPiece("lo")]
    assert isinstance(events[3], Finished)
    assert events[3].content == (Text("Hello"),)
    assert (events[3].stop_reason, events[3].provider_stop) == ("end_turn", "stop")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_never_part_of_the_text(field: str) -> None:
    events = play(KIND, sse(chat({field: "Hm"}), chat({"content": "Yes"}), chat({}, "stop")))
    got = added_up(events)
    assert (got["text"], got["reasoning"]) == ("Yes", "Hm")
    assert got["end"].content[0] == Reasoning("Hm", origin=KIND, raw={"field": field})


def test_reasoning_that_is_said_in_three_fields_is_told_once() -> None:
    details = [{"type": "reasoning.text", "text": "Hm", "index": 0}]
    delta = {"reasoning": "Hm", "reasoning_content": "Hm", "reasoning_details": details}
    assert added_up(play(KIND, sse(chat(delta), chat({}, "stop"))))["reasoning"] == "Hm"


def test_reasoning_details_are_joined_and_kept_with_their_signature() -> None:
    def told(**entry: Any) -> dict[str, Any]:
        return chat({"reasoning_details": [{"index": 0, "type": "reasoning.text", **entry}]})

    sealed = {"type": "reasoning.encrypted", "data": "abc", "index": 1, "id": "r"}
    end = finished(
        KIND,
        sse(
            told(text="Let ", signature=None),
            told(text="me"),
            told(signature="seal"),
            chat({"reasoning_details": [sealed]}),
            chat({"reasoning_details": [sealed]}),
            chat({"content": "4"}, "stop"),
        ),
    )
    joined = {"index": 0, "type": "reasoning.text", "text": "Let me", "signature": "seal"}
    thought = end.content[0]
    assert isinstance(thought, Reasoning)
    assert thought.text == "Let me"
    assert thought.raw == {"field": "reasoning", "details": [joined, sealed]}


def test_a_thought_that_is_only_sealed_is_kept_before_the_text() -> None:
    sealed = {"type": "reasoning.encrypted", "data": "abc", "index": 0}
    body = sse(chat({"content": "4"}), chat({"reasoning_details": [sealed]}), chat({}, "stop"))
    thought = Reasoning("", origin=KIND, raw={"details": [sealed]})
    assert finished(KIND, body).content == (thought, Text("4"))


def test_content_in_parts_is_text_and_thought() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
    said = {"type": "text", "text": "Yes"}
    got = added_up(play(KIND, sse(chat({"content": [thinking, said]}), chat({}, "stop"))))
    assert (got["text"], got["reasoning"]) == ("Yes", "Hm")


def test_a_refusal_is_text_and_a_reason_to_stop() -> None:
    end = finished(
        KIND, sse(chat({"refusal": "I can"}), chat({"refusal": "not."}), chat({}, "stop"))
    )
    assert (plain_text(end.content), end.stop_reason) == ("I cannot.", "refusal")


def test_a_second_choice_is_not_heard() -> None:
    other = {"index": 1, "delta": {"content": "B"}, "finish_reason": "stop"}
    first = {"index": 0, "delta": {"content": "A"}, "finish_reason": "stop"}
    assert plain_text(finished(KIND, sse({"choices": [other, first]})).content) == "A"


# Half characters


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_a_character_cut_in_half_is_joined_again(field: str) -> None:
    body = sse(chat({field: "a\ud83d"}), chat({field: "\ude00b"}), chat({}, "stop"))
    events = play(KIND, body)
    assert [e.text for e in events if hasattr(e, "text")] == ["a", "😀b"]
    msgspec.json.encode(events)


def test_half_a_character_that_stays_alone_is_replaced() -> None:
    body = sse(
        chat({"reasoning": "x\ud83d"}),
        chat({"content": "a\ude00\ud83d"}),
        chat({"content": "b\ud83d"}),
        chat({}, "stop"),
    )
    got = added_up(play(KIND, body))
    assert (got["reasoning"], got["text"]) == ("x\ufffd", "a\ufffd\ufffdb\ufffd")


def test_half_a_character_alone_in_its_event_waits_for_the_other() -> None:
    for field in ("content", "reasoning"):
        body = sse(chat({field: "\ud83d"}), chat({field: "\ude00"}), chat({}, "stop"))
        assert [e.text for e in play(KIND, body) if hasattr(e, "text")] == ["😀"]


def test_bad_utf_8_is_read_as_far_as_it_goes() -> None:
    body = b'data: {"choices":[{"delta":{"content":"a\xffb"},"finish_reason":"stop"}]}\n\n'
    assert plain_text(finished(KIND, body).content) == "a\ufffdb"


# How it ends


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("stop", "end_turn"),
        ("eos", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("tool_calls", "end_turn"),
        ("something_new", "end_turn"),
    ],
)
def test_the_stop_reason_is_ours_and_the_word_is_the_provider_s(word: str, reason: str) -> None:
    end = finished(KIND, sse(chat({"content": "x"}, word)))
    assert (end.stop_reason, end.provider_stop) == (reason, word)


def test_an_answer_with_calls_stops_for_them_whatever_its_word() -> None:
    body = sse(calling(piece("{}", "f", index=0, id="1")), chat({}, "stop"))
    assert finished(KIND, body).stop_reason == "tool_use"


@pytest.mark.parametrize("word", ["error", "network_error", "insufficient_system_resource"])
def test_an_answer_that_broke_at_the_provider_is_worth_another_try(word: str) -> None:
    end = failed(KIND, sse(chat({"content": "x"}, word)))
    assert (end.code, end.retryable) == ("server_error", True)


def test_the_usage_may_come_after_the_finish_reason() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "total_tokens": 17,
        "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 3},
        "cost": 0.0001234,
    }
    end = finished(KIND, sse(chat({}, "stop"), {"choices": [], "usage": usage}, "[DONE]"))
    assert end.usage == Usage(10, 7, 4, 2, 3)
    assert end.cost == 123


@pytest.mark.parametrize(
    ("usage", "expected", "cost"),
    [
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 5}, Usage(9, 0, 5), None),
        (
            {
                "prompt_tokens": 1,
                "completion_tokens": 2,
                "total_tokens": 7,
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            Usage(1, 6, 0, 0, 4),
            None,
        ),
        ({"prompt_tokens": 1, "cost": {"total_cost": 0.5}}, Usage(1), 500_000),
        (
            {"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}},
            Usage(),
            210_000,
        ),
        ({"prompt_tokens": "3", "completion_tokens": -1, "cost": "free"}, Usage(), None),
        ({"prompt_tokens": 2**60, "completion_tokens": 3.0, "cost": -1}, Usage(0, 3), None),
        ({"prompt_tokens": True, "prompt_tokens_details": [], "cost": True}, Usage(), None),
        ({"cost": 0}, Usage(), 0),
        ({"cost": 10**400}, Usage(), None),
        ({"cost": 1e300}, Usage(), 2**53 - 1),
    ],
)
def test_usage_and_cost_are_read_as_each_provider_counts_them(
    usage: dict[str, Any], expected: Usage, cost: int | None
) -> None:
    end = finished(KIND, sse(chat({}, "stop", usage=usage)))
    assert (end.usage, end.cost) == (expected, cost)


def test_usage_is_found_where_groq_and_moonshot_put_it() -> None:
    counts = {"prompt_tokens": 1, "completion_tokens": 2}
    groq = sse(chat({}, "stop", x_groq={"id": "r", "usage": counts}))
    assert finished(KIND, groq).usage == Usage(1, 2)
    moonshot = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": counts}]}
    assert finished(KIND, sse(moonshot)).usage == Usage(1, 2)


def test_a_stream_is_finished_without_its_end_mark() -> None:
    assert finished(KIND, sse(chat({"content": "x"}, "stop"))).content == (Text("x"),)


def test_what_follows_the_finish_reason_may_be_broken() -> None:
    body = sse(chat({"content": "x"}, "stop")) + b'data: {"choices": [], "usa'
    assert finished(KIND, body).content == (Text("x"),)
    assert finished(KIND, body + b"\n\ndata: [DONE]\n\n").content == (Text("x"),)


# What is no answer


@pytest.mark.parametrize(
    ("event", "code", "again"),
    [
        ({"error": {"message": "Oops", "code": 502}}, "server_error", True),
        ({"error": {"message": "Oops", "type": "server_error"}}, "server_error", True),
        ({"error": {"message": "Oops", "code": "rate_limit_exceeded"}}, "rate_limited", True),
        ({"error": "Oops"}, "provider_error", False),
        ({"object": "error", "message": "Oops", "code": 400}, "bad_request", False),
        ({**chat({}, "error"), "error": {"message": "Oops", "code": 429}}, "rate_limited", True),
    ],
)
def test_an_error_in_the_stream_ends_it(event: dict[str, Any], code: str, again: bool) -> None:
    end = failed(KIND, sse(chat({"content": "x"}), event, chat({}, "stop"), "[DONE]"))
    assert (end.code, end.retryable) == (code, again)
    assert "Oops" in end.message


@pytest.mark.parametrize("text", ['{"message": "Oops"}', "Oops"])
def test_an_event_called_error_ends_the_stream(text: str) -> None:
    assert "Oops" in failed(KIND, f"event: error\ndata: {text}\n\n".encode()).message


def test_an_event_that_is_no_json_ends_the_stream_once_something_follows() -> None:
    body = sse(chat({"content": "x"}), '{"choices": [', chat({"content": "y"}, "stop"), "[DONE]")
    end = failed(KIND, body)
    assert (end.code, end.retryable) == ("provider_error", False)
    assert failed(KIND, sse(chat({"content": "x"}), '{"choices": [', "[DONE]")) == end


@pytest.mark.parametrize("text", ["hello", "<html>", "[1, 2]", '"x"'])
def test_a_stream_of_something_else_is_no_answer(text: str) -> None:
    assert failed(KIND, sse(text, text)).code == "not_sse"


@pytest.mark.parametrize("event", [{"choices": 5}, {"choices": ["x"]}, {"choices": [{"delta": 1}]}])
def test_an_event_of_another_shape_is_a_fault_of_the_provider(event: dict[str, Any]) -> None:
    end = failed(KIND, sse(chat({"content": "x"}), event, chat({}, "stop")))
    assert end.code == "provider_error"


def test_an_empty_body_was_cut_off() -> None:
    assert failed(KIND, b"").code == "cut_off"


def test_events_that_mean_nothing_to_us_are_passed_over() -> None:
    body = sse({"type": "ping"}, {"choices": []}, {"choices": None}, chat({"content": "x"}, "stop"))
    assert finished(KIND, body).content == (Text("x"),)
    keep_alive = b": OPENROUTER PROCESSING\n\ndata:\n\n" + body
    assert finished(KIND, keep_alive).content == (Text("x"),)


# What some add


def test_sources_are_named_once() -> None:
    def cite(url: str, title: str) -> dict[str, Any]:
        note = {"type": "url_citation", "url_citation": {"url": url, "title": title}}
        return chat({"annotations": [note]})

    body = sse(cite("http://a", ""), cite("http://b", "B"), cite("http://a", "A"), chat({}, "stop"))
    sources = Sources((Source("A", "http://a"), Source("B", "http://b")))
    assert finished(KIND, body).content == (sources,)


def test_the_results_of_a_search_are_sources() -> None:
    body = sse(chat({"content": "x"}, "stop", citations=["http://a"]))
    assert finished(KIND, body).content[-1] == Sources((Source("http://a", "http://a"),))
    found = [{"title": "A", "url": "http://a"}]
    body = sse(chat({}, "stop", citations=["http://a"], search_results=found))
    assert finished(KIND, body).content[-1] == Sources((Source("A", "http://a"),))


def test_a_tool_that_groq_ran_stands_in_the_answer_with_its_result() -> None:
    begun = {"index": 0, "type": "search", "arguments": '{"query": "q"}'}
    found = {"results": [{"title": "A", "url": "http://a"}]}
    done = {**begun, "output": "found", "search_results": found}
    body = sse(
        chat({"executed_tools": [begun]}),
        chat({"executed_tools": [done]}),
        calling(piece("{}", "f", index=0, id="1")),
        chat({"content": "x"}, "stop"),
    )
    events = play(KIND, body)
    assert isinstance(events[-1], Finished)
    use, result, ours, text, sources = events[-1].content
    assert isinstance(use, ToolUse)
    assert (use.name, use.input, use.server, use.raw) == ("search", {"query": "q"}, True, done)
    assert result == ToolResult(use.id, (Text("found"),), server=True, origin=KIND)
    assert (text, sources) == (Text("x"), Sources((Source("A", "http://a"),)))
    assert isinstance(ours, ToolUse)
    assert [c["name"] for c in streamed_calls(events)] == ["search", "f"]
    assert events[-1].stop_reason == "tool_use"


def test_a_picture_in_the_answer_is_kept() -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    other = {"type": "image_url", "image_url": {"url": "http://x/y.png"}}
    body = sse(chat({"content": "Look", "images": [part, other]}), chat({}, "stop"))
    assert finished(KIND, body).content == (Text("Look"), Image("image/png", "QUJD"))


def test_what_nests_without_end_is_not_kept() -> None:
    deep = nested(900)
    body = sse(
        chat({"reasoning_details": [{"type": "reasoning.text", "text": "Hm", "deep": deep}]}),
        chat({"executed_tools": [{"index": 0, "type": "search", "deep": deep}]}),
        chat({"content": "x"}, "stop"),
    )
    assert finished(KIND, body).content == (Text("x"),)


def test_an_error_that_nests_without_end_is_still_an_error() -> None:
    assert failed(KIND, sse({"error": nested(900)})).code == "provider_error"


# Whole answers

WHOLE = {
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Yes",
                "reasoning_content": "Hm",
                "tool_calls": [
                    {"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}},
                    {"id": "2", "function": {"name": "f", "arguments": "{}"}},
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
}


def test_a_whole_answer_says_the_same_as_a_stream() -> None:
    events = whole(KIND, WHOLE)
    got = added_up(events)
    assert (got["text"], got["reasoning"], got["stop"]) == ("Yes", "Hm", "tool_calls")
    assert got["tool_calls"] == [
        {"id": "1", "name": "f", "args": '{"a": 1}'},
        {"id": "2", "name": "f", "args": "{}"},
    ]
    assert got["usage"] == Usage(1, 2)
    assert events[0] == Started("m")


def test_a_whole_answer_in_a_stream_is_heard_too() -> None:
    got = added_up(play(KIND, sse(WHOLE, "[DONE]")))
    assert (got["text"], len(got["tool_calls"])) == ("Yes", 2)


def test_calls_without_ids_in_a_whole_answer_are_each_a_call() -> None:
    calls = [{"function": {"name": "f", "arguments": ""}}] * 3
    message = {"message": {"content": None, "tool_calls": calls}, "finish_reason": "stop"}
    end = whole(KIND, {"choices": [message]})[-1]
    assert isinstance(end, Finished)
    assert len({use.id for use in tool_uses(end.content)}) == 3


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "Oops", "code": 429}}, "rate_limited"),
        ({"error": "Oops", "choices": WHOLE["choices"]}, "provider_error"),
        ({"detail": "Oops"}, "provider_error"),
        ({"choices": [{"error": {"message": "Oops", "code": 502}, "finish_reason": "error"}]},
         "server_error"),
        (b"Oops", "not_sse"),
        (b"<html>", "not_sse"),
        ({"choices": []}, "not_sse"),
        ([], "not_sse"),
        (b'{"choices": [', "cut_off"),
        (b"", "cut_off"),
    ],
)  # fmt: skip
def test_a_good_status_with_no_answer_is_a_failure(body: Any, code: str) -> None:
    end = whole(KIND, body)[-1]
    assert isinstance(end, Failed)
    assert end.code == code


def test_an_http_error_is_explained_without_the_key() -> None:
    body = b'{"error":{"message":"Incorrect API key provided: sk-abc*****xyz1.","code":"invalid_api_key"}}'
    end = openai_chat.explain(401, body, {})
    assert (end.code, end.retryable) == ("bad_key", False)
    assert "xyz1" not in end.message


# The vendor's own SDK hears the same

HEARD = {
    "text": sse(chat({"role": "assistant", "content": ""}), chat({"content": "Hé"}),
                chat({"content": "llo 😀"}), chat({}, "stop"), "[DONE]"),
    "calls": sse(
        calling(piece("", "f", index=0, id="1")),
        calling(piece('{"a":', index=0)),
        calling(piece("", "g", index=1, id="2")),
        calling(piece('{"b":', index=1)),
        calling(piece(" 1}", index=0)),
        calling(piece(" 2}", index=1)),
        chat({}, "tool_calls"),
        "[DONE]",
    ),
    "line ends": sse(chat({"content": "a"}), chat({"content": "b"}, "stop"), "[DONE]").replace(
        b"\n", b"\r\n"),
    "keep-alive": b": wait\n\n" + sse(chat({"content": "a"}), chat({}, "length"), "[DONE]"),
    "usage": sse(chat({"content": "a"}), chat({}, "stop"),
                 {**chat({}), "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 6,
                                                       "total_tokens": 11}}, "[DONE]"),
}  # fmt: skip


@pytest.mark.parametrize("name", HEARD)
async def test_the_vendor_s_sdk_hears_the_same(name: str) -> None:
    text, stop, calls, usage = "", "", dict[int, list[str]](), None
    async with (
        serving(HEARD[name]) as url,
        openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client,
    ):
        stream = await client.chat.completions.create(model="m", messages=[], stream=True)
        async for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                stop = choice.finish_reason or stop
                for call in choice.delta.tool_calls or []:
                    function = call.function
                    assert function is not None
                    known = calls.setdefault(call.index, [call.id or "", function.name or "", ""])
                    known[2] += function.arguments or ""
    ours = added_up(play(KIND, HEARD[name]))
    assert (ours["text"], ours["stop"]) == (text, stop)
    assert [list(c.values()) for c in ours["tool_calls"]] == list(calls.values())
    if usage is not None:
        assert ours["usage"] == Usage(usage.prompt_tokens, usage.completion_tokens)
