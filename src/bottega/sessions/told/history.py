"""What the model has seen and said, folded from the log. Not repaired: `messages.repair` makes it fit a provider.

Only whole things count: an answer that broke off, was void or is still streaming leaves nothing here. A compaction
changes what is seen, never what is stored, so undoing one needs nothing but its own fact.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Union

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


_SEEN = (
    *(f.UserMessage, f.AssistantMessage, f.ToolResultFact, f.Aside),
    *(f.Compaction, f.CompactionUndone, f.SessionReset, f.SessionCleared),
)
"""The facts that what the model sees is made of."""


def _stored(kind: Any) -> Any:
    """How a fact of this kind stands in the log; of one that says nothing the data is left out."""
    says_nothing = not msgspec.structs.fields(kind)
    data = ("data", kind, kind()) if says_nothing else ("data", kind)
    fields = [("at", int), data, ("v", int, 1)]
    return msgspec.defstruct(
        f"_{kind.__name__}", fields, gc=False, tag_field="type", tag=f.NAMES[kind]
    )


_TOLD = tuple(f'{{"type":"{f.NAMES[kind]}"'.encode() for kind in _SEEN)
_read = msgspec.json.Decoder(Union[tuple(map(_stored, _SEEN))]).decode  # noqa: UP007 - made, not written


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
