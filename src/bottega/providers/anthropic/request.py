"""A request as the Messages API wants it: roles alternate, results first, thoughts go back sealed.

What stays the same (tools, system) and the user's last two turns are marked for the prompt cache.
"""

import re
from typing import Any

from bottega.messages.block import (
    Block,
    Document,
    Image,
    Media,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Message
from bottega.providers.anthropic import thinking
from bottega.providers.protocol import abilities
from bottega.providers.protocol.cache_marks import MARK, mark_turns
from bottega.providers.protocol.json_values import encode
from bottega.providers.protocol.schemas import narrowed, unheld
from bottega.providers.provider import Request, Target, ToolSpec, WireRequest

VERSION = "2023-06-01"
"""The version that every server of this protocol knows; `Target.headers` may name a newer one."""

_PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_ODD = re.compile(r"[^a-zA-Z0-9_-]")

_Wire = dict[str, Any]


def to_wire(request: Request, target: Target) -> WireRequest:
    """The HTTP request; raises `Unsupported` where the model lacks what a message needs."""
    abilities.check(request)
    plan = thinking.plan(request)
    body: _Wire = {"model": request.model, "max_tokens": plan.max_tokens, **plan.fields}
    notices = [*plan.notices, *_set_schema(body, request)]
    notices += _set_temperature(body, request, plan.thinks)
    if request.stream:
        body["stream"] = True
    if request.system.strip():
        body["system"] = [{"type": "text", "text": request.system, "cache_control": MARK}]
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if "system" not in body:
            body["tools"][-1]["cache_control"] = MARK
    # What grows comes last: the beginning of two requests of a session is the same, byte for byte.
    body["messages"] = _conversation(request)
    return WireRequest(_url(target.base_url), _headers(target), encode(body), tuple(notices))


def _url(base: str) -> str:
    """An address may end in the version, and may have a query of its own."""
    place, mark, query = base.partition("?")
    return f"{place.rstrip('/').removesuffix('/v1')}/v1/messages{mark}{query}"


def _headers(target: Target) -> dict[str, str]:
    headers = {"content-type": "application/json", "anthropic-version": VERSION}
    if target.key:
        headers["x-api-key"] = target.key
    return {**headers, **{name.lower(): value for name, value in target.headers.items()}}


def _set_schema(body: _Wire, request: Request) -> list[str]:
    """Tools may be on offer at the same time. A server of this protocol that is not Anthropic knows no such field."""
    if request.schema is None:
        return []
    able = request.abilities.json and thinking.version_of(request.model) > (0, 0)
    schema = narrowed(request.schema) if able else None
    if schema is None:
        return [unheld(request.model)]
    form = {"type": "json_schema", "schema": schema}
    body["output_config"] = {**body.get("output_config", {}), "format": form}
    return []


def _set_temperature(body: _Wire, request: Request, thinks: bool) -> list[str]:
    asked = request.temperature
    if asked is None:
        return []
    if not request.abilities.temperature or not thinking.takes_temperature(request.model):
        return [f"The model {request.model!r} takes no temperature; it was left out."]
    if thinks:
        return [f"While {request.model!r} thinks it takes no temperature; it was left out."]
    body["temperature"] = min(asked, 1.0)
    return ["A temperature above 1 was lowered to 1."] if asked > 1 else []


def _tool(tool: ToolSpec) -> _Wire:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def _conversation(request: Request) -> list[_Wire]:
    turns: list[_Wire] = []
    for message in request.messages:
        role = "assistant" if message.role == "assistant" else "user"
        said = _blocks(message, request)
        if not said:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += said
        else:
            turns.append({"role": role, "content": said})
    for turn in turns:
        if turn["role"] == "user":
            turn["content"].sort(key=_after_results)
    mark_turns(turns)
    return turns


def _after_results(block: _Wire) -> bool:
    return block["type"] != "tool_result"


def _blocks(message: Message, request: Request) -> list[_Wire]:
    if message.role == "assistant":
        found = (_own(block, request) for block in message.content)
    else:
        found = (_given(block, request.model) for block in message.content)
    return [block for block in found if block is not None]


def _own(block: Block, request: Request) -> _Wire | None:
    """A block that the model said itself."""
    if isinstance(block, Text):
        return _text(block)
    if isinstance(block, Reasoning):
        return _thought(block) if request.abilities.reasoning else None
    if isinstance(block, ToolUse):
        return _call(block)
    if isinstance(block, ToolResult):
        return _replayed(block)
    if isinstance(block, Media):
        # Only a user may show something; that it was there is worth a word.
        return {"type": "text", "text": f"[{block.media_type}]"}
    return None


def _given(block: Block, model: str) -> _Wire | None:
    """A block that a user or a tool gave."""
    if isinstance(block, Text):
        return _text(block)
    if isinstance(block, Media):
        return _media(block, model)
    if isinstance(block, ToolResult):
        return _result(block, model)
    return None


def _text(block: Text) -> _Wire | None:
    """Text without a single letter is an error there."""
    return {"type": "text", "text": block.text} if block.text.strip() else None


def _thought(block: Reasoning) -> _Wire | None:
    if block.origin != "anthropic":
        return None
    if block.raw is not None:
        return block.raw
    if not block.signature:
        return None
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}


def _call(use: ToolUse) -> _Wire | None:
    if use.server:
        return _replayed(use)
    shown = {"malformed": use.malformed} if use.malformed else use.input
    return {"type": "tool_use", "id": _id(use.id), "name": use.name, "input": shown}


def _replayed(block: ToolUse | ToolResult) -> _Wire | None:
    return dict(block.raw) if block.raw and block.server and block.origin == "anthropic" else None


def _result(result: ToolResult, model: str) -> _Wire:
    wire: _Wire = {"type": "tool_result", "tool_use_id": _id(result.tool_id)}
    parts = [part for part in (_given(block, model) for block in result.content) if part]
    if parts:
        wire["content"] = parts
    if result.is_error:
        wire["is_error"] = True
    return wire


def _id(call: str) -> str:
    """Other providers' ids may hold letters that are refused here."""
    return _ODD.sub("_", call) or "_"


def _media(media: Media, model: str) -> _Wire:
    kind = media.media_type.partition(";")[0].strip().lower()
    if isinstance(media, Image):
        if kind not in _PICTURES:
            raise abilities.refusal(model, f"pictures of type {kind!r}")
        source = {"type": "base64", "media_type": kind, "data": abilities.payload(media, model)}
        return {"type": "image", "source": source}
    if isinstance(media, Document):
        return _document(media, kind, model)
    raise abilities.refusal(model, "audio")


def _document(document: Document, kind: str, model: str) -> _Wire:
    if kind == "application/pdf":
        data = abilities.payload(document, model)
        source = {"type": "base64", "media_type": kind, "data": data}
    elif abilities.is_textual(kind):
        text = abilities.document_text(document, model)
        source = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        raise abilities.refusal(model, f"documents of type {kind!r}")
    wire: _Wire = {"type": "document", "source": source}
    if document.name:
        wire["title"] = document.name
    return wire
