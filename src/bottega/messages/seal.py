"""Seals hold only for the model that set them: another one, even of the same provider, may refuse the request."""

from collections.abc import Sequence

import msgspec

from bottega.messages.block import Block, Reasoning, Text, ToolUse
from bottega.messages.message import Message


def unsealed(messages: Sequence[Message], model: str) -> Sequence[Message]:
    """The history without thoughts and seals of other models; the same one where there are none."""
    if all(not message.model or message.model == model for message in messages):
        return messages
    return [
        _opened(message) if message.model and message.model != model else message
        for message in messages
    ]


def _opened(message: Message) -> Message:
    content = tuple(_plain(block) for block in message.content if not _is_sealed(block))
    return msgspec.structs.replace(message, content=content)


def _is_sealed(block: Block) -> bool:
    return isinstance(block, Reasoning) and not block.said


def _plain(block: Block) -> Block:
    if isinstance(block, Text) and block.signature:
        return msgspec.structs.replace(block, signature="")
    if isinstance(block, ToolUse) and not block.server and (block.signature or block.raw):
        return msgspec.structs.replace(block, signature="", raw=None)
    return block
