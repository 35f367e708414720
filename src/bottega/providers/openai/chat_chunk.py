"""The frame of a chat completion's events. Only the frame is typed: whatever stands in it may be of
any type, and what makes no sense is passed over.
"""

from typing import Any

import msgspec


class Delta(msgspec.Struct, gc=False):
    """A piece of the message; a whole message has the same parts."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: Any = None
    reasoning_details: Any = None
    refusal: Any = None
    annotations: Any = None
    executed_tools: Any = None
    images: Any = None
    function_call: Any = None


class Choice(msgspec.Struct, gc=False):
    index: Any = 0
    delta: Delta | None = None
    message: Delta | None = None
    finish_reason: Any = None
    usage: Any = None
    error: Any = None


class Chunk(msgspec.Struct, gc=False):
    choices: list[Choice] | None = None
    model: Any = None
    usage: Any = None
    error: Any = None
    object: Any = None
    x_groq: Any = None
    citations: Any = None
    search_results: Any = None


decode = msgspec.json.Decoder(Chunk).decode

STREAMED = frozenset({"content", "reasoning", "reasoning_content", "refusal", "arguments"})
"""The strings that are pieces of a longer text."""
