"""A finished call. One whose arguments are no JSON object is kept as it was written, never run."""

from typing import Any

from bottega.messages.block import ToolUse
from bottega.providers.protocol.loose_json import arguments

NAMELESS = "unnamed"
"""The name of a call that came without one: no tool is called so, and the model is told."""

_CUT_OFF = "(cut off before the arguments)"


def finished_call(
    id: str, name: str, text: str, *, cut: bool, raw: dict[str, Any] | None = None
) -> ToolUse:
    """The call with these arguments; `cut` says that the answer stopped in it."""
    found = arguments(text)
    malformed = text if found is None else _CUT_OFF if cut and not text.strip() else ""
    origin = "openai-chat" if raw else ""
    return ToolUse(id, name, found or {}, malformed, origin=origin, raw=raw)
