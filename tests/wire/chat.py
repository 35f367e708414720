"""The judge of chat completions: what OpenAI documents, and what the strict servers of others add.

https://platform.openai.com/docs/api-reference/chat/create
"""

from typing import Any

from tests.wire import sdk
from tests.wire.verdict import (
    Body,
    need,
    need_arguments,
    need_list,
    need_media_url,
    need_name,
    need_number,
    need_object,
    need_schema,
    need_speakable,
    need_strict,
    need_text,
    need_unique,
    need_whole,
)

FIELDS = {
    *("model", "messages", "tools", "stream", "stream_options", "temperature", "max_tokens"),
    *("max_completion_tokens", "reasoning_effort", "response_format", "prompt_cache_key"),
}
OF_ROLE = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "tool": {"role", "content", "tool_call_id"},
    "assistant": {
        *("role", "content", "tool_calls", "reasoning_content", "reasoning", "thinking"),
        "reasoning_details",
    },
}
MARKS = 4


def check(body: Body) -> None:
    """Raise `Rejected` where the strictest server of this protocol would answer 400."""
    need_speakable(body)
    need_object(body, FIELDS, "body")
    need_text(body.get("model"), "model")
    need_list(body.get("messages"), "messages")
    _check_options(body)
    for tool in _tools(body):
        need_name(tool.get("name"), "tools.name")
        need_schema(tool.get("parameters"), "tools.parameters")
    need_unique([tool["name"] for tool in _tools(body)], "tools.name")
    for message in body["messages"]:
        _check_message(message)
    _check_order(body["messages"])
    _check_marks(body["messages"])
    sdk.chat(body)


def _check_options(body: Body) -> None:
    if "temperature" in body:
        need_number(body["temperature"], 0, 2, "temperature")
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body:
            need_whole(body[name], 1, name)
    need(not {"max_tokens", "max_completion_tokens"} <= body.keys(), "max_tokens: said twice")
    need("stream_options" not in body or body.get("stream"), "stream_options: without a stream")
    need(len(body.get("prompt_cache_key", "")) <= 64, "prompt_cache_key: too long")
    form = body.get("response_format", {})
    if form.get("type") == "json_schema":
        named = form["json_schema"]
        need_name(named.get("name"), "json_schema.name")
        if named.get("strict"):
            need_strict(named["schema"], "json_schema.schema")


def _tools(body: Body) -> list[Body]:
    tools = body.get("tools", [])
    if "tools" in body:
        need_list(tools, "tools")
        need(len(tools) <= 128, "tools: more than 128")
        need(all(tool.get("type") == "function" for tool in tools), "tools.type: not a function")
    return [tool.get("function", {}) for tool in tools]


def _check_message(message: Any) -> None:
    role = message.get("role")
    need(role in OF_ROLE, f"role: {role!r} is unknown")
    need_object(message, OF_ROLE[role], f"messages.{role}")
    content = message.get("content")
    if role == "assistant":
        _check_answer(message)
    elif isinstance(content, str):
        need_text(content, f"{role}.content")
    else:
        need_list(content, f"{role}.content")
        for part in content:
            _check_part(part, role)


def _check_answer(message: Body) -> None:
    calls = message.get("tool_calls")
    if message.get("content") is not None or calls is None:
        need_text(message.get("content"), "assistant.content")
    if calls is None:
        return
    need_list(calls, "tool_calls")
    need(len(calls) <= 128, "tool_calls: more than 128")
    for call in calls:
        need_object(call, {"id", "type", "function", "extra_content"}, "tool_calls")
        need_name(call.get("id"), "tool_calls.id", 40)
        need(call.get("type") == "function", "tool_calls.type: not a function")
        need_name(call["function"].get("name"), "tool_calls.name")
        need_arguments(call["function"].get("arguments"), "tool_calls.arguments")


def _check_part(part: Body, role: str) -> None:
    kind = part.get("type")
    need(kind == "text" or role == "user", f"{role}.content: may hold only text")
    need("cache_control" not in part or kind == "text", "cache_control: stands on text only")
    if kind == "text":
        need_text(part.get("text"), f"{role}.content.text")
    elif kind == "image_url":
        need_media_url(part["image_url"].get("url"), "image/", "image_url")
    elif kind == "file":
        need_text(part["file"].get("filename"), "file.filename")
        need_media_url(part["file"].get("file_data"), "", "file")
    else:
        need(kind == "input_audio", f"content: parts of type {kind!r} are unknown")


def _check_order(messages: list[Body]) -> None:
    said = messages[1:] if messages[0]["role"] == "system" else messages
    need(said, "messages: nothing but the system prompt")
    need(said[0]["role"] == "user", "messages: the user begins")
    need(said[-1]["role"] != "assistant", "messages: the assistant has the last word")
    ids = [call["id"] for message in said for call in message.get("tool_calls", ())]
    need_unique(ids, "tool_calls.id")
    due: list[str] = []
    before = ""
    for message in said:
        role = message["role"]
        need(role != "system", "messages: a system prompt after the beginning")
        if role == "tool":
            need(message.get("tool_call_id") in due, "tool_call_id: no such call waits here")
            due.remove(message["tool_call_id"])
        else:
            need(not due, "tool_calls: not followed by their results")
            need(role != before, "messages: roles must alternate")
            due = [call["id"] for call in message.get("tool_calls", ())]
        before = role
    need(not due, "tool_calls: not followed by their results")


def _check_marks(messages: list[Body]) -> None:
    contents = [m["content"] for m in messages if isinstance(m.get("content"), list)]
    marks = [
        part["cache_control"] for parts in contents for part in parts if "cache_control" in part
    ]
    need(len(marks) <= MARKS, "cache_control: more than 4 marks")
    need(all(mark == {"type": "ephemeral"} for mark in marks), "cache_control: of unknown type")
