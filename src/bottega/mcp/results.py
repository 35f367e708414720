"""What a server answers, as an outcome: texts and structure to read, pictures, sound and documents to look at.

A link is named and never followed.
"""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

import mcp_types as wire

from bottega.mcp.problems import plain
from bottega.messages.block import Audio, Document, Image
from bottega.messages.json_size import MOST_MESSAGE, check_size, members_of
from bottega.tools.tool import Outcome, failure, success

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LARGEST_MEDIA = 5 * 1024 * 1024
"""Bytes of one picture, recording or document."""
MOST_MEDIA = 20

Tidy = Callable[[str], str]
Media = Image | Audio | Document


class _Gathered:
    """What was found so far: things to read, in order, and things to look at."""

    def __init__(self, tidy: Tidy) -> None:
        self.read: list[Any] = []
        self.media: list[Media] = []
        self._tidy = tidy

    def text(self, text: str) -> None:
        self.read.append(self._tidy(text))

    def shown(self, data: str, media_type: str, name: str = "") -> None:
        kind = media_type.partition(";")[0].strip().lower()
        if (text := _as_text(kind, data)) is not None:
            return self.text(text)
        made = _media(kind, data, name)
        if isinstance(made, str):
            self.text(
                f"[{plain(kind, 60) or 'Something'}{f' {plain(name, 200)}' if name else ''}: {made}]"
            )
        elif len(self.media) == MOST_MEDIA:
            self.text("[One more thing to look at is left out.]")
        else:
            self.media.append(made)
        return None

    def block(self, block: wire.ContentBlock) -> None:
        match block:
            case wire.TextContent():
                self.text(block.text)
            case wire.ImageContent() | wire.AudioContent():
                self.shown(block.data, block.mime_type)
            case wire.EmbeddedResource():
                self.resource(block.resource)
            case wire.ResourceLink():
                self.read.append(link(block, self._tidy))

    def resource(self, found: wire.TextResourceContents | wire.BlobResourceContents) -> None:
        if isinstance(found, wire.TextResourceContents):
            told = {"uri": found.uri, "type": found.mime_type or "text/plain"}
            self.read.append({**told, "text": self._tidy(found.text)})
        else:
            self.shown(found.blob, found.mime_type or "application/octet-stream", found.uri)


def outcome(result: wire.CallToolResult, tidy: Tidy) -> Outcome:
    """A tool's answer; one that says that it failed is an error."""
    gathered = _Gathered(tidy)
    for block in result.content:
        gathered.block(block)
    structured = _tidied(result.structured_content, tidy)
    if result.is_error:
        texts = [each if isinstance(each, str) else json.dumps(each) for each in gathered.read]
        said = "\n".join(texts) or (json.dumps(structured) if structured else "It gave no reason.")
        return failure(said, "TOOL_FAILED")
    return success(_result(gathered.read, structured), tuple(gathered.media))


def contents(result: wire.ReadResourceResult, tidy: Tidy) -> Outcome:
    """A resource's content."""
    gathered = _Gathered(tidy)
    for each in result.contents:
        gathered.resource(each)
    return success(_result(gathered.read, None), tuple(gathered.media))


def link(resource: wire.Resource, tidy: Tidy) -> dict[str, Any]:
    told = {
        "uri": resource.uri,
        "name": resource.name,
        "description": resource.description,
        "type": resource.mime_type,
        "size": resource.size,
    }
    return {key: _tidied(value, tidy) for key, value in told.items() if value is not None}


def spoken(messages: Sequence[wire.PromptMessage], tidy: Tidy) -> str:
    """A prompt's messages as one text; who says what is told where it is not the user alone."""
    alone = all(message.role == "user" for message in messages)
    parts: list[str] = []
    for message in messages:
        gathered = _Gathered(tidy)
        gathered.block(message.content)
        texts = [
            each if isinstance(each, str) else str(each.get("text", each)) for each in gathered.read
        ]
        text = "\n".join(texts) or "[Something to look at, which a prompt cannot show.]"
        parts.append(text if alone else f"{message.role.capitalize()}: {text}")
    return "\n\n".join(parts)


def _result(read: list[Any], structured: Any) -> Any:
    if structured is None:
        return read[0] if len(read) == 1 else read
    # Servers say what is structured a second time as text.
    room = MOST_MESSAGE
    rest: list[Any] = []
    for each in read:
        if isinstance(each, str) and room > 0:
            room -= members_of(each.encode("utf-8", "surrogatepass"), room)
            if room >= 0 and _parsed(each) == structured:
                continue
        rest.append(each)
    return {"structured": structured, "content": rest} if rest else structured


def _parsed(text: str) -> Any:
    try:
        check_size(text, MOST_MESSAGE)
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tidied(value: Any, tidy: Tidy) -> Any:
    match value:
        case str():
            return tidy(value)
        case dict():
            return {tidy(str(key)): _tidied(each, tidy) for key, each in value.items()}  # pyright: ignore
        case list():
            return [_tidied(each, tidy) for each in value]  # pyright: ignore
        case _:
            return value


def _as_text(kind: str, data: str) -> str | None:
    """Bytes that are said to be text, and are."""
    if not kind.startswith("text/") and kind not in ("application/json", "application/xml"):
        return None
    try:
        return base64.b64decode(data, validate=True).decode()
    except ValueError:
        return None


def _media(kind: str, data: str, name: str) -> Media | str:
    """Something to look at, or why it cannot be."""
    try:
        size = len(base64.b64decode(data, validate=True))
    except ValueError:
        return "it is not encoded as it should be, and left out"
    if size > LARGEST_MEDIA:
        return f"{size:,} bytes, too large to look at"
    if kind in _PICTURES:
        return Image(kind, data, name=name)
    if kind.startswith("audio/"):
        return Audio(kind, data, name=name)
    if kind == "application/pdf":
        return Document(kind, data, name=name)
    return f"{size:,} bytes, which cannot be shown"
