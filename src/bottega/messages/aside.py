"""Asides in a history: what the model is told around the user's words, or after results, and is nobody's words."""

from bottega.messages.block import Block, Text
from bottega.messages.message import Message


def around(said: Message, before: str, after: str) -> Message:
    """The user's message with these asides at both ends."""
    content = (*_block(before), *said.content, *_block(after))
    return Message(said.role, content, said.at, said.model)


def alone(before: str, after: str, at: int = 0) -> Message:
    """The asides as a message of their own: where the user has said nothing since the last answer."""
    return Message("user", (*_block(before), *_block(after)), at)


def is_only_asides(message: Message) -> bool:
    """Whether nobody said anything in it."""
    return bool(message.content) and all(
        isinstance(block, Text) and block.aside for block in message.content
    )


def _block(text: str) -> tuple[Block, ...]:
    return (Text(text, aside=True),) if text else ()
