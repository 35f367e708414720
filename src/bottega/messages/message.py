"""A message: a role and its blocks. `tool` messages hold tool results, one a call (A27)."""

from typing import Literal

import msgspec

from bottega.messages.block import Block, Text

Role = Literal["user", "assistant", "tool"]

StopReason = Literal[
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "refusal",
    "cancelled",
    "limit",
    "interrupted",
    "error",
]


class Message(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    role: Role
    content: tuple[Block, ...]
    at: int = 0
    """Milliseconds UTC, for display."""
    model: str = ""
    """The model that was asked for this answer, as the user names it."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens of one answer. `input_tokens` counts all input, the cached part included."""

    input_tokens: int = 0
    output_tokens: int = 0
    """All output, reasoning included."""
    cached_tokens: int = 0
    """Input read from the provider's cache."""
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


def user(text: str) -> Message:
    return Message("user", (Text(text),))
