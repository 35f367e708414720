"""The events of a Messages stream as typed values.

Only what is read for every piece of text has a strict type; the rest is looked at where it is used.
"""

from typing import Any

import msgspec

from bottega.providers import json_text


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
_read_message = msgspec.json.Decoder(Message).decode


def read_slowly(data: bytes) -> Event:
    """The same for an event with halves of surrogate pairs; raises `ValueError` for anything else.

    The texts of a delta keep their halves: the next delta may hold the other one.
    """
    found = json_text.read(data)
    event = msgspec.convert(json_text.mended(found), Event)
    if event.delta is not None:
        said = found["delta"]
        event.delta.text = said.get("text")
        event.delta.thinking = said.get("thinking")
        event.delta.partial_json = said.get("partial_json")
    return event


def read_message(body: bytes) -> Message:
    """A non-streaming answer; raises `ValueError` where it is none."""
    try:
        return _read_message(body)
    except (ValueError, RecursionError):
        return msgspec.convert(json_text.mended(json_text.read(body)), Message)
