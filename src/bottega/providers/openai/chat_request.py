"""A request as a chat completion. Every call has its result right behind it; what a tool showed
besides text follows in a user message, as `tool` messages hold text only.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Media,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
    plain_text,
    tool_uses,
)
from bottega.messages.message import Message
from bottega.providers.openai.parts import (
    add_cache_key,
    add_temperature,
    arguments_text,
    audio_part,
    check_abilities,
    check_media,
    data_url,
    file_name,
    held_to,
    is_openai,
    joined,
    may_reason,
    post,
)
from bottega.providers.protocol.cache_marks import mark_chat
from bottega.providers.provider import Request, Target, ToolSpec, WireRequest

_STRICT = ("api.groq.com", "api.mistral.ai", "api.cerebras.ai", "api.x.ai")
"""Hosts that refuse a message with fields they do not know."""
_SCHEMALESS = ("api.deepseek.com", "api.z.ai", "open.bigmodel.cn")
"""Hosts that can be held to JSON, but to no schema."""


def to_wire(request: Request, target: Target) -> WireRequest:
    """The HTTP request. Raises `errors.Unsupported` where the model lacks what a message needs."""
    check_abilities(request)
    notices: list[str] = []
    body: dict[str, Any] = {"model": request.model}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if held := held_to(request, notices):
        loose = _host(target) in _SCHEMALESS
        whole = {"type": "json_schema", "json_schema": held}
        body["response_format"] = {"type": "json_object"} if loose else whole
    add_temperature(body, request, notices)
    if request.max_output is not None:
        body["max_completion_tokens" if is_openai(target) else "max_tokens"] = request.max_output
    if may_reason(request, notices):
        body["reasoning_effort"] = request.effort
    body["stream"] = request.stream
    if request.stream and _host(target) != "api.mistral.ai":
        body["stream_options"] = {"include_usage": True}
    add_cache_key(body, request, target)
    # What grows comes last: the beginning of two requests of a session is the same, byte for byte.
    messages = _Messages(request, target, notices).all()
    marked = _host(target) == "openrouter.ai" and request.model.startswith("anthropic/")
    body["messages"] = mark_chat(messages) if marked else messages
    return post(target, "/chat/completions", body, notices)


def _host(target: Target) -> str:
    return urlsplit(target.base_url).hostname or ""


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


class _Messages:
    def __init__(self, request: Request, target: Target, notices: list[str]) -> None:
        self._request = request
        self._notices = notices
        self._takes_thoughts = not is_openai(target) and _host(target) not in _STRICT
        self._out: list[dict[str, Any]] = []
        self._shown: list[dict[str, Any]] = []
        """What tools showed besides text, until all results of the round are said."""

    def all(self) -> list[dict[str, Any]]:
        if self._request.system:
            self._out.append({"role": "system", "content": self._request.system})
        for message in self._request.messages:
            content = message.content
            if message.role == "tool":
                self._add_results(message)
                continue
            if self._shown:
                self._flush()
            if message.role == "user":
                self._add_user(content)
            elif len(content) == 1 and type(content[0]) is Text and content[0].text:
                self._out.append({"role": "assistant", "content": content[0].text})
            else:
                self._add_assistant(content)
        self._flush()
        return self._out

    def _add_user(self, content: Sequence[Block]) -> None:
        if len(content) == 1 and type(content[0]) is Text:
            # Nearly every message of a long history.
            self._hear(content[0].text)
        elif any(isinstance(block, Media) for block in content):
            parts = [self._part(block) for block in content if isinstance(block, Text | Media)]
            self._hear([part for part in parts if part])
        else:
            self._hear(joined([block for block in content if isinstance(block, Text)]))

    def _hear(self, said: str | list[dict[str, Any]]) -> None:
        """What the user said. Who speaks twice in a row has spoken once: strict servers want roles to alternate."""
        last = self._out[-1] if self._out else {}
        if last.get("role") != "user":
            self._out.append({"role": "user", "content": said})
        elif isinstance(last["content"], str) and isinstance(said, str):
            last["content"] += f"\n\n{said}"
        else:
            last["content"] = [*_as_parts(last["content"]), *_as_parts(said)]

    def _part(self, block: Text | Media) -> dict[str, Any] | None:
        if isinstance(block, Text):
            return {"type": "text", "text": block.text} if block.text else None
        check_media(block, self._request)
        if isinstance(block, Image):
            return {"type": "image_url", "image_url": {"url": data_url(block)}}
        if isinstance(block, Audio):
            return audio_part(block)
        assert isinstance(block, Document)
        file = {"filename": file_name(block), "file_data": data_url(block)}
        return {"type": "file", "file": file}

    def _add_assistant(self, content: Sequence[Block]) -> None:
        text, uses = plain_text(tuple(content)), tool_uses(tuple(content))
        if any(isinstance(block, Media) for block in content):
            self._notices.append("A picture in an earlier answer was left out.")
        if not text and not uses:
            return
        said: dict[str, Any] = {"role": "assistant", "content": text or None}
        if uses:
            said["tool_calls"] = [_call(use) for use in uses]
        if self._takes_thoughts:
            said.update(_thoughts(content, calling=bool(uses)))
        self._out.append(said)

    def _add_results(self, message: Message) -> None:
        for result in message.content:
            if not isinstance(result, ToolResult) or result.server:
                continue
            text = joined([block for block in result.content if isinstance(block, Text)])
            shown = [block for block in result.content if isinstance(block, Media)]
            if not text:
                text = "(shown in the next message)" if shown else "(no output)"
            said = {"role": "tool", "tool_call_id": result.tool_id, "content": text}
            self._out.append(said)
            if shown:
                self._show(result.tool_id, shown)

    def _show(self, call: str, shown: list[Image | Audio | Document]) -> None:
        self._shown.append({"type": "text", "text": f"What the tool call {call} showed:"})
        for block in shown:
            part = self._part(block)
            assert part is not None
            self._shown.append(part)

    def _flush(self) -> None:
        if self._shown:
            self._hear(self._shown)
            self._shown = []


def _as_parts(said: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": said}] if isinstance(said, str) else said


def _call(use: ToolUse) -> dict[str, Any]:
    function = {"name": use.name, "arguments": arguments_text(use)}
    call: dict[str, Any] = {"id": use.id, "type": "function", "function": function}
    if use.origin == "openai-chat" and use.raw and "extra_content" in use.raw:
        call["extra_content"] = use.raw["extra_content"]
    return call


def _thoughts(content: Sequence[Block], *, calling: bool) -> dict[str, Any]:
    """What the model thought, in the field where it said it: amid calls, some insist on it."""
    thoughts = [
        block
        for block in content
        if isinstance(block, Reasoning) and block.origin == "openai-chat" and block.raw
    ]
    details = [entry for block in thoughts for entry in (block.raw or {}).get("details", ())]
    if details:
        return {"reasoning_details": details}
    fields = [field for block in thoughts if (field := (block.raw or {}).get("field"))]
    if not calling or not fields:
        return {}
    return {fields[0]: "".join(block.text for block in thoughts)}
