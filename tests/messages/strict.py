"""What the strictest servers of each protocol check before they answer.

A history is judged before any wire has spoken; `Rejected` says what the server would say. What is then
sent is judged by `tests/wire`.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Origin,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Message
from tests.wire.verdict import need

Wire = list[dict[str, Any]]
History = Sequence[Message]


def _id_like(text: str, longest: int = 64) -> bool:
    return re.fullmatch(rf"[a-zA-Z0-9_-]{{1,{longest}}}", text) is not None


def _sent(history: History, origin: Origin) -> None:
    """What holds for every protocol."""
    need(history, "at least one message is required")
    ids: set[str] = set()
    for message in history:
        need(message.content, "content is empty")
        for block in message.content:
            _block_is_sendable(block, origin)
            if isinstance(block, ToolUse):
                need(block.id not in ids, "call ids must be unique")
                ids.add(block.id)


def _block_is_sendable(block: Block, origin: Origin) -> None:
    json.dumps(_fields(block), ensure_ascii=False).encode()
    need(isinstance(block, _KNOWN), f"{type(block).__name__} cannot be sent")
    if isinstance(block, Text):
        need(block.text.strip(), "text must contain non-whitespace text")
    if isinstance(block, Image | Audio | Document):
        need(block.media_type and (block.data or block.blob), "media without bytes")
    sealed = getattr(block, "signature", "") or getattr(block, "raw", None) is not None
    need(not sealed or block.origin == origin, "a foreign signature")  # type: ignore[union-attr]
    if isinstance(block, Reasoning):
        need(block.origin == origin, "a foreign thought")
    if isinstance(block, ToolUse | ToolResult) and block.server:
        need(block.origin == origin, "a foreign server tool")
    elif isinstance(block, ToolUse):
        need(_id_like(block.name), f"bad tool name {block.name!r}")
        need(isinstance(block.input, dict) and not block.malformed, "input must be an object")
    elif isinstance(block, ToolResult):
        for part in block.content:
            _block_is_sendable(part, origin)


_KNOWN = (Text, Reasoning, Image, Audio, Document, ToolUse, ToolResult)


def _fields(block: Any) -> Any:
    if isinstance(block, tuple):
        return [_fields(part) for part in block]
    if hasattr(block, "__struct_fields__"):
        return {name: _fields(getattr(block, name)) for name in block.__struct_fields__}
    return block


def _calls(message: Message) -> list[ToolUse]:
    return [b for b in message.content if isinstance(b, ToolUse) and not b.server]


def anthropic(history: History) -> None:
    _sent(history, "anthropic")
    turns: list[tuple[str, list[Block]]] = []
    for message in history:
        role = "assistant" if message.role == "assistant" else "user"
        if message.role != "assistant" and turns and turns[-1][0] == "user":
            turns[-1][1].extend(message.content)
        else:
            turns.append((role, list(message.content)))
    need(turns[0][0] == "user", "first message must use the user role")
    need(turns[-1][0] == "user", "this model does not support prefill")
    due: list[str] = []
    for place, (role, content) in enumerate(turns):
        need(place == 0 or role != turns[place - 1][0], "roles must alternate")
        results = [b for b in content if isinstance(b, ToolResult) and not b.server]
        if role == "user":
            need(content[: len(results)] == results, "tool_result blocks must come first")
            need([r.tool_id for r in results] == due, "each tool_use needs its tool_result next")
            for result in results:
                need(result.content or not result.is_error, "content cannot be empty if is_error")
            due = []
        else:
            need(not results, "tool_result in an assistant message")
            _anthropic_answer(content)
            due = [b.id for b in content if isinstance(b, ToolUse) and not b.server]
            need(all(_id_like(i) for i in due), "tool_use.id does not match the pattern")


def _anthropic_answer(content: list[Block]) -> None:
    need(not isinstance(content[-1], Reasoning), "the final block cannot be thinking")
    open_calls: list[str] = []
    for block in content:
        need(not isinstance(block, Image | Audio | Document), "media in an assistant message")
        if isinstance(block, Reasoning):
            need(block.signature or block.raw is not None, "thinking.signature: field required")
        if isinstance(block, ToolUse) and block.server:
            open_calls.append(block.id)
        if isinstance(block, ToolResult):
            need(block.tool_id in open_calls, "a server result without its server_tool_use")
            open_calls.remove(block.tool_id)
    need(not open_calls, "a server_tool_use without its result")


def openai_chat(history: History) -> None:
    _sent(history, "openai-chat")
    need(history[0].role == "user", "templates of strict servers begin with the user")
    need(history[-1].role != "assistant", "the assistant cannot have the last word")
    due: list[str] = []
    before = ""
    for message in history:
        if message.role == "tool":
            need(len(message.content) == 1, "one result a tool message")
            result = message.content[0]
            need(isinstance(result, ToolResult) and result.tool_id in due, "no such tool_call_id")
            due.remove(result.tool_id)  # type: ignore[union-attr]
        else:
            need(not due, "tool_calls must be followed by tool messages")
            need(message.role != before, "roles must alternate")
            stray = [b for b in message.content if isinstance(b, ToolResult) and not b.server]
            need(not stray, "a stray result")
        if message.role == "assistant":
            due = [call.id for call in _calls(message)]
            need(all(_id_like(i, 40) for i in due), "tool_calls[].id: string too long")
            need(_visible(message), "content is required")
            need(not _media(message), "media in an assistant message")
        before = message.role
    need(not due, "tool_calls must be followed by tool messages")


def openai_responses(history: History) -> None:
    _sent(history, "openai-responses")
    need(history[-1].role != "assistant", "the assistant cannot have the last word")
    due: list[str] = []
    for message in history:
        for place, block in enumerate(message.content):
            if isinstance(block, ToolUse) and not block.server:
                need(_id_like(block.id), "call_id: string too long")
                due.append(block.id)
            if isinstance(block, ToolResult) and not block.server:
                need(block.tool_id in due, "no tool call found for function call output")
                due.remove(block.tool_id)
            if isinstance(block, Reasoning):
                followed = any(not isinstance(b, Reasoning) for b in message.content[place + 1 :])
                need(followed, "reasoning without its required following item")
        need(message.role != "assistant" or not _media(message), "media in an assistant message")
    need(not due, "no tool output found for function call")


def gemini(history: History) -> None:
    _sent(history, "gemini")
    contents: list[tuple[str, list[Block]]] = []
    for message in history:
        role = {"user": "user", "assistant": "model", "tool": "function"}[message.role]
        if role == "function" and contents and contents[-1][0] == "function":
            contents[-1][1].extend(message.content)
        else:
            contents.append((role, list(message.content)))
    need(contents[0][0] == "user", "the first turn must be the user's")
    need(contents[-1][0] != "model", "the last turn must not be the model's")
    before, due = "", []
    for role, parts in contents:
        need(role != before, "turns must alternate")
        if role == "function":
            named = [b.tool_id for b in parts if isinstance(b, ToolResult)]
            need(before == "model" and due, "a function response turn follows a call turn")
            need(len(named) == len(parts) == len(due), "as many function responses as calls")
            need(named == due, "function responses in the order of the calls")
        else:
            need(not due, "a function call turn is followed by its responses")
            need(
                any(not isinstance(b, Reasoning) for b in parts), "contents.parts must not be empty"
            )
        due = [b.id for b in parts if isinstance(b, ToolUse) and not b.server]
        before = role
    need(not due, "a function call turn is followed by its responses")


def _visible(message: Message) -> bool:
    return any(not isinstance(block, Reasoning) for block in message.content)


def _media(message: Message) -> bool:
    return any(isinstance(block, Image | Audio | Document) for block in message.content)


STRICT: dict[Origin, Callable[[History], None]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}
