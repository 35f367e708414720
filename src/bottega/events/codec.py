"""Events to bytes and back. Stored bytes are never rewritten: this reads every version there was.

The body holds everything but `index`, which is a column. An unknown type keeps its `data` as raw
bytes: a newer program's events pass through an older one unharmed. What comes from elsewhere is
written anew before it is stored: queries look at how a body begins, so no spelling of others counts.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

from bottega.events.event import Actor, Carried, Event
from bottega.events.facts import FACTS

_LAST_TIME = 253_402_300_799_999
"""Milliseconds until the end of the year 9999, after which no calendar here knows a day."""
_MOST = 2**53 - 1

VERSION = 1
"""The version of the bytes that this program writes."""


def build_decoders() -> None:
    """Build what msgspec needs to decode each struct that was imported, before several threads decode any.

    It is built at the first use otherwise, and a thread that comes to one of which another has built a part ends the
    process.
    """
    for struct in tuple(_structs(msgspec.Struct)):
        with suppress(Exception):  # some, of others too, have fields that are never decoded
            msgspec.json.Decoder(struct)


def _structs(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in base.__subclasses__():
        yield each
        yield from _structs(each)


class _Body(msgspec.Struct, omit_defaults=True, gc=False):
    type: str
    at: int
    data: Any = {}
    message_id: str = ""
    step: int = 0
    attempt: int = 0
    actor: Actor = "system"
    v: int = 1


class _RawBody(msgspec.Struct, gc=False):
    type: str
    at: int
    data: msgspec.Raw = msgspec.Raw(b"{}")
    message_id: str = ""
    step: int = 0
    attempt: int = 0
    actor: str = "system"
    v: int = 1


UPCASTS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""(type, version) → what turns that version's `data` into the next version's."""

_encoder = msgspec.json.Encoder()
_read_body = msgspec.json.Decoder(_RawBody).decode
_readers = {name: msgspec.json.Decoder(struct).decode for name, struct in FACTS.items()}


def encode(event: Event) -> bytes:
    """The body of a fact, once and for all: the same bytes go to the log and to every client."""
    if isinstance(event, Carried):
        return event.body
    return _encoder.encode(
        _Body(
            event.type,
            event.at,
            event.data,
            event.message_id,
            event.step,
            event.attempt,
            event.actor,
            VERSION,
        )
    )


def decode(index: int, body: bytes) -> Event:
    """The event that was stored under `index`; unknown types come back with raw `data`."""
    raw = _read_body(body)
    return Event(
        raw.type,
        raw.at,
        _decode_payload(raw),
        raw.message_id,
        raw.step,
        raw.attempt,
        raw.actor,  # pyright: ignore[reportArgumentType]
        index,
    )


def carried(index: int, body: bytes) -> Carried:
    """The fact that another log or a file holds under `index`, with its body as this program writes it."""
    raw = _read_body(body)
    if not (0 <= raw.at <= _LAST_TIME and 0 <= raw.step <= _MOST and 0 <= raw.attempt <= _MOST):
        raise msgspec.ValidationError("Its time, step or attempt cannot be true")
    data = _decode_payload(raw)
    envelope = (raw.message_id, raw.step, raw.attempt, sys.intern(raw.actor))
    kept, version = data, VERSION
    if isinstance(data, msgspec.Raw):  # a newer program's
        kept, version = msgspec.Raw(msgspec.json.format(bytes(data), indent=-1)), raw.v
    written = _encoder.encode(_Body(raw.type, raw.at, kept, *envelope, version))  # pyright: ignore[reportArgumentType]
    return Carried(raw.type, raw.at, data, *envelope, index, body=written)  # pyright: ignore[reportArgumentType]


def _decode_payload(raw: _RawBody) -> Any:
    reader = _readers.get(raw.type)
    if reader is None or raw.v > VERSION:
        return msgspec.Raw(bytes(raw.data))
    if raw.v == VERSION:
        return reader(raw.data)
    payload = msgspec.json.decode(raw.data)
    for version in range(raw.v, VERSION):
        if upcast := UPCASTS.get((raw.type, version)):
            payload = upcast(payload)
    return msgspec.convert(payload, FACTS[raw.type])


def line(session_id: str, event: Event) -> bytes:
    """One event as a JSON line for people and programs outside: flat envelope, fact or derived."""
    return _encoder.encode(
        {
            "session_id": session_id,
            "index": event.index,
            "sub": event.sub,
            "type": event.type,
            "at": event.at,
            "message_id": event.message_id,
            "step": event.step,
            "attempt": event.attempt,
            "actor": event.actor,
            "data": event.data,
        }
    )
