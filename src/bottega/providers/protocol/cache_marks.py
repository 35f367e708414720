"""Cache marks: Anthropic caches nothing unasked, and OpenRouter passes the wish on.

A mark says that the request up to here may be kept. The next request must find the same place again, so the end of the
request before is marked too: it is where the user's side spoke last, before the model's last answer. Marks are no part
of what is compared; all else of the beginning stays the same, byte for byte.
"""

from itertools import pairwise
from typing import Any

MARK = {"type": "ephemeral"}
"""For five minutes, which begin anew with each hit."""
MOST = 4
"""How many marks one request may hold; three are used: the system prompt, the last end and the one before."""

_Wire = dict[str, Any]
_END: _Wire = {"role": "assistant"}
"""What is to come."""


def mark_turns(turns: list[_Wire]) -> None:
    """Mark the ends of the user's last two turns in a conversation of the Messages protocol."""
    spoken = [turn for turn in turns if turn["role"] == "user"]
    for turn in spoken[-2:]:
        turn["content"][-1]["cache_control"] = MARK


def mark_chat(messages: list[_Wire]) -> list[_Wire]:
    """A chat completion's messages with marks, which only parts of text can hold: so all texts are parts, always."""
    parted = [_parted(message) for message in messages]
    firm = [message for message in parted[:1] if message["role"] == "system"]
    ends = [message for message, after in pairwise((*parted, _END)) if _is_end(message, after)]
    for message in (*firm, *ends[-2:]):
        _mark_text(message["content"])
    return parted


def _parted(message: _Wire) -> _Wire:
    said = message["content"]
    if message["role"] == "assistant" or not isinstance(said, str):
        return message
    return {**message, "content": [{"type": "text", "text": said}]}


def _is_end(message: _Wire, after: _Wire) -> bool:
    return message["role"] in ("user", "tool") and after["role"] == "assistant"


def _mark_text(parts: list[_Wire]) -> None:
    for part in reversed(parts):
        if part["type"] == "text" and part["text"].strip():
            part["cache_control"] = MARK
            return
