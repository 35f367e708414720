"""What one model sealed does not go to another."""

from bottega.messages.block import Reasoning, Text, ToolUse
from bottega.messages.message import Message, user
from bottega.messages.seal import unsealed

THOUGHT = Reasoning("hm", "anthropic", "seal")
CALL = ToolUse("call_1", "look", {"at": 1}, origin="anthropic", signature="seal")


def history(*answers: Message) -> list[Message]:
    return [user("hi"), *answers]


def test_the_same_model_gets_its_history_as_it_is() -> None:
    told = history(Message("assistant", (THOUGHT, Text("yes"), CALL), model="anthropic/one"))
    assert unsealed(told, "anthropic/one") is told


def test_another_model_gets_the_words_and_the_calls_without_thoughts_and_seals() -> None:
    told = history(
        Message("assistant", (THOUGHT, Text("yes"), CALL), model="anthropic/one"),
        Message("assistant", (THOUGHT, Text("no")), model="anthropic/two"),
    )
    first, second, third = unsealed(told, "anthropic/two")
    assert first is told[0]
    assert second.content == (Text("yes"), ToolUse("call_1", "look", {"at": 1}, origin="anthropic"))
    assert third is told[2]


def test_an_answer_of_an_unknown_model_is_left_to_repair() -> None:
    told = history(Message("assistant", (THOUGHT, Text("yes"))))
    assert unsealed(told, "anthropic/two") is told
