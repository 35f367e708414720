"""A request for a response. Nothing is stored at the provider: thoughts come sealed and go back
sealed, and every item is sent whole.
"""

from collections.abc import Sequence
from typing import Any

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
)
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
from bottega.providers.provider import Request, Target, ToolSpec, WireRequest

_THINKERS = ("gpt-5", "o1", "o3", "o4", "codex")
"""Families that think unasked; a model of another kind refuses to be asked for sealed thoughts."""

_LEAST_OUTPUT = 16
"""Fewer tokens of answer are refused."""


def to_wire(request: Request, target: Target) -> WireRequest:
    """The HTTP request. Raises `errors.Unsupported` where the model lacks what a message needs."""
    check_abilities(request)
    notices: list[str] = []
    body: dict[str, Any] = {"model": request.model}
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    add_temperature(body, request, notices)
    if request.max_output is not None:
        body["max_output_tokens"] = max(request.max_output, _LEAST_OUTPUT)
    thinks = may_reason(request, notices)
    if thinks:
        body["reasoning"] = {"effort": request.effort}
        if request.effort != "none":
            body["reasoning"]["summary"] = "auto"
    if thinks or (request.abilities.reasoning and request.model.startswith(_THINKERS)):
        body["include"] = ["reasoning.encrypted_content"]
    if held := held_to(request, notices):
        body["text"] = {"format": {"type": "json_schema", **held}}
    body["store"] = False
    body["stream"] = request.stream
    add_cache_key(body, request, target)
    # What grows comes last: the beginning of two requests of a session is the same, byte for byte.
    body["input"] = _Input(request, target, notices).all()
    return post(target, "/responses", body, notices)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": False,
    }


class _Input:
    def __init__(self, request: Request, target: Target, notices: list[str]) -> None:
        self._request = request
        self._notices = notices
        self._openai = is_openai(target)
        self._out: list[dict[str, Any]] = []
        self._heard: list[dict[str, Any]] = []
        """Sounds that tools gave back: a result cannot hold them, so they follow it."""

    def all(self) -> list[dict[str, Any]]:
        for message in self._request.messages:
            if message.role == "tool":
                for result in message.content:
                    if isinstance(result, ToolResult) and not result.server:
                        self._add_result(result)
                continue
            self._flush()
            if message.role == "user":
                self._add_user(message.content)
            else:
                self._add_assistant(message.content)
        self._flush()
        return self._out

    def _add_user(self, content: Sequence[Block]) -> None:
        parts = [self._part(block) for block in content if isinstance(block, Text | Media)]
        self._out.append({"role": "user", "content": [part for part in parts if part]})

    def _part(self, block: Text | Media) -> dict[str, Any] | None:
        if isinstance(block, Text):
            return {"type": "input_text", "text": block.text} if block.text else None
        check_media(block, self._request)
        if isinstance(block, Image):
            return {"type": "input_image", "image_url": data_url(block), "detail": "auto"}
        if isinstance(block, Audio):
            return audio_part(block)
        assert isinstance(block, Document)
        return {
            "type": "input_file",
            "filename": file_name(block),
            "file_data": data_url(block),
        }

    def _add_assistant(self, content: Sequence[Block]) -> None:
        pictures = _pictures(content)
        said: list[dict[str, Any]] = []
        for block in content:
            if isinstance(block, Text) and block.text:
                said.append(_message(block))
            elif isinstance(block, Reasoning):
                said += self._thought(block)
            elif isinstance(block, ToolUse):
                said += self._call(block, pictures.get(block.id))
            elif isinstance(block, ToolResult) and block.origin == "openai-responses" and block.raw:
                said.append(block.raw)
            elif isinstance(block, Media):
                self._notices.append("A picture in an earlier answer was left out.")
        # A thought that led to nothing is refused.
        while said and said[-1].get("type") == "reasoning":
            said.pop()
        self._out += said

    def _thought(self, block: Reasoning) -> list[dict[str, Any]]:
        if block.origin != "openai-responses" or not block.raw:
            return []
        if not self._openai:
            return [block.raw]
        # OpenAI itself looks an id up in its store, where nothing is; sealed thoughts need none.
        if not block.raw.get("encrypted_content"):
            return []
        return [_without(block.raw, "id", "status")]

    def _call(self, use: ToolUse, picture: Image | None) -> list[dict[str, Any]]:
        if not use.server:
            return [
                {
                    "type": "function_call",
                    "call_id": use.id,
                    "name": use.name,
                    "arguments": arguments_text(use),
                }
            ]
        if use.origin != "openai-responses" or not use.raw:
            return []
        if use.raw.get("type") == "image_generation_call":
            return [{**use.raw, "result": picture.data}] if picture else []
        if use.raw.get("type") == "web_search_call" and self._openai:
            return [_without(use.raw, "id")]
        return [use.raw]

    def _add_result(self, result: ToolResult) -> None:
        call = {"type": "function_call_output", "call_id": result.tool_id}
        shown = [block for block in result.content if isinstance(block, Image | Document)]
        heard = [block for block in result.content if isinstance(block, Audio)]
        if shown:
            parts = [
                self._part(b) for b in result.content if isinstance(b, Text | Image | Document)
            ]
            self._out.append({**call, "output": [part for part in parts if part]})
        else:
            texts = [block for block in result.content if isinstance(block, Text)]
            nothing = "(heard in the next message)" if heard else "(no output)"
            self._out.append({**call, "output": joined(texts) or nothing})
        if heard:
            self._hear(result.tool_id, heard)

    def _hear(self, call: str, heard: list[Audio]) -> None:
        self._heard.append({"type": "input_text", "text": f"What the tool call {call} gave:"})
        for block in heard:
            check_media(block, self._request)
            self._heard.append(audio_part(block))

    def _flush(self) -> None:
        if self._heard:
            self._out.append({"role": "user", "content": self._heard})
            self._heard = []


def _message(block: Text) -> dict[str, Any]:
    said: dict[str, Any] = {"type": "message", "role": "assistant", "content": block.text}
    if block.origin == "openai-responses" and block.signature:
        said["phase"] = block.signature
    return said


def _pictures(content: Sequence[Block]) -> dict[str, Image]:
    """The pictures that the provider drew, by the call that drew them."""
    return {
        block.tool_id: shown
        for block in content
        if isinstance(block, ToolResult) and block.server
        for shown in block.content
        if isinstance(shown, Image) and shown.data
    }


def _without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}
