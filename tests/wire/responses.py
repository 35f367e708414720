"""The judge of responses: items in order, each call with its output, no thought without what it led to.

https://platform.openai.com/docs/api-reference/responses/create
"""

from collections.abc import Callable
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
    *("model", "input", "instructions", "tools", "stream", "temperature", "max_output_tokens"),
    *("reasoning", "include", "store", "text", "prompt_cache_key"),
}
INCLUDED = {"reasoning.encrypted_content"}


def check(body: Body) -> None:
    """Raise `Rejected` where the server would answer 400."""
    need_speakable(body)
    need_object(body, FIELDS, "body")
    need_text(body.get("model"), "model")
    need_list(body.get("input"), "input")
    _check_options(body)
    _check_tools(body)
    for item in body["input"]:
        _check_item(item, body)
    _check_order(body["input"])
    sdk.responses(body)


def _check_options(body: Body) -> None:
    if "instructions" in body:
        need_text(body["instructions"], "instructions")
    if "temperature" in body:
        need_number(body["temperature"], 0, 2, "temperature")
    if "max_output_tokens" in body:
        need_whole(body["max_output_tokens"], 16, "max_output_tokens")
    need(INCLUDED.issuperset(body.get("include", ())), "include: unknown value")
    need(len(body.get("prompt_cache_key", "")) <= 64, "prompt_cache_key: too long")
    form = body.get("text", {}).get("format", {})
    if form.get("type") == "json_schema":
        need_name(form.get("name"), "text.format.name")
        if form.get("strict"):
            need_strict(form["schema"], "text.format.schema")


def _check_tools(body: Body) -> None:
    if "tools" not in body:
        return
    need_list(body["tools"], "tools")
    for tool in body["tools"]:
        need_object(tool, {"type", "name", "description", "parameters", "strict"}, "tools")
        need(tool.get("type") == "function", "tools.type: not a function")
        need_name(tool.get("name"), "tools.name")
        need_schema(tool.get("parameters"), "tools.parameters")
    need_unique([tool["name"] for tool in body["tools"]], "tools.name")


def _check_item(item: Any, body: Body) -> None:
    kind = item.get("type", "message")
    rule = _RULES.get(kind)
    if rule is not None:
        rule(item)
    else:
        need(kind.endswith(("_call", "_output")), f"input: items of type {kind!r} are unknown")
    if kind == "reasoning" and body.get("store") is False:
        sealed = item.get("encrypted_content") or item.get("content")
        need(sealed, "reasoning: nothing is stored, so it must come whole")


def _message(item: Body) -> None:
    need_object(item, {"type", "role", "content", "phase"}, "input.message")
    role, content = item.get("role"), item.get("content")
    phase = item.get("phase", "final_answer")
    need(phase in ("final_answer", "commentary"), "phase: unknown")
    need(role in ("user", "assistant"), f"role: {role!r} is unknown")
    if role == "assistant" or isinstance(content, str):
        need_text(content, f"{role}.content")
        return
    need("phase" not in item, "phase: only answers have one")
    need_list(content, "user.content")
    for part in content:
        _check_part(part)


def _check_part(part: Body) -> None:
    kind = part.get("type")
    if kind == "input_text":
        need_text(part.get("text"), "content.text")
    elif kind == "input_image":
        need_media_url(part.get("image_url"), "image/", "image_url")
    else:
        need(kind == "input_file", f"content: parts of type {kind!r} are unknown")
        need_text(part.get("filename"), "file.filename")
        need_media_url(part.get("file_data"), "", "file")


def _call(item: Body) -> None:
    need_object(item, {"type", "call_id", "name", "arguments"}, "function_call")
    need_name(item.get("call_id"), "function_call.call_id")
    need_name(item.get("name"), "function_call.name")
    need_arguments(item.get("arguments"), "function_call.arguments")


def _output(item: Body) -> None:
    need_object(item, {"type", "call_id", "output"}, "function_call_output")
    output = item.get("output")
    if isinstance(output, str):
        need_text(output, "function_call_output.output")
        return
    need_list(output, "function_call_output.output")
    for part in output:
        _check_part(part)


def _reasoning(item: Body) -> None:
    known = {"type", "id", "summary", "content", "encrypted_content", "status"}
    need_object(item, known, "reasoning")
    need(isinstance(item.get("summary"), list), "reasoning.summary: not a list")


_RULES: dict[str, Callable[[Body], None]] = {
    "message": _message,
    "function_call": _call,
    "function_call_output": _output,
    "reasoning": _reasoning,
}


def _check_order(items: list[Body]) -> None:
    need(_speaker(items[0]) == "user", "input: the user begins")
    need(_speaker(items[-1]) != "model", "input: the assistant has the last word")
    need_unique([i["call_id"] for i in items if i.get("type") == "function_call"], "call_id")
    due: list[str] = []
    for place, item in enumerate(items):
        kind = item.get("type")
        if kind == "function_call":
            due.append(item["call_id"])
        elif kind == "function_call_output":
            need(item.get("call_id") in due, "call_id: no such call waits here")
            due.remove(item["call_id"])
        elif _speaker(item) == "user":
            need(not due, "function_call: no output found for it")
        elif kind == "reasoning":
            after = [i for i in items[place + 1 :] if i.get("type") != "reasoning"][:1]
            need(after and _speaker(after[0]) == "model", "reasoning: without what it led to")
    need(not due, "function_call: no output found for it")


def _speaker(item: Body) -> str:
    kind = item.get("type", "message")
    if kind == "message":
        return "user" if item["role"] == "user" else "model"
    return "tool" if kind == "function_call_output" else "model"
