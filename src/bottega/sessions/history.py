"""What the model has seen and said, folded from the log. Not repaired: `messages.repair` makes it fit a provider.

Only whole things count: an answer that broke off, was void or is still streaming leaves nothing here.
"""

from collections.abc import Iterable
from typing import Any, cast

from bottega.events import facts as f
from bottega.events.event import Event
from bottega.messages.block import Text, ToolResult
from bottega.messages.message import Message


def messages_of(facts: Iterable[Event]) -> list[Message]:
    """The model's history, oldest first; deltas among the facts change nothing."""
    told: list[tuple[int, Message]] = []
    for fact in facts:
        said = fact.data
        kind = cast(Any, type(said))
        if kind is f.UserMessage:
            told.append((fact.index, Message("user", said.content, fact.at)))
        elif kind is f.AssistantMessage:
            told.append((fact.index, Message("assistant", said.content, fact.at)))
        elif kind is f.ToolResultFact:
            result = ToolResult(said.tool_id, said.content, said.is_error)
            told.append((fact.index, Message("tool", (result,), fact.at)))
        elif kind is f.Compaction:
            summary = Message("user", (Text(said.summary),), fact.at)
            told = [(said.upto, summary), *(pair for pair in told if pair[0] > said.upto)]
    return [message for _, message in told]
