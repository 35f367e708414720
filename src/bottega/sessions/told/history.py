"""What the model has seen and said, folded from the log. Not repaired: `messages.repair` makes it fit a provider.

Only whole things count: an answer that broke off, was void or is still streaming leaves nothing here.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from bottega.events import facts as f
from bottega.events.codec import VERSION, decode
from bottega.messages.aside import alone, around
from bottega.messages.block import Text, ToolResult
from bottega.messages.message import Message
from bottega.sessions.feed import Row


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


_TOLD = tuple(
    b'{"type":"%s"' % str(kind.__struct_config__.tag).encode()
    for kind in (_User, _Assistant, _Result, _Aside, _Compaction)
)
_read = msgspec.json.Decoder(_User | _Assistant | _Result | _Aside | _Compaction).decode


def replay(rows: Iterable[Row]) -> list[Message]:
    """The model's history from stored rows, oldest first, in one pass: what it does not show is not decoded."""
    return _messages(_told(rows))


def _told(rows: Iterable[Row]) -> Iterator[tuple[int, int, Any]]:
    for index, body in rows:
        if body.startswith(_TOLD):
            try:
                told = _read(body)
            except msgspec.ValidationError:
                told = None
            fact = told if told and told.v == VERSION else decode(index, body)
            yield index, fact.at, fact.data


def _messages(facts: Iterable[tuple[int, int, Any]]) -> list[Message]:
    told: list[tuple[int, Message]] = []
    for index, at, said in facts:
        kind = said.__class__
        if kind is f.UserMessage:
            told.append((index, Message("user", said.content, at)))
        elif kind is f.AssistantMessage:
            told.append((index, Message("assistant", said.content, at, said.asked)))
        elif kind is f.ToolResultFact:
            result = ToolResult(said.tool_id, said.content, said.is_error)
            told.append((index, Message("tool", (result,), at)))
        elif kind is f.Aside:
            if told and told[-1][1].role == "user":
                told[-1] = (told[-1][0], around(told[-1][1], said.before, said.after))
            else:
                told.append((index, alone(said.before, said.after, at)))
        elif kind is f.Compaction:
            summary = Message("user", (Text(said.summary),), at)
            told = [(said.upto, summary), *(pair for pair in told if pair[0] > said.upto)]
    return [message for _, message in told]
