"""Answers of the generateContent protocol, odd ones first of all."""

from typing import Any

import msgspec
import pytest

from bottega.messages.block import (
    Image,
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Usage
from bottega.providers import gemini
from bottega.providers.provider import (
    CallPiece,
    Failed,
    ReasoningPiece,
    Request,
    Started,
    TextPiece,
)
from tests.providers.odd_answers import failed, finished, in_any_pieces, sse, unnamed, whole
from tests.providers.recordings import (
    added_up,
    check_shape,
    play,
)


def chunk(*parts: dict[str, Any], finish: str = "", **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [*parts]}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = more.pop("usage", {"promptTokenCount": 3, "candidatesTokenCount": 2})
    candidate.update(more)
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-x"}


def stream(*chunks: dict[str, Any] | bytes) -> bytes:
    return sse(chunks, named=False)


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text, **more}


def calling(name: str, args: Any = None, **more: Any) -> dict[str, Any]:
    given = {"name": name} if args is None else {"name": name, "args": args}
    return {"functionCall": {**given, **more.pop("call", {})}, **more}


@pytest.mark.requirement("A22", "A39")
def test_text_streams_in_pieces_and_is_said_again_at_the_end() -> None:
    body = stream(chunk(said("Hel")), chunk(said("")), chunk(said("lo"), finish="STOP"))
    events = in_any_pieces("gemini", body)
    assert events[:3] == [Started("gemini-x"), TextPiece("Hel"), TextPiece("lo")]
    end = finished(events)
    assert end.content == (Text("Hello"),)
    assert (end.stop_reason, end.provider_stop, end.model) == ("end_turn", "STOP", "gemini-x")


def test_a_chunk_after_the_finish_reason_still_counts() -> None:
    late = {"promptTokenCount": 9, "candidatesTokenCount": 8}
    body = stream(chunk(said("a"), finish="STOP"), chunk(said("b"), usage=late))
    end = finished(play("gemini", body))
    assert end.content == (Text("ab"),)
    assert end.usage == Usage(9, 8)


def test_thoughts_are_reasoning() -> None:
    body = stream(
        chunk(said("Let me ", thought=True)),
        chunk(said("see.", thought=True)),
        chunk(said("So", thoughtSignature="c2VhbA==")),
        chunk(said("."), finish="STOP"),
    )
    events = in_any_pieces("gemini", body)
    assert [e.text for e in events if isinstance(e, ReasoningPiece)] == ["Let me ", "see."]
    assert finished(events).content == (
        Reasoning("Let me see.", "gemini"),
        Text("So.", "gemini", "c2VhbA=="),
    )


def test_a_seal_on_an_empty_part_belongs_to_the_text_before_it() -> None:
    body = stream(chunk(said("Hi")), chunk(said("", thoughtSignature="cw=="), finish="STOP"))
    assert finished(play("gemini", body)).content == (Text("Hi", "gemini", "cw=="),)


def test_a_seal_without_any_text_is_kept_too() -> None:
    body = stream(
        chunk(calling("f"), said("", thoughtSignature="cw==")), chunk(said("x"), finish="STOP")
    )
    content = finished(play("gemini", body)).content
    assert content[1:] == (Text("x", "gemini", "cw=="),)
    lone = stream(chunk(said("", thoughtSignature="cw=="), finish="STOP"))
    assert finished(play("gemini", lone)).content == (Reasoning("", "gemini", "cw=="),)


@pytest.mark.requirement("A37", "X06")
def test_parallel_calls_get_ids_where_the_provider_gives_none() -> None:
    body = stream(
        chunk(
            calling("read", {"path": "a"}, thoughtSignature="cw=="),
            calling("read", {"path": "b"}, call={"id": "fc-7"}),
            calling("list"),
        ),
        chunk(finish="STOP"),
    )
    events = in_any_pieces("gemini", body)
    pieces = [e for e in events if isinstance(e, CallPiece)]
    assert [(p.call, p.name, p.partial_json) for p in pieces] == [
        (0, "read", '{"path":"a"}'),
        (1, "read", '{"path":"b"}'),
        (2, "list", "{}"),
    ]
    end = finished(events)
    assert end.stop_reason == "tool_use"
    assert end.content == (
        ToolUse(pieces[0].id, "read", {"path": "a"}, origin="gemini", signature="cw=="),
        ToolUse("fc-7", "read", {"path": "b"}),
        ToolUse(pieces[2].id, "list", {}),
    )
    assert pieces[0].id.startswith("call_")
    assert len({p.id for p in pieces}) == 3


@pytest.mark.parametrize("args", [[1], "x", 5, True])
def test_arguments_that_are_no_object_are_malformed_never_empty(args: Any) -> None:
    (use,) = finished(play("gemini", stream(chunk(calling("f", args), finish="STOP")))).content
    assert isinstance(use, ToolUse)
    assert use.input == {}
    assert use.malformed


def test_arguments_may_come_leaf_by_leaf() -> None:
    def more(*leaves: dict[str, Any], on: bool = True) -> dict[str, Any]:
        return chunk({"functionCall": {"partialArgs": [*leaves], "willContinue": on}})

    body = stream(
        chunk(calling("edit", call={"willContinue": True})),
        more({"jsonPath": "$.path", "stringValue": "a", "willContinue": True}),
        more({"jsonPath": "$.path", "stringValue": ".py"}),
        more({"jsonPath": "$.edits[0].old", "stringValue": "x"}),
        more({"jsonPath": "$['edits'][0].count", "numberValue": 2.0}),
        more({"jsonPath": "$.edits[1]", "nullValue": "NULL_VALUE"}),
        more({"jsonPath": "$.dry", "boolValue": False}, on=False),
        chunk(finish="STOP"),
    )
    events = in_any_pieces("gemini", body)
    (use,) = finished(events).content
    assert isinstance(use, ToolUse)
    assert use.input == {"path": "a.py", "edits": [{"old": "x", "count": 2}, None], "dry": False}
    assert not use.malformed
    assert added_up(events)["tool_calls"][0]["name"] == "edit"


def test_a_leaf_without_a_place_makes_the_call_malformed() -> None:
    for path in ("", "path", "$.a[5]", "$.b[1]", "$.a.b", "$.a..b", None):
        leaves = [{"jsonPath": "$.a", "stringValue": "x"}, {"jsonPath": path, "stringValue": "y"}]
        body = stream(chunk(calling("f", call={"partialArgs": leaves}), finish="STOP"))
        (use,) = finished(play("gemini", body)).content
        assert isinstance(use, ToolUse)
        assert use.malformed


def test_a_call_cut_at_the_token_limit_is_malformed() -> None:
    leaves = [{"jsonPath": "$.path", "stringValue": "a.", "willContinue": True}]
    call = calling("f", call={"partialArgs": leaves, "willContinue": True})
    end = finished(play("gemini", stream(chunk(call), chunk(finish="MAX_TOKENS"))))
    assert end.stop_reason == "max_tokens"
    (use,) = end.content
    assert isinstance(use, ToolUse)
    assert (use.input, use.malformed) == ({}, '{"path":"a."}')


@pytest.mark.parametrize("at", range(4))
def test_a_cut_stream_yields_no_tool_call(at: int) -> None:
    chunks = [chunk(said("a")), chunk(calling("f", {})), chunk(said("b")), chunk(finish="STOP")]
    for body in (stream(*chunks[:at]), stream(*chunks[: at + 1])[:-9]):
        end = failed(play("gemini", body))
        assert (end.code, end.retryable) == ("cut_off", True)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("STOP", "end_turn"),
        ("MAX_TOKENS", "max_tokens"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("BLOCKLIST", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("SPII", "refusal"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("UNEXPECTED_TOOL_CALL", "error"),
        ("OTHER", "error"),
    ],
)
def test_the_reason_to_stop_is_ours_and_the_providers_word_is_kept(word: str, reason: str) -> None:
    body = stream(chunk(said("x"), finish=word, finishMessage="Because."))
    end = finished(play("gemini", body))
    assert (end.stop_reason, end.provider_stop) == (reason, word)
    assert end.notices == (("Because.",) if reason in ("refusal", "error") else ())


def test_a_blocked_prompt_is_a_refusal() -> None:
    feedback = {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "No."}
    end = finished(in_any_pieces("gemini", stream({"promptFeedback": feedback})))
    assert (end.stop_reason, end.provider_stop) == ("refusal", "PROHIBITED_CONTENT")
    assert (end.content, end.notices) == ((), ("No.",))


def test_all_input_and_all_output_is_counted() -> None:
    counts = {
        "promptTokenCount": 100,
        "toolUsePromptTokenCount": 20,
        "cachedContentTokenCount": 60,
        "candidatesTokenCount": 7,
        "thoughtsTokenCount": 30,
    }
    end = finished(play("gemini", stream(chunk(said("x"), finish="STOP", usage=counts))))
    assert end.usage == Usage(120, 37, 60, 0, 30)


def test_grounding_becomes_sources_in_their_order() -> None:
    first = {"groundingChunks": [{"web": {"uri": "https://b.example", "title": "B"}}]}
    every = {
        "groundingChunks": [
            *first["groundingChunks"],
            {"web": {"uri": "https://a.example"}},
            {"retrievedContext": {"title": "Note"}},
            {"maps": {"uri": "https://m.example", "title": "M"}},
            {"image": {"sourceUri": "https://i.example"}},
            {"unheard": {}},
        ]
    }
    body = stream(
        chunk(said("x"), groundingMetadata={}),
        chunk(said("y"), groundingMetadata=first),
        chunk(said("z"), finish="STOP", groundingMetadata=every),
    )
    found = Sources(
        (
            Source("B", "https://b.example"),
            Source("", "https://a.example"),
            Source("Note"),
            Source("M", "https://m.example"),
            Source("", "https://i.example"),
        )
    )
    assert finished(in_any_pieces("gemini", body)).content == (Text("xyz"), found)


def test_code_that_google_ran_is_a_call_with_its_result() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1/0"}, "thoughtSignature": "cw=="}
    outcome = {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivision"}}
    body = stream(chunk(code), chunk(outcome), chunk(said("Oh."), finish="STOP"))
    events = in_any_pieces("gemini", body)
    use, result, _ = finished(events).content
    assert isinstance(use, ToolUse)
    assert use == ToolUse(
        use.id,
        "code_execution",
        {"language": "PYTHON", "code": "1/0"},
        server=True,
        origin="gemini",
        raw=code,
    )
    assert result == ToolResult(
        use.id, (Text("ZeroDivision"),), is_error=True, server=True, origin="gemini", raw=outcome
    )
    assert finished(events).stop_reason == "end_turn"


def test_other_tools_of_google_are_calls_too() -> None:
    asked = {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}, "id": "q"}}
    given = {"toolResponse": {"id": "q", "response": {"search_suggestions": "<style>", "n": ["x"]}}}
    pages = {
        "urlMetadata": [
            {
                "retrievedUrl": "https://p.example",
                "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS",
            }
        ]
    }
    body = stream(chunk(asked), chunk(given), chunk(finish="STOP", urlContextMetadata=pages))
    events = in_any_pieces("gemini", body)
    search, found, fetch, fetched = finished(events).content
    assert isinstance(search, ToolUse)
    assert (search.id, search.name, search.raw) == ("q", "google_search_web", asked)
    assert isinstance(found, ToolResult)
    assert (found.tool_id, found.content, found.raw) == ("q", (Text("x"),), given)
    assert isinstance(fetch, ToolUse)
    assert (fetch.name, fetch.input) == ("url_context", {"urls": ["https://p.example"]})
    assert isinstance(fetched, ToolResult)
    assert fetched.tool_id == fetch.id
    assert [e.call for e in events if isinstance(e, CallPiece)] == [0, 1]


def test_a_picture_that_the_model_drew_is_kept() -> None:
    drawn = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    body = stream(chunk(said("Here:"), drawn), chunk(said("Nice?"), finish="STOP"))
    end = finished(in_any_pieces("gemini", body))
    assert end.content == (Text("Here:"), Image("image/png", "aGk="), Text("Nice?"))


def test_other_candidates_and_unknown_parts_are_ignored() -> None:
    second = {"index": 1, "content": {"parts": [said("other")]}, "finishReason": "SAFETY"}
    both = chunk(said("x"), {"hologram": {"shape": "cube"}}, finish="STOP", unheard=[1])
    both["candidates"].append(second)
    bare = {"candidates": [{"index": 0}, {"content": {}}]}
    end = finished(in_any_pieces("gemini", stream(b"[DONE]", both, {"brandNew": 1}, bare)))
    assert (end.content, end.provider_stop) == ((Text("x"),), "STOP")


@pytest.mark.parametrize(
    ("code", "status", "ours", "again"),
    [
        (503, "UNAVAILABLE", "overloaded", True),
        (429, "RESOURCE_EXHAUSTED", "rate_limited", True),
        (500, "INTERNAL", "server_error", True),
        (400, "INVALID_ARGUMENT", "bad_request", False),
    ],
)
@pytest.mark.requirement("A42")
def test_an_error_inside_the_stream_fails_it(
    code: int, status: str, ours: str, again: bool
) -> None:
    error = {"error": {"code": code, "status": status, "message": "So it is."}}
    for broken in (error, b'[{"error":{"code":%d,"status":"%b"}}]' % (code, status.encode())):
        end = failed(play("gemini", stream(chunk(said("x")), broken)))
        assert (end.code, end.retryable) == (ours, again)


def test_a_chunk_in_the_middle_that_is_no_json_fails_the_stream() -> None:
    for odd in (b'{"candidates": [', b"<html>", b'{"candidates": 5}'):
        end = failed(play("gemini", stream(chunk(said("x")), odd, chunk(said("y"), finish="STOP"))))
        assert end.code == "provider_error"


def test_a_call_without_a_name_fails() -> None:
    body = stream(chunk({"functionCall": {"args": {}}}, said("x"), finish="STOP"))
    assert failed(play("gemini", body)).code == "provider_error"


def test_half_a_character_waits_for_the_other_half() -> None:
    high = b'{"candidates":[{"content":{"parts":[{"text":"a\\ud83d"}]}}]}'
    low = b'{"candidates":[{"content":{"parts":[{"text":"\\ude00b"}]}}]}'
    events = in_any_pieces("gemini", stream(high, low, chunk(finish="STOP")))
    assert [e.text for e in events if isinstance(e, TextPiece)] == ["a", "😀b"]
    lone = play("gemini", stream(high, chunk(calling("f"), said("c"), finish="STOP")))
    assert added_up(lone)["text"] == "a\ufffdc"


def test_half_characters_in_calls_and_results_are_mended() -> None:
    body = stream(
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"text":"\\ud83d"}}}]}}]}',
        b'{"candidates":[{"content":{"parts":[{"toolResponse":{"response":{"text":"\\ude00"}}}]}}]}',
        chunk(finish="STOP"),
    )
    use, result = finished(play("gemini", body)).content
    assert isinstance(use, ToolUse)
    assert use.input == {"text": "\ufffd"}
    assert isinstance(result, ToolResult)
    assert result.content == (Text("\ufffd"),)


def test_a_whole_answer_gives_the_same_events_alone_or_as_an_array() -> None:
    chunks = [
        chunk(said("Hm.", thought=True)),
        chunk(said("Look:"), calling("f", {"a": 1})),
        chunk(finish="STOP"),
    ]
    parts = [said("Hm.", thought=True), said("Look:"), calling("f", {"a": 1})]
    alone = whole("gemini", chunk(*parts, finish="STOP"))
    assert unnamed(alone) == unnamed(whole("gemini", chunks))
    assert unnamed(alone) == unnamed(play("gemini", stream(*chunks)))
    assert finished(alone).stop_reason == "tool_use"


def test_an_error_with_status_200_fails() -> None:
    error = {"error": {"code": 503, "status": "UNAVAILABLE", "message": "Busy."}}
    for body in (error, [error], [chunk(said("x")), error]):
        end = failed(whole("gemini", body))
        assert (end.code, end.retryable) == ("overloaded", True)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b"[{}]", b"[5]", b"\xff", b"null"])
def test_a_body_that_is_no_answer_fails(body: bytes) -> None:
    assert isinstance(check_shape(list(whole("gemini", body))), Failed)


def test_a_whole_answer_without_a_finish_was_cut_off() -> None:
    assert failed(whole("gemini", [chunk(said("x"))])).code == "cut_off"


def test_nothing_follows_the_end() -> None:
    decoder = gemini.decoder(Request(model="m", messages=()))
    assert isinstance(decoder.end()[0], Failed)
    assert not decoder.end()
    assert not decoder.step("", b'{"candidates":[]}')
    assert not decoder.whole(b"{}")


def test_an_http_error_is_explained_and_its_delay_read() -> None:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    details = [{"@type": "other"}, 5, retry]
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}}
    encoded = stream(body)[6:].strip()
    end = gemini.explain(429, encoded, {})
    assert (end.code, end.retryable, end.retry_after) == ("rate_limited", True, 34.5)
    assert gemini.explain(429, b"[%b]" % encoded, {}).retry_after == 34.5
    assert gemini.explain(429, encoded, {"retry-after": "2"}).retry_after == 2.0
    for odd in (b"", b"[]", b'{"error":5}', b'{"error":{"details":[{"retryDelay":"sooners"}]}}'):
        assert gemini.explain(503, odd, {}).retry_after is None


@pytest.mark.parametrize("depth", [500, 980, 5000])
def test_nothing_is_too_deep_to_end_well(depth: int) -> None:
    deep = b'{"message":' * depth + b"1" + b"}" * depth
    for odd in (
        chunk(calling("f", "?"), finish="STOP"),
        chunk({"toolCall": {"args": "?"}}, {"toolResponse": {"response": "?"}}, finish="STOP"),
        chunk({"executableCode": {"code": "?"}}, finish="STOP"),
        chunk(finish="STOP", urlContextMetadata={"urlMetadata": ["?"]}),
        {"error": "?"},
    ):
        events = play("gemini", stream(odd).replace(b'"?"', deep))
        check_shape(events)
        msgspec.json.decode(msgspec.json.encode(events))
