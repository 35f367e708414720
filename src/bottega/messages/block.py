"""The parts of a message. Frozen values; `type` says which.

A block may carry what only its provider understands: `origin` names the wire protocol that wrote
it, `signature` and `raw` go back to that protocol byte for byte and to no other (see `repair`).
"""

from typing import Any, Literal

import msgspec

Origin = Literal["", "openai-chat", "openai-responses", "anthropic", "gemini"]


class Text(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag="text"):
    text: str
    origin: Origin = ""
    signature: str = ""
    aside: bool = False
    """Told to the model beside what the user said; nobody's words."""


class Reasoning(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag="reasoning"):
    """What the model thought; never part of the answer."""

    text: str
    origin: Origin = ""
    signature: str = ""
    """The provider's seal on the thought: must go back unchanged, or not at all."""
    raw: dict[str, Any] | None = None
    """The provider's own item, where text and signature do not say it all (redacted thoughts)."""
    said: bool = False
    """It was written into the answer, as a THOUGHT: it goes back to every model in those words."""


class Media(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Bytes that a model may look at or listen to, inline or kept as a blob of the session."""

    media_type: str
    data: str = ""
    """Base64; empty while `blob` names the bytes."""
    blob: str = ""
    """The sha256 of the bytes in the session's blobs."""
    name: str = ""


class Image(Media, frozen=True, omit_defaults=True, tag="image"):
    pass


class Audio(Media, frozen=True, omit_defaults=True, tag="audio"):
    pass


class Document(Media, frozen=True, omit_defaults=True, tag="document"):
    pass


class ToolUse(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag="tool_use"):
    id: str
    name: str
    input: dict[str, Any] = {}
    malformed: str = ""
    """The arguments as the model wrote them, if they are no JSON object; it is never run."""
    server: bool = False
    """The provider ran this tool itself; its result stands in the same message."""
    origin: Origin = ""
    signature: str = ""
    raw: dict[str, Any] | None = None


class ToolResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag="tool_result"):
    tool_id: str
    content: tuple[Text | Image | Audio | Document, ...] = ()
    is_error: bool = False
    server: bool = False
    origin: Origin = ""
    raw: dict[str, Any] | None = None


class Source(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    title: str
    url: str = ""


class Sources(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag="sources"):
    """Where a grounded answer says it comes from."""

    sources: tuple[Source, ...] = ()


Block = Text | Reasoning | Image | Audio | Document | ToolUse | ToolResult | Sources


def plain_text(blocks: tuple[Block, ...]) -> str:
    """What was said, without reasoning and asides."""
    return "".join(block.text for block in blocks if isinstance(block, Text) and not block.aside)


def tool_uses(blocks: tuple[Block, ...]) -> list[ToolUse]:
    """The calls that are ours to answer."""
    return [block for block in blocks if isinstance(block, ToolUse) and not block.server]
