"""The judges of request bodies refuse what each vendor refuses, and for the right reason."""

import copy
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.wire import anthropic, bodies, chat, gemini, responses
from tests.wire.verdict import Body, Rejected

GONE = object()
GOOD: dict[str, tuple[Body, Callable[[Body], None]]] = {
    "chat": (bodies.chat(), chat.check),
    "responses": (bodies.responses(), responses.check),
    "anthropic": (bodies.anthropic(), anthropic.check),
    "gemini": (bodies.gemini(), partial(gemini.check, sealed=True)),
}
Row = tuple[str, Any, str]
"""Where a good body is changed, to what, and why it is refused then."""

TEXT = {"type": "text", "text": "x"}
SAID = {"role": "assistant", "content": "x"}
ASKED = {"role": "user", "content": "x"}
MARKED = {**TEXT, "cache_control": bodies.MARK}
LONG = "x" * 65

CHAT: list[Row] = [
    ("model", "", "model: blank"),
    ("odd", 1, "unknown field 'odd'"),
    ("messages", [], "messages: not a list with entries"),
    ("messages", [{"role": "system", "content": "x"}], "nothing but the system prompt"),
    ("messages.0.role", "robot", "'robot' is unknown"),
    ("messages.0.role", "assistant", "user begins"),
    ("messages.0.content", " ", "blank text"),
    ("messages.0.content", [bodies.chat()["messages"][1]["content"][1]], "may hold only text"),
    ("messages.1.content", [], "not a list with entries"),
    ("messages.1.content.0.text", "", "blank text"),
    ("messages.1.content.0.text", "half \ud83d", "half a character"),
    ("messages.1.content.1.type", "video", "'video' are unknown"),
    ("messages.1.content.1.image_url.url", "https://x.example/a.png", "no data URL"),
    ("messages.1.content.1.image_url.url", "data:image/png;base64,", "no bytes"),
    ("messages.1.content.1.image_url.url", "data:image/png;base64,ü", "no base64"),
    ("messages.1.content.1.cache_control", bodies.MARK, "on text only"),
    ("messages.1.content.2.file.filename", "", "filename: blank"),
    ("messages.1.content", [MARKED] * 5, "more than 4 marks"),
    ("messages.1.content.0.cache_control", {"type": "for ever"}, "unknown type"),
    ("messages.2.content", "", "blank"),
    ("messages.2.tool_calls", [], "not a list with entries"),
    ("messages.2.tool_calls.0.id", "x" * 41, "pattern"),
    ("messages.2.tool_calls.0.id", "b", "tool_calls.id: must be unique"),
    ("messages.2.tool_calls.0.type", "tool", "not a function"),
    ("messages.2.tool_calls.0.function.name", "a b", "pattern"),
    ("messages.2.tool_calls.0.function.arguments", "{", "not the JSON of an object"),
    ("messages.2.tool_calls.0.function.arguments", "[]", "not the JSON of an object"),
    ("messages.2.tool_calls.0.function.arguments", {}, "not a string"),
    ("messages.3.tool_call_id", "c", "no such call waits"),
    ("messages.3", SAID, "not followed by their results"),
    ("messages.3", ASKED, "not followed by their results"),
    ("messages.4", GONE, "not followed by their results"),
    ("messages.4.tool_call_id", "b", "no such call waits"),
    ("messages.4.content", "", "blank"),
    ("messages.5", ASKED, "alternate"),
    ("messages.5.content", None, "not a string"),
    ("messages.5.name", "x", "unknown field"),
    ("messages.6", GONE, "last word"),
    ("messages.6.role", "system", "after the beginning"),
    ("tools", [], "not a list with entries"),
    ("tools.0.type", "plugin", "not a function"),
    ("tools.0.function.name", LONG, "pattern"),
    ("tools.0.function.parameters", {"type": "string"}, "not of type object"),
    ("tools.0.function.parameters.properties", 1, "no valid JSON schema"),
    ("tools", bodies.chat()["tools"] * 2, "tools.name: must be unique"),
    ("tools", bodies.chat()["tools"] * 129, "more than 128"),
    ("temperature", 2.1, "temperature: not between"),
    ("max_tokens", 0, "max_tokens"),
    ("max_completion_tokens", 9, "said twice"),
    ("stream", False, "without a stream"),
    ("prompt_cache_key", LONG, "too long"),
    ("response_format.json_schema.name", "a b", "pattern"),
    ("response_format.json_schema.schema.required", [], "strict part"),
    ("reasoning_effort", "huge", "SDK"),
]
THOUGHT = bodies.responses()["input"][1]
RESPONSES: list[Row] = [
    ("model", GONE, "model: not a string"),
    ("previous_response_id", "x", "unknown field"),
    ("input", [], "not a list with entries"),
    ("instructions", "", "blank"),
    ("input.0", SAID, "the user begins"),
    ("input.0.role", "tool", "'tool' is unknown"),
    ("input.0.content", [], "not a list with entries"),
    ("input.0.content.0.text", "", "blank"),
    ("input.0.content.0.text", "\udfff", "half a character"),
    ("input.0.content.0.type", "text", "'text' are unknown"),
    ("input.0.content.1.image_url", "data:image/png;base64,", "no bytes"),
    ("input.0.phase", "commentary", "only answers"),
    ("input.1.encrypted_content", GONE, "must come whole"),
    ("input.1.summary", GONE, "summary: not a list"),
    ("input.2", {"type": "message", "role": "user", "content": "x"}, "without what it led to"),
    ("input.2.call_id", LONG, "pattern"),
    ("input.2.call_id", "b", "call_id: must be unique"),
    ("input.2.name", "", "pattern"),
    ("input.2.arguments", "null", "not the JSON of an object"),
    ("input.2.id", "fc_1", "unknown field"),
    ("input.4", GONE, "no output found"),
    ("input.4.call_id", "b", "no such call waits"),
    ("input.4.call_id", "z", "no such call waits"),
    ("input.4.output", [], "not a list with entries"),
    ("input.5.output", "", "blank"),
    ("input.5", ASKED, "no output found"),
    ("input.5", {"type": "own"}, "'own' are unknown"),
    ("input.7", THOUGHT, "without what it led to"),
    ("input.7.content", " ", "blank"),
    ("input.7.phase", "first", "phase: unknown"),
    ("input.8", GONE, "last word"),
    ("tools", [], "not a list with entries"),
    ("tools.0.name", "a.b", "pattern"),
    ("tools.0.function", {}, "unknown field"),
    ("tools.0.parameters", {}, "not of type object"),
    ("tools", bodies.responses()["tools"] * 2, "must be unique"),
    ("include", ["everything"], "unknown value"),
    ("max_output_tokens", 15, "from 16 on"),
    ("temperature", -1, "temperature"),
    ("text.format.name", "", "pattern"),
    ("text.format.schema.additionalProperties", True, "strict part"),
    ("text.format.schema.properties.n.default", 1, "strict part"),
]
RESULT = {"type": "tool_result", "tool_use_id": "a"}
ANTHROPIC: list[Row] = [
    ("max_tokens", GONE, "max_tokens"),
    ("top_p", 1, "unknown field"),
    ("system.0.text", "\n", "blank"),
    ("system.0.type", "image", "only text"),
    ("messages", [], "not a list with entries"),
    ("messages.0.role", "system", "'system' is unknown"),
    ("messages.0", {"role": "assistant", "content": [TEXT]}, "the user begins"),
    ("messages.0.content", [], "not a list with entries"),
    ("messages.0.content.0.text", " ", "blank"),
    ("messages.0.content.0.text", "\ud800", "half a character"),
    ("messages.0.content.0", RESULT, "no such call in the message before"),
    ("messages.0.content.1.source.media_type", "image/tiff", "media type not taken"),
    ("messages.0.content.1.source.data", "", "no bytes"),
    ("messages.0.content.1.type", "audio", "'audio' are unknown"),
    ("messages.0.name", "x", "unknown field"),
    ("messages.1.content.0.id", "toolu_1", "server_tool_use.id"),
    ("messages.1.content.1", GONE, "without its result"),
    ("messages.1.content.0", TEXT, "no such server tool"),
    ("messages.1.content.2", bodies.anthropic()["messages"][0]["content"][1], "unknown to an"),
    ("messages.1.content.2.cache_control", bodies.MARK, "unknown field"),
    ("messages.1", {"role": "user", "content": [TEXT]}, "alternate"),
    ("messages.2.content.0.source.data", "", "blank"),
    ("messages.2.content.0.source.media_type", "text/html", "text/plain"),
    ("messages.3.content.0.signature", "", "signature: is required"),
    ("messages.3.content.0.signature", GONE, "signature: is required"),
    ("messages.3.content.0", TEXT, "began without one"),
    ("messages.3.content.2", bodies.anthropic()["messages"][3]["content"][0], "last block"),
    ("messages.3.content.1.id", "a.b", "pattern"),
    ("messages.3.content.1.id", "b", "tool_use.id: must be unique"),
    ("messages.3.content.1.name", "", "pattern"),
    ("messages.3.content.1.input", "{}", "not an object"),
    ("messages.4.content.0", GONE, "without its result in the next"),
    ("messages.4.content.0.tool_use_id", "b", "without its result in the next"),
    ("messages.4.content.0.content", [], "an empty list"),
    ("messages.4.content.1.content", GONE, "though it is an error"),
    ("messages.4.content.1.content.0", RESULT, "a result inside a result"),
    ("messages.4.content", [TEXT, *bodies.anthropic()["messages"][4]["content"]], "come first"),
    ("messages.4.content", [RESULT, *bodies.anthropic()["messages"][4]["content"]], "unique"),
    ("messages.4", GONE, "last word"),
    ("tools", [], "not a list with entries"),
    ("tools.0.input_schema.type", "array", "not of type object"),
    ("tools.0.name", "a b", "pattern"),
    ("tools", bodies.anthropic()["tools"] * 2, "must be unique"),
    ("system", [MARKED] * 5, "more than 4 marks"),
    ("system.0.cache_control", {"type": "ephemeral", "ttl": "9h"}, "unknown type"),
    ("thinking.budget_tokens", 1023, "from 1024 on"),
    ("max_tokens", 1024, "not below max_tokens"),
    ("temperature", 0.5, "none while it thinks"),
    ("output_config.format.type", "json", "unknown type"),
    ("output_config.format.schema.additionalProperties", True, "their JSON schema"),
    ("output_config.format.schema.properties.n.minimum", 1, "their JSON schema"),
    ("output_config.effort", "huge", "SDK"),
]
CALL = {"functionCall": {"id": "z", "name": "read", "args": {}}}
GEMINI: list[Row] = [
    ("model", "x", "unknown field"),
    ("contents", [], "not a list with entries"),
    ("contents.0.role", "assistant", "'assistant' is unknown"),
    ("contents.0.role", "model", "the user begins"),
    ("contents.0.parts", [], "not a list with entries"),
    ("contents.0.parts.0.text", "", "blank"),
    ("contents.0.parts.0.text", "\ud83d", "half a character"),
    ("contents.0.parts.0", {}, "exactly one thing"),
    ("contents.0.parts.0.inlineData", {}, "exactly one thing"),
    ("contents.0.parts.0", CALL, "functionCall is not for a user"),
    ("contents.0.parts.0.thoughtSignature", "c2VhbA==", "not for a user"),
    ("contents.0.parts.1.inlineData.data", "", "no bytes"),
    ("contents.0.parts.1.inlineData.mimeType", "", "is required"),
    ("contents.1.parts.0.thoughtSignature", "ü", "no base64"),
    ("contents.1.parts.1.thoughtSignature", GONE, "missing on a call"),
    ("contents.1.parts.1.functionCall.name", "9lives", "pattern"),
    ("contents.1.parts.1.functionCall.args", [], "not an object"),
    ("contents.1.parts.1.functionCall.id", "b", "functionCall.id: must be unique"),
    ("contents.1.parts.2", CALL, "in the order of the calls"),
    ("contents.1.parts.2", GONE, "as many as there are calls"),
    ("contents.1.parts", [{"text": "", "thoughtSignature": "c2VhbA=="}], "nothing but thoughts"),
    ("contents.2.parts.0", GONE, "as many as there are calls"),
    ("contents.2.parts.0.functionResponse.name", "write", "in the order of the calls"),
    ("contents.2.parts.0.functionResponse.id", "b", "in the order of the calls"),
    ("contents.2.parts.0.functionResponse.response", "fine", "not an object"),
    ("contents.2.parts.0.functionResponse.parts", [{"text": "x"}], "only media"),
    ("contents.2.parts.0", {"text": "x"}, "must come first"),
    ("contents.2", {"role": "user", "parts": [{"text": "x"}]}, "as many as there are calls"),
    ("contents.3", {"role": "user", "parts": [{"text": "x"}]}, "alternate"),
    ("contents.3.parts.0", {"functionResponse": {}}, "not for a model"),
    ("contents.3.parts.0", {"codeExecutionResult": {}}, "no code before it"),
    ("contents.4", GONE, "last word"),
    ("systemInstruction.parts", [], "not a list with entries"),
    ("systemInstruction.parts.0.text", " ", "blank"),
    ("tools", [], "not a list with entries"),
    ("tools.0.functionDeclarations.0.name", "-x", "pattern"),
    ("tools.0.functionDeclarations.0.parametersJsonSchema", {}, "not of type object"),
    ("tools.0.functionDeclarations.0.parameters", {}, "unknown field"),
    ("generationConfig.temperature", 3, "temperature"),
    ("generationConfig.maxOutputTokens", 0, "maxOutputTokens"),
    ("generationConfig.thinkingConfig.thinkingBudget", 0, "a budget and a level"),
    ("generationConfig.responseMimeType", GONE, "not JSON"),
    ("generationConfig.thinkingConfig.odd", 1, "SDK"),
]
ROWS = [
    (name, *row)
    for name, rows in (
        ("chat", CHAT),
        ("responses", RESPONSES),
        ("anthropic", ANTHROPIC),
        ("gemini", GEMINI),
    )
    for row in rows
]


def spoiled(body: Body, path: str, value: Any) -> Body:
    """The body with another value at this place."""
    body = copy.deepcopy(body)
    found: Any = body
    *way, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    for step in way:
        found = found[step]
    if value is GONE:
        del found[last]
    else:
        found[last] = copy.deepcopy(value)
    return body


@pytest.mark.parametrize("name", GOOD)
def test_a_good_body_is_accepted(name: str) -> None:
    body, check = GOOD[name]
    check(body)


@pytest.mark.parametrize(
    ("name", "path", "value", "why"), ROWS, ids=[f"{row[0]}-{n}" for n, row in enumerate(ROWS)]
)
def test_a_bad_body_is_refused_for_the_right_reason(
    name: str, path: str, value: Any, why: str
) -> None:
    body, check = GOOD[name]
    with pytest.raises(Rejected) as refused:
        check(spoiled(body, path, value))
    assert re.search(why, str(refused.value)), refused.value


def test_a_model_before_3_needs_no_seals_but_takes_no_schema_beside_tools() -> None:
    body = spoiled(bodies.gemini(), "contents.1.parts.1.thoughtSignature", GONE)
    with pytest.raises(Rejected, match="not while tools are on offer"):
        gemini.check(body)
    for name in ("responseMimeType", "responseJsonSchema"):
        body = spoiled(body, f"generationConfig.{name}", GONE)
    gemini.check(body)
