"""A request as generateContent wants it: user and model take turns, results are found by name.

Seals (`thoughtSignature`) go back on the very parts that they came with.
"""

import re
from typing import Any
from urllib.parse import quote

from bottega.messages.block import (
    Block,
    Document,
    Media,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Message
from bottega.providers.gemini import thinking
from bottega.providers.protocol import abilities
from bottega.providers.protocol.json_values import encode
from bottega.providers.protocol.schemas import unheld
from bottega.providers.provider import Request, Target, ToolSpec, WireRequest

UNSEALED = "skip_thought_signature_validator"
"""Google's word for a call that another model made; from 3 on a call without a seal is refused."""

_VERSIONED = re.compile(r"/v\d+(?:(?:alpha|beta)\d*)?(?:/|$)")
_REPLAYED = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")

_Wire = dict[str, Any]


def to_wire(request: Request, target: Target) -> WireRequest:
    """The HTTP request; raises `Unsupported` where the model lacks what a message needs."""
    abilities.check(request)
    body: _Wire = {}
    if request.system.strip():
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
    config, notices = _config(request)
    if config:
        body["generationConfig"] = config
    # What grows comes last: the beginning of two requests of a session is the same, byte for byte.
    body["contents"] = _Conversation(request).contents()
    return WireRequest(_url(request, target), _headers(target), encode(body), notices)


def _url(request: Request, target: Target) -> str:
    """The key is never part of it: addresses end up in logs."""
    place, _, query = target.base_url.partition("?")
    place = place.rstrip("/")
    if not _VERSIONED.search(place):
        place += "/v1beta"
    model = request.model if "/" in request.model else f"models/{request.model}"
    verb = "streamGenerateContent" if request.stream else "generateContent"
    asked = "&".join(filter(None, ("alt=sse" if request.stream else "", query)))
    return f"{place}/{quote(model)}:{verb}{'?' if asked else ''}{asked}"


def _headers(target: Target) -> dict[str, str]:
    headers = {"content-type": "application/json"}
    if target.key:
        headers["x-goog-api-key"] = target.key
    return {**headers, **{name.lower(): value for name, value in target.headers.items()}}


def _config(request: Request) -> tuple[_Wire, tuple[str, ...]]:
    plan = thinking.plan(request)
    config: _Wire = {}
    notices = plan.notices
    if request.max_output is not None:
        config["maxOutputTokens"] = request.max_output
    if request.temperature is not None and request.abilities.temperature:
        config["temperature"] = request.temperature
    elif request.temperature is not None:
        words = f"The model {request.model!r} takes no temperature; it was left out."
        notices = (*notices, words)
    if plan.config:
        config["thinkingConfig"] = plan.config
    if request.schema is not None and _can_hold(request):
        config |= {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
    elif request.schema is not None:
        notices = (*notices, unheld(request.model))
    return config, notices


def _can_hold(request: Request) -> bool:
    """Models before 3 refuse a schema while tools are on offer; those that are no Gemini refuse it always."""
    version = thinking.version_of(request.model)
    return request.abilities.json and version >= ((3, 0) if request.tools else (2, 0))


def _tool(tool: ToolSpec) -> _Wire:
    """`parameters` knows only a part of JSON schema; this field takes all of it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": tool.schema,
    }


class _Conversation:
    def __init__(self, request: Request) -> None:
        self._messages = request.messages
        self._model = request.model
        self._able = request.abilities
        self._version = thinking.version_of(request.model)
        self._names: dict[str, str] = {}
        """The names of the calls: a result has only its call's id."""

    def contents(self) -> list[_Wire]:
        turns: list[_Wire] = []
        for message in self._messages:
            role = "model" if message.role == "assistant" else "user"
            said = self._said(message) if role == "model" else self._given(message)
            if not said:
                continue
            if turns and turns[-1]["role"] == role:
                turns[-1]["parts"] += said
            else:
                turns.append({"role": role, "parts": said})
        for turn in turns:
            if turn["role"] == "user":
                turn["parts"].sort(key=_after_results)
        return turns

    def _said(self, message: Message) -> list[_Wire]:
        answered = {b.tool_id for b in message.content if isinstance(b, ToolResult)}
        said: list[_Wire] = []
        sealed = False
        for block in message.content:
            part = self._own(block, answered)
            if part is None:
                continue
            if "functionCall" in part:
                if not sealed and self._version >= (3, 0):
                    part.setdefault("thoughtSignature", UNSEALED)
                sealed = True
            said.append(part)
        return said

    def _own(self, block: Block, answered: set[str]) -> _Wire | None:
        """A block that the model said itself."""
        if isinstance(block, Text):
            part = {"text": block.text} if block.text else None
        elif isinstance(block, Reasoning):
            part = self._thought(block)
        elif isinstance(block, ToolUse):
            part = self._call(block, answered)
        elif isinstance(block, ToolResult):
            part = _replayed(block)
        elif isinstance(block, Media):
            part = self._media(block)
        else:
            part = None
        return part if part is None else {**part, **_seal(block)}

    def _thought(self, block: Reasoning) -> _Wire | None:
        if block.origin != "gemini" or not block.signature or not self._able.reasoning:
            return None
        return {"text": block.text, "thought": True} if block.text else {"text": ""}

    def _call(self, use: ToolUse, answered: set[str]) -> _Wire | None:
        if use.server:
            return _replayed(use) if use.id in answered else None
        self._names[use.id] = use.name
        args = {"malformed": use.malformed} if use.malformed else use.input
        return {"functionCall": {"id": use.id, "name": use.name, "args": args}}

    def _given(self, message: Message) -> list[_Wire]:
        parts: list[_Wire] = []
        for block in message.content:
            if isinstance(block, Text) and block.text:
                parts.append({"text": block.text})
            elif isinstance(block, Media):
                parts.append(self._media(block))
            elif isinstance(block, ToolResult):
                parts += self._result(block)
        return parts

    def _result(self, result: ToolResult) -> list[_Wire]:
        """The result, and beside it the media that a model before 3 cannot find inside."""
        texts = [part.text for part in result.content if isinstance(part, Text)]
        media = [self._media(part) for part in result.content if isinstance(part, Media)]
        wire: _Wire = {
            "id": result.tool_id,
            "name": self._names.get(result.tool_id, result.tool_id),
            "response": {"error" if result.is_error else "output": "\n".join(texts)},
        }
        if media and self._version >= (3, 0):
            wire["parts"], media = media, []
        return [{"functionResponse": wire}, *media]

    def _media(self, media: Media) -> _Wire:
        kind = media.media_type.partition(";")[0].strip().lower()
        data = abilities.payload(media, self._model)
        if isinstance(media, Document) and kind != "application/pdf":
            if not abilities.is_textual(kind):
                raise abilities.refusal(self._model, f"documents of type {kind!r}")
            kind = "text/plain"
        return {"inlineData": {"mimeType": kind, "data": data}}


def _seal(block: Block) -> _Wire:
    if isinstance(block, Text | Reasoning | ToolUse) and block.origin == "gemini":
        return {"thoughtSignature": block.signature} if block.signature else {}
    return {}


def _replayed(block: ToolUse | ToolResult) -> _Wire | None:
    raw = block.raw
    if not raw or not block.server or block.origin != "gemini":
        return None
    return raw if any(name in raw for name in _REPLAYED) else None


def _after_results(part: _Wire) -> bool:
    return "functionResponse" not in part
