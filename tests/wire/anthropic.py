"""The judge of messages: turns alternate, results come first and at once, thoughts come back sealed.

https://docs.claude.com/en/api/messages, and its pages on tool use, thinking, caching and structured outputs
"""

import re
from typing import Any

from tests.wire import sdk
from tests.wire.verdict import (
    Body,
    need,
    need_base64,
    need_list,
    need_name,
    need_number,
    need_object,
    need_schema,
    need_speakable,
    need_text,
    need_unique,
    need_whole,
)

FIELDS = {
    *("model", "max_tokens", "messages", "system", "tools", "stream", "temperature"),
    *("thinking", "output_config"),
}
PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MARKS = 4
MOST_MESSAGES = 100_000


def check(body: Body) -> None:
    """Raise `Rejected` where the server would answer 400."""
    need_speakable(body)
    need_object(body, FIELDS, "body")
    need_text(body.get("model"), "model")
    need_whole(body.get("max_tokens"), 1, "max_tokens")
    need_list(body.get("messages"), "messages")
    need(len(body["messages"]) <= MOST_MESSAGES, "messages: more than 100,000")
    _check_system(body)
    _check_tools(body)
    for message in body["messages"]:
        _check_message(message)
    _check_order(body["messages"])
    _check_marks(body)
    _check_options(body)
    sdk.anthropic(body)


def _check_system(body: Body) -> None:
    if "system" not in body:
        return
    need_list(body["system"], "system")
    for block in body["system"]:
        need_object(block, {"type", "text", "cache_control"}, "system")
        need(block.get("type") == "text", "system: may hold only text")
        need_text(block.get("text"), "system.text")


def _check_tools(body: Body) -> None:
    if "tools" not in body:
        return
    need_list(body["tools"], "tools")
    for tool in body["tools"]:
        need_object(tool, {"name", "description", "input_schema", "cache_control"}, "tools")
        need_name(tool.get("name"), "tools.name", 128)
        need_schema(tool.get("input_schema"), "tools.input_schema")
    need_unique([tool["name"] for tool in body["tools"]], "tools.name")


def _check_message(message: Any) -> None:
    need_object(message, {"role", "content"}, "messages")
    role = message.get("role")
    need(role in ("user", "assistant"), f"role: {role!r} is unknown")
    need_list(message.get("content"), f"{role}.content")
    for block in message["content"]:
        if role == "user":
            _check_given(block)
        else:
            _check_said(block)
    if role == "assistant":
        _check_answer(message["content"])


def _check_given(block: Body) -> None:
    kind = block.get("type")
    if kind == "text":
        need_object(block, {"type", "text", "cache_control"}, "text")
        need_text(block.get("text"), "user.text")
    elif kind == "tool_result":
        _check_result(block)
    else:
        _check_media(block)


def _check_result(block: Body) -> None:
    need_object(
        block, {"type", "tool_use_id", "content", "is_error", "cache_control"}, "tool_result"
    )
    need_name(block.get("tool_use_id"), "tool_result.tool_use_id")
    content = block.get("content", [])
    need(content or not block.get("is_error"), "tool_result.content: empty though it is an error")
    need("content" not in block or content, "tool_result.content: an empty list")
    for part in content:
        need(part.get("type") != "tool_result", "tool_result.content: a result inside a result")
        _check_given(part)


def _check_media(block: Body) -> None:
    kind = block.get("type")
    need(kind in ("image", "document"), f"content: blocks of type {kind!r} are unknown to a user")
    need_object(block, {"type", "source", "title", "cache_control"}, kind)
    source = block["source"]
    if source.get("type") == "text":
        need(kind == "document", "image.source: pictures are no text")
        need(source.get("media_type") == "text/plain", "document.source: text is text/plain")
        need_text(source.get("data"), "document.source")
        return
    need(source.get("type") == "base64", f"{kind}.source: of unknown type")
    kinds = PICTURES if kind == "image" else ("application/pdf",)
    need(source.get("media_type") in kinds, f"{kind}.source: media type not taken")
    need_base64(source.get("data"), f"{kind}.source")


def _check_said(block: Body) -> None:
    kind = str(block.get("type"))
    if kind == "text":
        need_object(block, {"type", "text"}, "text")
        need_text(block.get("text"), "assistant.text")
    elif kind == "thinking":
        need_object(block, {"type", "thinking", "signature"}, "thinking")
        need(isinstance(block.get("thinking"), str), "thinking.thinking: not a string")
        need(block.get("signature"), "thinking.signature: is required")
    elif kind == "redacted_thinking":
        need(block.get("data"), "redacted_thinking.data: is required")
    elif kind == "tool_use":
        need_object(block, {"type", "id", "name", "input"}, "tool_use")
        need_name(block.get("id"), "tool_use.id")
        need_name(block.get("name"), "tool_use.name", 128)
        need(isinstance(block.get("input"), dict), "tool_use.input: not an object")
    elif kind == "server_tool_use":
        fits = re.fullmatch(r"srvtoolu_[a-zA-Z0-9_]+", str(block.get("id")))
        need(fits, "server_tool_use.id: does not match the pattern")
    else:
        provided = kind.endswith("_tool_result")
        need(provided, f"content: blocks of type {kind!r} are unknown to an assistant")


def _check_answer(content: list[Body]) -> None:
    last = content[-1]["type"]
    need(last not in ("thinking", "redacted_thinking"), "thinking: cannot be the last block")
    waiting: list[str] = []
    for block in content:
        if block["type"] == "server_tool_use":
            waiting.append(block["id"])
        elif block["type"].endswith("_tool_result"):
            need(block.get("tool_use_id") in waiting, "tool_result: no such server tool ran here")
            waiting.remove(block["tool_use_id"])
    need(not waiting, "server_tool_use: without its result")


def _check_order(messages: list[Body]) -> None:
    need(messages[0]["role"] == "user", "messages: the user begins")
    need(messages[-1]["role"] == "user", "messages: the assistant has the last word")
    blocks = [block for message in messages for block in message["content"]]
    ids = [b["id"] for b in blocks if b["type"] in ("tool_use", "server_tool_use")]
    need_unique(ids, "tool_use.id")
    due: list[str] = []
    before = ""
    for message in messages:
        need(message["role"] != before, "messages: roles must alternate")
        before = message["role"]
        content = message["content"]
        if before == "assistant":
            due = [block["id"] for block in content if block["type"] == "tool_use"]
            continue
        results = [block for block in content if block["type"] == "tool_result"]
        need(content[: len(results)] == results, "tool_result: must come first")
        given = [block["tool_use_id"] for block in results]
        need(set(given) <= set(due), "tool_result: no such call in the message before")
        need(set(due) <= set(given), "tool_use: without its result in the next message")
        need_unique(given, "tool_result.tool_use_id")
        due = []


def _check_marks(body: Body) -> None:
    blocks = [*body.get("tools", []), *body.get("system", [])]
    for message in body["messages"]:
        for block in message["content"]:
            blocks += [block, *_inside(block)]
    marks = [block["cache_control"] for block in blocks if "cache_control" in block]
    need(len(marks) <= MARKS, "cache_control: more than 4 marks")
    need(all(mark == {"type": "ephemeral"} for mark in marks), "cache_control: of unknown type")


def _inside(block: Body) -> list[Body]:
    content = block.get("content") if block["type"] == "tool_result" else None
    return content if isinstance(content, list) else []


def _check_options(body: Body) -> None:
    thinking = body.get("thinking", {}).get("type", "disabled")
    if "temperature" in body:
        need_number(body["temperature"], 0, 1, "temperature")
        need(thinking == "disabled", "temperature: none while it thinks")
    if thinking == "enabled":
        budget = body["thinking"].get("budget_tokens")
        need_whole(budget, 1024, "budget_tokens")
        need(budget < body["max_tokens"], "budget_tokens: not below max_tokens")
        _check_opening(body["messages"])
    form = body.get("output_config", {}).get("format")
    if form is not None:
        need(form.get("type") == "json_schema", "output_config.format: of unknown type")
        need(sdk.is_narrow(form["schema"]), "output_config.format: not within their JSON schema")


def _check_opening(messages: list[Body]) -> None:
    """While a model that thinks with a budget calls tools, its turn must have begun with a thought."""
    if messages[-1]["content"][0]["type"] == "tool_result":
        first = messages[-2]["content"][0]["type"]
        need(first in ("thinking", "redacted_thinking"), "thinking: the turn began without one")
