"""An exchange in simple words: over every golden log, and over what simple clients often get wrong."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.events import facts as f
from bottega.events.codec import encode
from bottega.events.event import Event
from bottega.messages.block import Text, ToolUse
from bottega.server.simple import Piece, Simple, piece_of

GOLDEN = sorted(Path("tests/golden/v1").glob("*.jsonl"))
_row = msgspec.json.Decoder(tuple[int, msgspec.Raw]).decode


def rows(path: Path) -> list[tuple[int, bytes]]:
    return [(index, bytes(raw)) for index, raw in map(_row, path.read_bytes().splitlines())]


def told(
    stored: list[tuple[int, bytes]], message_id: str, piece: Piece = "text_chunk"
) -> list[dict[str, Any]]:
    simple = Simple("ses_1", message_id, piece=piece)
    said = [each for index, body in stored for each in simple.step(index, body)]
    return msgspec.json.decode(msgspec.json.encode(said))


def log(*payloads: tuple[str, Any]) -> list[tuple[int, bytes]]:
    return [
        (index, encode(Event(f.NAMES[type(what)], index, what, message_id, step=1)))
        for index, (message_id, what) in enumerate(payloads, 1)
    ]


@pytest.mark.requirement("T22")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_prompt_of_every_log_ends_with_exactly_one_complete(path: Path) -> None:
    stored = rows(path)
    bodies = [(index, msgspec.json.decode(body)) for index, body in stored]
    ended = {
        body["message_id"]: body["data"]
        for _, body in bodies
        if body["type"] == "exchange_response"
    }
    assert ended
    for message_id, response in ended.items():
        said = told(stored, message_id)
        ends = [each for each in said if each["type"] == "complete"]
        assert said[-1:] == ends
        for name in ("success", "iterations", "completion_reason"):
            assert ends[0][name] == response[name]
        assert ends[0]["final_response"] == response.get("final_response", "")
        assert {each["message_id"] for each in said} == {message_id}
        assert {each["session_id"] for each in said} == {"ses_1"}
        places = [each["index"] for each in said]
        assert places == sorted(places)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_is_told_of_one_prompt_does_not_depend_on_the_others(path: Path) -> None:
    stored = rows(path)
    ids = [msgspec.json.decode(body).get("message_id", "") for _, body in stored]
    for message_id in set(filter(None, ids)):
        own = [row for row, each in zip(stored, ids, strict=True) if each == message_id]
        assert told(own, message_id) == told(stored, message_id)


def test_pieces_that_a_reset_voids_can_be_told_from_those_that_count() -> None:
    stored = log(
        ("a", f.PromptQueued((Text("go"),))),
        ("a", f.UserMessage((Text("go"),))),
        ("a", f.MessageStart("m")),
        ("a", f.TextDelta("Hal")),
        ("a", f.StreamReset("The connection broke.")),
        ("a", f.MessageStart("m")),
        ("a", f.TextDelta("Hallo")),
        ("a", f.AssistantMessage((Text("Hallo"),), "end_turn")),
        ("a", f.ExchangeResponse(True, "no_more_actions", "end_turn", 1, "Hallo")),
    )
    said = told(stored, "a")
    assert [each["type"] for each in said] == [
        *("text_chunk", "reset", "text_chunk", "agent_step", "complete")
    ]
    assert (said[2]["content"], said[-1]["final_response"]) == ("Hallo", "Hallo")


def test_a_prompt_that_was_taken_back_ends_too() -> None:
    stored = log(("a", f.PromptQueued((Text("go"),))), ("a", f.PromptCancelled()))
    said = told(stored, "a")
    assert [(each["type"], each["success"], each["completion_reason"]) for each in said] == [
        ("complete", False, "user_stopped")
    ]


def test_an_ask_carries_the_arguments_of_its_call_and_what_an_answer_needs() -> None:
    use = ToolUse("call_1", "bash_exec", {"command": "ls"})
    asked = f.ApprovalRequired("ask_1", "tool", "call_1", "bash_exec", "h" * 64, "Run bash_exec?")
    stored = log(
        ("a", f.UserMessage((Text("go"),))),
        ("a", f.AssistantMessage((use,), "tool_use")),
        ("a", asked),
    )
    (said,) = told(stored, "a")
    assert said["type"] == "approval_required"
    assert (said["approval_id"], said["tool_name"]) == ("ask_1", "bash_exec")
    assert said["tool_parameters"] == {"command": "ls"}
    assert said["hash"] == "h" * 64


def test_a_steer_is_told_by_the_exchange_it_was_said_into() -> None:
    stored = log(
        ("a", f.UserMessage((Text("go"),))),
        ("b", f.PromptQueued((Text("wait"),), steer=True)),
        ("a", f.UserMessage((Text("wait"),), steer=True, prompt_id="b")),
        ("a", f.MessageStart("m")),
        ("a", f.TextDelta("I wait.")),
        ("a", f.AssistantMessage((Text("I wait."),), "end_turn")),
        ("a", f.ExchangeResponse(True, "no_more_actions", "end_turn", 1, "I wait.")),
    )
    said = told(stored, "b")
    assert [each["type"] for each in said] == ["text_chunk", "agent_step", "complete"]
    assert {each["message_id"] for each in said} == {"b"}


@pytest.mark.requirement("T16")
def test_an_agent_of_a_single_pass_streams_and_names_the_files_it_saved() -> None:
    stored = rows(Path("tests/golden/v1/stream-agent.jsonl"))
    message_id = msgspec.json.decode(stored[0][1])["message_id"]
    kinds = [each["type"] for each in told(stored, message_id, piece_of("StreamAgent"))]
    assert "text_chunk" not in kinds
    assert set(kinds) >= {"stream", "file_ready", "complete"}
