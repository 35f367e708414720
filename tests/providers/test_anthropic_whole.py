"""Answers of the Messages protocol that come in one piece."""

import pytest

from bottega.messages.block import Reasoning, Text, ToolUse
from bottega.messages.message import Usage
from bottega.providers.provider import Failed, ReasoningPiece, Started, TextPiece
from tests.providers.odd_answers import failed, finished, whole
from tests.providers.recordings import added_up, check_shape

MESSAGE = {
    "type": "message",
    "model": "claude-x",
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "output_tokens": 4},
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "Look:", "citations": None},
        {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
        {"type": "tool_use", "id": "b", "name": "list", "input": {}},
    ],
}


def test_a_whole_answer_gives_the_same_events() -> None:
    events = whole("anthropic", MESSAGE)
    assert list(events[:3]) == [Started("claude-x"), ReasoningPiece("Hm."), TextPiece("Look:")]
    summed = added_up(list(events))
    assert [call["args"] for call in summed["tool_calls"]] == ['{"path":"x"}', ""]
    end = finished(events)
    assert end.content == (
        Reasoning("Hm.", "anthropic", "s"),
        Text("Look:"),
        ToolUse("a", "read", {"path": "x"}),
        ToolUse("b", "list"),
    )
    assert (end.stop_reason, end.usage) == ("tool_use", Usage(3, 4))


def test_a_whole_answer_cut_in_a_call_has_no_runnable_call() -> None:
    nameless = {**MESSAGE, "content": [{"type": "tool_use"}, {"type": "text", "text": "x"}]}
    assert failed(whole("anthropic", nameless)).code == "provider_error"
    cut = {**MESSAGE, "stop_reason": "max_tokens", "content": MESSAGE["content"][:3]}
    assert finished(whole("anthropic", cut)).content[-1] == ToolUse(
        "a", "read", {}, malformed='{"path":"x"}'
    )


def test_an_error_with_status_200_fails() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}
    end = failed(whole("anthropic", error))
    assert (end.code, end.retryable) == ("overloaded", True)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"content": 5}', b"\xff"])
def test_a_body_that_is_no_answer_fails(body: bytes) -> None:
    assert isinstance(check_shape(list(whole("anthropic", body))), Failed)
