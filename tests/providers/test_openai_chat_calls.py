"""Tool calls of a chat completion, in all the ways in which providers cut, number and name them."""

import json
from typing import Any

import pytest

from bottega.messages.block import tool_uses
from bottega.providers.provider import CallPiece, Finished
from tests.providers.made_up import calling, chat, failed, finished, nested, piece, sse
from tests.providers.recordings import added_up, play, streamed_calls

KIND = "openai-chat"


def uses(*events: Any, stop: str = "tool_calls") -> list[tuple[str, dict[str, Any], str]]:
    """The calls of an answer made of these events; checks that the pieces add up to them."""
    played = play(KIND, sse(*events, chat({}, stop), "[DONE]"))
    end = played[-1]
    assert isinstance(end, Finished)
    added_up(played)
    found = tool_uses(end.content)
    streamed = streamed_calls(played)
    assert [(c["id"], c["name"]) for c in streamed] == [(u.id, u.name) for u in found]
    for call, use in zip(streamed, found, strict=True):
        assert use.malformed or json.loads(call["args"].strip() or "{}") == use.input
    return [(use.name, use.input, use.malformed) for use in found]


TWO = [("f", {"a": 1}, ""), ("g", {"b": 2}, "")]

SHAPES: dict[str, list[dict[str, Any]]] = {
    "the id in the first piece only": [
        calling(piece("", "f", index=0, id="1")),
        calling(piece('{"a":', index=0)),
        calling(piece("", "g", index=1, id="2")),
        calling(piece('{"b":', index=1)),
        calling(piece(" 1}", index=0)),
        calling(piece(" 2}", index=1)),
    ],
    "the id in every piece": [
        calling(piece('{"a":', "f", index=0, id="1")),
        calling(piece(" 1}", index=0, id="1")),
        calling(piece('{"b":', "g", index=1, id="2")),
        calling(piece(" 2}", index=1, id="2")),
    ],
    "the id and the name in every piece": [
        calling(piece('{"a":', "f", index=0, id="1")),
        calling(piece(" 1}", "f", index=0, id="1")),
        calling(piece('{"b":', "g", index=1, id="2")),
        calling(piece(" 2}", "g", index=1, id="2")),
    ],
    "whole calls in one event": [
        calling(piece('{"a": 1}', "f", index=0, id="1"), piece('{"b": 2}', "g", index=1, id="2")),
    ],
    "whole calls, always index 0": [
        calling(piece('{"a": 1}', "f", index=0, id="1")),
        calling(piece('{"b": 2}', "g", index=0, id="2")),
    ],
    "pieces, always index 0": [
        calling(piece('{"a":', "f", index=0, id="1")),
        calling(piece(" 1}", index=0)),
        calling(piece('{"b":', "g", index=0, id="2")),
        calling(piece(" 2}", index=0)),
    ],
    "no index": [
        calling(piece('{"a":', "f", id="1")),
        calling(piece(" 1}")),
        calling(piece('{"b":', "g", id="2")),
        calling(piece(" 2}")),
    ],
    "no index, the id in every piece, in turns": [
        calling(piece('{"a":', "f", id="1")),
        calling(piece('{"b":', "g", id="2")),
        calling(piece(" 1}", id="1")),
        calling(piece(" 2}", id="2")),
    ],
    "no id": [
        calling(piece('{"a":', "f", index=0)),
        calling(piece(" 1}", index=0)),
        calling(piece('{"b": 2}', "g", index=1)),
    ],
    "no id and always index 0": [
        calling(piece('{"a": 1}', "f", index=0)),
        calling(piece('{"b": 2}', "g", index=0)),
    ],
    "neither id nor index": [
        calling(piece('{"a": 1}', "f"), piece('{"b":', "g")),
        calling(piece(" 2}")),
    ],
    "the id late": [
        calling(piece('{"a":', "f", index=0)),
        calling(piece(" 1}", index=0, id="1")),
        calling(piece('{"b": 2}', "g", index=1, id="2")),
    ],
    "the name late": [
        calling(piece('{"a":', index=0, id="1")),
        calling(piece(" 1}", "f", index=0)),
        calling(piece('{"b": 2}', "g", index=1, id="2")),
    ],
    "the same id twice": [
        calling(piece('{"a": 1}', "f", index=0, id="1")),
        calling(piece('{"b": 2}', "g", index=1, id="1")),
    ],
    "null everywhere": [
        calling({"index": 0, "id": "1", "type": None, "function": {"name": "f"}}),
        calling({"index": 0, "id": None, "function": {"name": None, "arguments": '{"a": 1}'}}),
        calling({"index": 0, "function": None}),
        calling(piece('{"b": 2}', "g", index=1, id="2")),
    ],
    "the arguments as an object": [
        calling({"index": 0, "id": "1", "function": {"name": "f", "arguments": {"a": 1}}}),
        calling({"index": 1, "id": "2", "function": {"name": "g", "arguments": {"b": 2}}}),
    ],
}


@pytest.mark.requirement("A40")
@pytest.mark.parametrize("shape", SHAPES)
def test_calls_are_found_whichever_way_they_are_sent(shape: str) -> None:
    assert uses(*SHAPES[shape]) == TWO


def test_the_same_tool_called_twice_without_ids_is_two_calls() -> None:
    same = [calling(piece('{"a": 1}', "f")), calling(piece('{"a": 2}', "f"))]
    assert uses(*same) == [("f", {"a": 1}, ""), ("f", {"a": 2}, "")]


def test_ids_are_the_provider_s_where_they_are_unique_and_ours_elsewhere() -> None:
    body = sse(
        calling(piece("{}", "f", index=0, id="1")),
        calling(piece("{}", "g", index=1, id="1")),
        calling(piece("{}", "h", index=2)),
        chat({}, "tool_calls"),
    )
    first, second, third = (use.id for use in tool_uses(finished(KIND, body).content))
    assert first == "1"
    assert second.startswith("call_")
    assert third.startswith("call_")
    assert second != third


def test_a_call_is_shown_once_its_name_is_known() -> None:
    body = sse(
        calling(piece('{"a"', index=0, id="1")),
        calling(piece(":1", "f", index=0)),
        calling(piece("}", index=0)),
        chat({}, "tool_calls"),
    )
    pieces = [e for e in play(KIND, body) if isinstance(e, CallPiece)]
    assert pieces == [CallPiece(0, '{"a":1', "1", "f"), CallPiece(0, "}")]


def test_a_call_without_a_name_names_no_tool() -> None:
    assert uses(calling(piece('{"a": 1}', index=0, id="1"))) == [("unnamed", {"a": 1}, "")]


@pytest.mark.requirement("A24")
@pytest.mark.parametrize(
    "text", ['{"a": 1', "[1]", "null", '"{}"', "{'a': 1}", '{"a": NaN}', "{}{}"]
)
def test_arguments_that_are_no_json_object_are_kept_as_written(text: str) -> None:
    assert uses(calling(piece(text, "f", index=0, id="1"))) == [("f", {}, text)]


@pytest.mark.parametrize("text", ["", " ", "{}"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert uses(calling(piece(text, "f", index=0, id="1"))) == [("f", {}, "")]


def test_arguments_that_nest_without_end_are_malformed() -> None:
    text = '{"a":' * 5000
    assert uses(calling(piece(text, "f", index=0, id="1"))) == [("f", {}, text)]


@pytest.mark.parametrize("depth", [250, 900])
def test_arguments_that_nest_too_deeply_to_be_stored_are_malformed(depth: int) -> None:
    text = json.dumps(nested(depth))
    assert uses(calling(piece(text, "f", index=0, id="1"))) == [("f", {}, text)]
    given = {"index": 0, "id": "1", "function": {"name": "f", "arguments": nested(depth)}}
    assert uses(calling(given)) == [("f", {}, "(nested too deeply)")]
    body = sse(calling(piece("{}", "f", index=0, extra_content=nested(depth))), chat({}, "stop"))
    (use,) = tool_uses(finished(KIND, body).content)
    assert use.raw is None


@pytest.mark.parametrize("stop", ["length", "content_filter"])
@pytest.mark.parametrize("text", ["", '{"a": 1'])
def test_a_call_in_which_the_answer_stopped_is_malformed(stop: str, text: str) -> None:
    first = piece("", "f", index=0, id="1")
    (one, other) = uses(calling(first), calling(piece(text, "g", index=1, id="2")), stop=stop)
    assert one == ("f", {}, "")
    assert other[:2] == ("g", {})
    assert other[2]


@pytest.mark.parametrize("body_end", [[], ["[DONE]"]])
def test_a_stream_without_a_finish_reason_yields_no_call(body_end: list[str]) -> None:
    end = failed(KIND, sse(calling(piece("{}", "f", index=0, id="1")), *body_end))
    assert (end.code, end.retryable) == ("cut_off", True)


def test_the_older_form_of_a_call_is_a_call_too() -> None:
    found = uses(
        chat({"function_call": {"name": "f", "arguments": '{"a"'}}),
        chat({"function_call": {"arguments": ": 1}"}}),
        stop="function_call",
    )
    assert found == [("f", {"a": 1}, "")]


def test_what_a_provider_wants_back_with_a_call_is_kept() -> None:
    extra = {"google": {"thought_signature": "seal"}}
    body = sse(calling(piece("{}", "f", index=0, id="1", extra_content=extra)), chat({}, "stop"))
    (use,) = tool_uses(finished(KIND, body).content)
    assert (use.raw, use.origin) == ({"extra_content": extra}, KIND)


def test_a_character_cut_in_half_in_the_arguments_is_joined_again() -> None:
    halves = [
        calling(piece('{"a": "\ud83d', "f", index=0, id="1")),
        calling(piece('\ude00"}', index=0)),
    ]
    assert uses(*halves) == [("f", {"a": "😀"}, "")]


def test_half_a_character_in_the_arguments_is_replaced() -> None:
    body = sse(calling(piece(r'{"a": "\ud83d"}', "f", index=0, id="1")), chat({}, "stop"))
    (use,) = tool_uses(finished(KIND, body).content)
    assert (use.input, use.malformed) == ({"a": "\ufffd"}, "")


def test_an_answer_that_ends_within_a_character_of_the_arguments_shows_that() -> None:
    found = uses(calling(piece('{"a": "\ud83d', "f", index=0, id="1")), stop="length")
    assert found == [("f", {}, '{"a": "\ufffd')]
