"""The events of a Messages stream as typed values.

Only what is read for every piece of text has a strict type; the rest is looked at where it is used.
"""

from typing import Any

import msgspec


class Delta(msgspec.Struct, gc=False):
    """Of a block (`text_delta` …), or of the message (`stop_reason`)."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    signature: str | None = None
    citation: Any = None
    stop_reason: str | None = None
    stop_details: Any = None


class Message(msgspec.Struct, gc=False):
    type: str | None = None
    model: str | None = None
    usage: Any = None
    content: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    stop_details: Any = None
    error: Any = None


class Event(msgspec.Struct, gc=False):
    type: str | None = None
    index: int = 0
    delta: Delta | None = None
    content_block: dict[str, Any] | None = None
    message: Message | str | None = None
    usage: Any = None
    error: Any = None


read = msgspec.json.Decoder(Event).decode
read_message = msgspec.json.Decoder(Message).decode

STREAMED = frozenset({"text", "thinking", "partial_json"})
"""Where a piece of text may end in half a character."""
