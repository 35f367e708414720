"""The blocks of a finished chat completion, and why it stopped."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from bottega.messages.block import Block, Image, Reasoning, Text, ToolUse
from bottega.messages.message import StopReason
from bottega.providers.openai.chat_calls import Call
from bottega.providers.openai.chat_extras import Ran
from bottega.providers.surrogates import Growing

_STOPS: dict[str, StopReason] = {
    "stop": "end_turn",
    "end_turn": "end_turn",
    "eos": "end_turn",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "model_length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "stop_sequence": "stop_sequence",
    "content_filter": "refusal",
    "refusal": "refusal",
    "safety": "refusal",
    "sensitive": "refusal",
}

FAULTS = ("error", "network_error", "insufficient_system_resource", "abort")
"""Words for an answer that broke at the provider."""


class Said:
    """A stretch of text, or of reasoning."""

    __slots__ = ("field", "grown", "kind")

    def __init__(self, kind: Literal["text", "reasoning"], field: str) -> None:
        self.kind = kind
        self.field = field
        self.grown = Growing()


def stop_reason(word: str, content: Sequence[Block], *, refused: bool) -> StopReason:
    """Our word for why the answer ended."""
    stop = _STOPS.get(word.lower(), "end_turn")
    if stop not in ("end_turn", "tool_use"):
        return stop
    # Many say `stop` though they call a tool, and a few the reverse.
    if any(isinstance(block, ToolUse) and not block.server for block in content):
        return "tool_use"
    return "refusal" if refused else "end_turn"


def contents(
    parts: Sequence[Said | Call | Ran | Image], stop: str, details: list[dict[str, Any]]
) -> list[Block]:
    """All parts as blocks; a call in whose arguments the answer stopped is malformed."""
    cut = _STOPS.get(stop.lower()) in ("max_tokens", "refusal")
    last = next((part for part in reversed(parts) if isinstance(part, Call)), None)
    content: list[Block] = []
    for part in parts:
        if isinstance(part, Said):
            content.append(_said(part))
        elif isinstance(part, Call):
            content.append(part.block(cut=cut and part is last))
        elif isinstance(part, Ran):
            content += part.blocks()
        else:
            content.append(part)
    if details:
        _seal(content, details)
    return content


def _said(part: Said) -> Block:
    if part.kind == "text":
        return Text(part.grown.text)
    raw = {"field": part.field} if part.field else None
    return Reasoning(part.grown.text, origin="openai-chat", raw=raw)


def _seal(content: list[Block], details: list[dict[str, Any]]) -> None:
    """Keep the details with the first thought: they go back as one list."""
    for place, block in enumerate(content):
        if isinstance(block, Reasoning):
            raw = {**(block.raw or {}), "details": details}
            content[place] = msgspec.structs.replace(block, raw=raw)
            return
    content.insert(0, Reasoning("", origin="openai-chat", raw={"details": details}))
