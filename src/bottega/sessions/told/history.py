"""What the model has seen and said, folded from the log. Not repaired: `messages.repair` makes it fit a provider.

Only whole things count: an answer that broke off, was void or is still streaming leaves nothing here. A compaction
changes what is seen, never what is stored, so undoing one needs nothing but its own fact.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from bottega.events import facts as f
from bottega.events.codec import VERSION, decode
from bottega.messages.aside import alone, around
from bottega.messages.block import ToolResult
from bottega.messages.message import Message
from bottega.sessions.feed import Row
from bottega.sessions.told.compacted import compacted

Told = tuple[int, Message]
"""A message and the index of its fact; of what stands for others, the last index that it stands for."""


class _User(msgspec.Struct, gc=False, tag_field="type", tag="user_message"):
    at: int
    data: f.UserMessage
    v: int = 1


class _Assistant(msgspec.Struct, gc=False, tag_field="type", tag="assistant_message"):
    at: int
    data: f.AssistantMessage
    v: int = 1


class _Result(msgspec.Struct, gc=False, tag_field="type", tag="tool_result"):
    at: int
    data: f.ToolResultFact
    v: int = 1


class _Aside(msgspec.Struct, gc=False, tag_field="type", tag="aside"):
    at: int
    data: f.Aside
    v: int = 1


class _Compaction(msgspec.Struct, gc=False, tag_field="type", tag="compaction"):
    at: int
    data: f.Compaction
    v: int = 1


class _Undone(msgspec.Struct, gc=False, tag_field="type", tag="compaction_undone"):
    at: int
    data: f.CompactionUndone
    v: int = 1


class _Reset(msgspec.Struct, gc=False, tag_field="type", tag="session_reset"):
    at: int
    data: f.SessionReset = f.SessionReset()
    v: int = 1


class _Cleared(msgspec.Struct, gc=False, tag_field="type", tag="session_cleared"):
    at: int
    data: f.SessionCleared = f.SessionCleared()
    v: int = 1


_Fact = _User | _Assistant | _Result | _Aside | _Compaction | _Undone | _Reset | _Cleared
_TOLD = tuple(b'{"type":"%s"' % kind.__struct_config__.tag.encode() for kind in _Fact.__args__)
_read = msgspec.json.Decoder(_Fact).decode


def replay(rows: Iterable[Row]) -> list[Message]:
    """The model's history from stored rows, oldest first, in one pass: what it does not show is not decoded."""
    return [message for _, message in indexed(rows)]


def indexed(rows: Iterable[Row]) -> list[Told]:
    """The same, each message with its place in the log."""
    told: list[Told] = []
    compactions: dict[int, tuple[int, f.Compaction]] = {}
    for index, at, said in _facts(rows):
        kind = said.__class__
        if kind is f.UserMessage:
            told.append((index, Message("user", said.content, at)))
        elif kind is f.AssistantMessage:
            told.append((index, Message("assistant", said.content, at, said.asked)))
        elif kind is f.ToolResultFact:
            result = ToolResult(said.tool_id, said.content, said.is_error)
            told.append((index, Message("tool", (result,), at)))
        elif kind is f.Aside:
            _tell_aside(told, index, at, said)
        elif kind is f.Compaction:
            compactions[index] = at, said
        elif kind is f.CompactionUndone:
            compactions.pop(said.compaction, None)
        elif kind is f.SessionReset or kind is f.SessionCleared:
            told, compactions = [], {}
    return compacted(told, list(compactions.values())) if compactions else told


def _facts(rows: Iterable[Row]) -> Iterator[tuple[int, int, Any]]:
    for index, body in rows:
        if body.startswith(_TOLD):
            try:
                told = _read(body)
            except msgspec.ValidationError:
                told = None
            fact = told if told and told.v == VERSION else decode(index, body)
            yield index, fact.at, fact.data


def _tell_aside(told: list[Told], index: int, at: int, aside: f.Aside) -> None:
    """Around the user's last words, if nobody has answered them; else as a message of its own."""
    place, message = told[-1] if told else (0, None)
    if message is not None and message.role == "user":
        told[-1] = place, around(message, aside.before, aside.after)
    elif aside.before or aside.after:
        told.append((index, alone(aside.before, aside.after, at)))
