"""How the built-in providers cut a text into pieces and count what has no tokeniser."""

import re

from bottega.messages.block import Reasoning, Text, ToolResult, ToolUse
from bottega.providers.provider import Request

_WORD = re.compile(r"\s+\S*|\S+")


def pieces_of(text: str, count: int = 0) -> list[str]:
    """The text in about `count` equal pieces, or word by word; joined they are the text again."""
    if count <= 0:
        return _WORD.findall(text)
    size = max(1, -(-len(text) // count))
    return [text[start : start + size] for start in range(0, len(text), size)]


def estimated_tokens(request: Request) -> int:
    """Four characters a token, about: for answers that no tokeniser has seen."""
    size = len(request.system)
    for message in request.messages:
        for block in message.content:
            match block:
                case Text(text=text) | Reasoning(text=text):
                    size += len(text)
                case ToolUse(input=given):
                    size += len(str(given))
                case ToolResult(content=parts):
                    size += sum(len(part.text) for part in parts if isinstance(part, Text))
                case _:
                    pass
    return size // 4 + 1
