"""Messages are values: a role, blocks of eight kinds, and the same bytes there and back."""

import msgspec
import pytest

from bottega.messages.block import (
    Audio,
    Block,
    Document,
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
from bottega.messages.message import Message, Usage, user

BLOCKS: tuple[Block, ...] = (
    Text("hello"),
    Reasoning("hm", "anthropic", "seal"),
    ToolUse("a", "read_file", {"path": "x"}),
    ToolUse("s", "web_search", server=True),
    ToolResult("a", (Text("fine"), Image("image/png", "aGk="))),
    Image("image/png", blob="f00d"),
    Audio("audio/wav", "aGk="),
    Document("application/pdf", "aGk=", name="a.pdf"),
    Sources((Source("a page", "https://example.org"),)),
)


@pytest.mark.requirement("A15", "A16")
@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_message_of_any_role_and_any_blocks_survives_its_bytes(role: str) -> None:
    message = Message(role, BLOCKS, 17)  # type: ignore[arg-type]
    stored = msgspec.json.encode(message)
    assert msgspec.json.decode(stored, type=Message) == message


@pytest.mark.requirement("A16")
def test_each_block_says_its_type() -> None:
    types = [msgspec.to_builtins(block)["type"] for block in BLOCKS]
    assert types == [
        "text",
        "reasoning",
        "tool_use",
        "tool_use",
        "tool_result",
        "image",
        "audio",
        "document",
        "sources",
    ]


@pytest.mark.requirement("A15")
def test_a_role_that_does_not_exist_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="role"):
        msgspec.json.decode(b'{"role": "wizard", "content": []}', type=Message)


@pytest.mark.requirement("C15")
def test_reasoning_is_no_part_of_the_text() -> None:
    assert plain_text((Reasoning("secretly"), Text("a"), Text("b"))) == "ab"


def test_calls_that_the_provider_ran_are_not_ours_to_answer() -> None:
    assert [use.id for use in tool_uses(BLOCKS)] == ["a"]


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3, 4, 5) + Usage(10, 20, 30, 40, 50) == Usage(11, 22, 33, 44, 55)


def test_a_message_is_a_value() -> None:
    with pytest.raises(AttributeError):
        user("hi").role = "assistant"  # type: ignore[misc]
