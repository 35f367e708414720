"""The judge of generateContent: turns alternate, as many responses as calls and in their order, seals on calls.

https://ai.google.dev/api/generate-content, and its pages on function calling and thought signatures
"""

import re
from typing import Any

from tests.wire import sdk
from tests.wire.verdict import (
    Body,
    need,
    need_base64,
    need_list,
    need_number,
    need_object,
    need_schema,
    need_speakable,
    need_text,
    need_unique,
    need_whole,
)

FIELDS = {"contents", "systemInstruction", "tools", "generationConfig"}
RAN = {"executableCode", "codeExecutionResult", "toolCall", "toolResponse"}
KINDS = {"text", "inlineData", "functionCall", "functionResponse", *RAN}
OF_ROLE = {
    "user": {"text", "inlineData", "functionResponse"},
    "model": {"text", "inlineData", "functionCall", *RAN},
}
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")


def check(body: Body, *, sealed: bool = False) -> None:
    """Raise `Rejected` where the server would answer 400; `sealed` for models from 3 on."""
    need_speakable(body)
    need_object(body, FIELDS, "body")
    need_list(body.get("contents"), "contents")
    _check_system(body)
    _check_tools(body)
    _check_config(body.get("generationConfig", {}))
    for content in body["contents"]:
        _check_content(content)
    _check_order(body["contents"])
    if sealed:
        _check_seals(body["contents"])
    elif "tools" in body:
        held = body.get("generationConfig", {}).get("responseMimeType")
        need(not held, "responseMimeType: not while tools are on offer")
    sdk.gemini(body)


def _check_system(body: Body) -> None:
    if "systemInstruction" in body:
        need_list(body["systemInstruction"].get("parts"), "systemInstruction.parts")
        for part in body["systemInstruction"]["parts"]:
            need_text(part.get("text"), "systemInstruction.text")


def _check_tools(body: Body) -> None:
    if "tools" not in body:
        return
    need_list(body["tools"], "tools")
    declared: list[Body] = [f for tool in body["tools"] for f in tool["functionDeclarations"]]
    for function in declared:
        need_object(function, {"name", "description", "parametersJsonSchema"}, "tools")
        need(NAME.fullmatch(str(function.get("name"))), "tools.name: does not match the pattern")
        need_schema(function.get("parametersJsonSchema"), "tools.parametersJsonSchema")
    need_unique([function["name"] for function in declared], "tools.name")


def _check_config(config: Body) -> None:
    known = {
        *("temperature", "maxOutputTokens", "thinkingConfig", "responseMimeType"),
        "responseJsonSchema",
    }
    need_object(config, known, "generationConfig")
    if "temperature" in config:
        need_number(config["temperature"], 0, 2, "temperature")
    if "maxOutputTokens" in config:
        need_whole(config["maxOutputTokens"], 1, "maxOutputTokens")
    if "responseJsonSchema" in config:
        need(config.get("responseMimeType") == "application/json", "responseMimeType: not JSON")
    both = {"thinkingBudget", "thinkingLevel"} <= config.get("thinkingConfig", {}).keys()
    need(not both, "thinkingConfig: a budget and a level")


def _check_content(content: Any) -> None:
    need_object(content, {"role", "parts"}, "contents")
    role = content.get("role")
    need(role in OF_ROLE, f"role: {role!r} is unknown")
    need_list(content.get("parts"), "contents.parts")
    for part in content["parts"]:
        _check_part(part, role)
    run = 0
    for part in content["parts"]:
        run += ("executableCode" in part) - ("codeExecutionResult" in part)
        need(run >= 0, "codeExecutionResult: no code before it")
    shown = [part for part in content["parts"] if not part.get("thought")]
    need(any(part.get("text") != "" for part in shown), "contents.parts: nothing but thoughts")


def _check_part(part: Body, role: str) -> None:
    need_object(part, KINDS | {"thought", "thoughtSignature"}, "parts")
    kinds = KINDS & part.keys()
    need(len(kinds) == 1, "parts: must hold exactly one thing")
    need(kinds <= OF_ROLE[role], f"parts: {min(kinds)} is not for a {role}")
    if "thoughtSignature" in part:
        need(role == "model", "thoughtSignature: not for a user")
        need_base64(part["thoughtSignature"], "thoughtSignature")
    if "text" in part and not part.get("thoughtSignature"):
        need_text(part["text"], "parts.text")
    if "inlineData" in part:
        need(part["inlineData"].get("mimeType"), "inlineData.mimeType: is required")
        need_base64(part["inlineData"].get("data"), "inlineData")
    if "functionCall" in part:
        _check_call(part["functionCall"])
    if "functionResponse" in part:
        _check_response(part["functionResponse"])


def _check_call(call: Body) -> None:
    need_object(call, {"id", "name", "args"}, "functionCall")
    need(NAME.fullmatch(str(call.get("name"))), "functionCall.name: does not match the pattern")
    need(isinstance(call.get("args"), dict), "functionCall.args: not an object")


def _check_response(response: Body) -> None:
    need_object(response, {"id", "name", "response", "parts"}, "functionResponse")
    need(isinstance(response.get("response"), dict), "functionResponse.response: not an object")
    for part in response.get("parts", ()):
        need("inlineData" in part, "functionResponse.parts: may hold only media")


def _check_order(contents: list[Body]) -> None:
    need(contents[0]["role"] == "user", "contents: the user begins")
    need(contents[-1]["role"] == "user", "contents: the model has the last word")
    calls = [c["id"] for content in contents for c in _held(content, "functionCall")]
    need_unique(calls, "functionCall.id")
    due: list[Body] = []
    before = ""
    for content in contents:
        need(content["role"] != before, "contents: turns must alternate")
        before = content["role"]
        if before == "model":
            due = _held(content, "functionCall")
            continue
        given = _held(content, "functionResponse")
        first = content["parts"][: len(given)]
        need(all("functionResponse" in p for p in first), "functionResponse: must come first")
        need(len(given) == len(due), "functionResponse: as many as there are calls")
        asked = [(call["id"], call["name"]) for call in due]
        answered = [(each.get("id"), each.get("name")) for each in given]
        need(asked == answered, "functionResponse: in the order of the calls, by id and name")
        due = []


def _held(content: Body, name: str) -> list[Body]:
    return [part[name] for part in content["parts"] if name in part]


def _check_seals(contents: list[Body]) -> None:
    """The first call of each step must bear a seal."""
    for content in contents:
        calls = [part for part in content["parts"] if "functionCall" in part]
        need(not calls or calls[0].get("thoughtSignature"), "thoughtSignature: missing on a call")
