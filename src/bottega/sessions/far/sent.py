"""A prompt as a server takes it, whoever sends it there: the same prompt is the same bytes."""

from collections.abc import Sequence
from typing import Any

import msgspec

from bottega.messages.block import Block
from bottega.sessions.inbox import Prompt


class _Said(msgspec.Struct, omit_defaults=True):
    message_id: str
    content: Sequence[Block]
    model: str = ""
    agent: str = ""
    mode: str = ""
    wishes: Any = {}
    schema: dict[str, Any] | None = None
    steer: bool = False
    attended: bool = True
    hops: int = 0


def sent(prompt: Prompt, mode: str = "") -> bytes:
    """A prompt as a server takes it; the same prompt is the same bytes."""
    return msgspec.json.encode(
        _Said(
            prompt.message_id,
            prompt.content,
            prompt.model,
            prompt.agent,
            mode,
            msgspec.to_builtins(prompt.wishes),
            prompt.schema,
            prompt.steer,
            prompt.attended,
            prompt.hops,
        )
    )
