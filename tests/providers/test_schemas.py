"""An answer is held to a JSON schema in each protocol's own way, as far as the model can be."""

import copy
import json
from typing import Any

import pytest
from openai.lib._pydantic import _ensure_strict_json_schema as openai_strict
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

from bottega.messages.message import user
from bottega.providers.catalog import abilities
from bottega.providers.protocol.schemas import is_strict, narrowed
from bottega.providers.provider import Abilities, Request, Target, ToolSpec
from bottega.providers.wires import WireName, wire
from tests.providers.made_up import fits
from tests.providers.oracles import anthropic_sdk, gemini_types

HOMES: dict[WireName, str] = {
    "openai-chat": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
MODELS: dict[WireName, str] = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-3-flash",
}
TOOL = ToolSpec("read", "Read a file.", {"type": "object"})
SHAPES: dict[WireName, Any] = {
    "openai-chat": CompletionCreateParamsStreaming,
    "openai-responses": ResponseCreateParamsStreaming,
    "anthropic": anthropic_sdk.types.message_create_params.MessageCreateParamsStreaming,
}
WORD = {"type": "string"}
CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {"name": WORD, "age": {"type": ["integer", "null"], "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    closed = {"required": list(required), "additionalProperties": False}
    return {"type": "object", "properties": properties} | closed | more


def sent(
    name: WireName, model: str = "", schema: Any = CLOSED, home: str = "", **more: Any
) -> tuple[dict[str, Any], tuple[str, ...]]:
    asked = Request(
        model=model or MODELS[name],
        messages=(user("Who?"),),
        schema=schema,
        **{"abilities": abilities(model or MODELS[name]), **more},
    )
    wired = wire(name).to_wire(asked, Target("x", home or HOMES[name], key="k"))
    body = json.loads(wired.body)
    if name == "gemini":
        gemini_types.GenerationConfig.model_validate(body["generationConfig"])
    else:
        fits(SHAPES[name], body)
    return body, wired.notices


@pytest.mark.parametrize("tools", [(), (TOOL,)])
def test_each_protocol_says_the_schema_in_its_own_way(tools: tuple[ToolSpec, ...]) -> None:
    named = {"name": "answer", "schema": CLOSED, "strict": True}
    chat, said = sent("openai-chat", tools=tools)
    assert chat["response_format"] == {"type": "json_schema", "json_schema": named}
    assert said == ()
    responses, said = sent("openai-responses", tools=tools)
    assert responses["text"] == {"format": {"type": "json_schema", **named}}
    assert said == ()
    claude, said = sent("anthropic", tools=tools)
    assert claude["output_config"] == {
        "format": {"type": "json_schema", "schema": narrowed(CLOSED)}
    }
    assert said == ()
    gemini, said = sent("gemini", tools=tools)
    assert gemini["generationConfig"]["responseMimeType"] == "application/json"
    assert gemini["generationConfig"]["responseJsonSchema"] == CLOSED
    assert said == ()


@pytest.mark.parametrize("name", MODELS)
def test_without_a_schema_nothing_is_said_of_one(name: WireName) -> None:
    body, notices = sent(name, schema=None)
    said = json.dumps(body)
    assert not any(word in said for word in ("schema", "format", "responseMimeType"))
    assert notices == ()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_cannot_be_held_is_not_told_and_a_notice_says_so(name: WireName) -> None:
    body, notices = sent(name, abilities=Abilities(json=False))
    assert "chema" not in json.dumps(body)
    assert notices == (
        f"The model {MODELS[name]!r} cannot be held to this schema; it was only asked to keep to it.",
    )


def test_effort_and_schema_stand_side_by_side() -> None:
    body, _ = sent("anthropic", "claude-opus-4-6", effort="high")
    assert body["output_config"]["effort"] == "high"
    assert body["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("model", "tools", "held"),
    [
        ("gemini-2.5-flash", (), True),
        ("gemini-2.5-flash", (TOOL,), False),
        ("gemini-3-pro", (TOOL,), True),
        ("gemini-flash-latest", (TOOL,), True),
        ("gemma-3-27b-it", (), False),
        ("gemini-1.5-pro", (), False),
    ],
)
def test_an_older_gemini_takes_a_schema_only_without_tools(
    model: str, tools: tuple[ToolSpec, ...], held: bool
) -> None:
    body, notices = sent("gemini", model, tools=tools, max_output=9)
    assert ("responseJsonSchema" in body["generationConfig"]) is held
    assert (notices == ()) is held


def test_a_vendor_without_schemas_is_held_to_json_alone() -> None:
    body, _ = sent("openai-chat", "deepseek-chat", home="https://api.deepseek.com/v1")
    assert body["response_format"] == {"type": "json_object"}


def test_another_server_of_the_messages_protocol_is_only_asked_in_words() -> None:
    body, notices = sent("anthropic", "kimi-k2", home="https://x.example/anthropic")
    assert "output_config" not in body
    assert len(notices) == 1


@pytest.mark.parametrize(
    ("model", "held"),
    [
        ("gpt-5.5", True),
        ("gpt-4o-mini", True),
        ("gpt-4.1", True),
        ("gpt-4o-2024-05-13", False),
        ("gpt-4-turbo", False),
        ("gpt-4-0613", False),
        ("gpt-3.5-turbo", False),
        ("o1-mini", False),
        ("o3", True),
        ("claude-opus-4-1", True),
        ("claude-sonnet-4-20250514", False),
        ("claude-haiku-4-5-20251001", True),
        ("anthropic/claude-sonnet-5.5", True),
        ("claude-3-7-sonnet-latest", False),
        ("gemini-2.0-flash", True),
        ("gemini-1.5-pro", False),
        ("llama3.2:3b", True),
    ],
)
def test_a_model_s_name_tells_whether_it_can_be_held(model: str, held: bool) -> None:
    assert abilities(model).json is held


STRICT = {
    "plain": CLOSED,
    "nested": obj({"a": {"type": "array", "items": obj({"b": {"enum": ["x", 1]}}, "b")}}, "a"),
    "choice": obj({"a": {"anyOf": [WORD, {"type": "null"}]}}, "a"),
    "refs": obj({"a": {"$ref": "#/$defs/w"}}, "a", **{"$defs": {"w": WORD}}),
    "itself": obj({"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "a"),
    "date": obj({"a": {"type": "string", "format": "date", "pattern": "^2"}}, "a"),
    "empty": obj({}),
}
LOOSE = {
    "no object": {"type": "array", "items": WORD},
    "a choice at the top": obj({}, anyOf=[CLOSED]),
    "optional": obj({"a": WORD}),
    "open": obj({"a": WORD}, "a", additionalProperties=True),
    "open inside": obj({"a": {"type": "object", "properties": {}}}, "a"),
    "length": obj({"a": {"type": "string", "maxLength": 3}}, "a"),
    "default": obj({"a": {"type": "string", "default": "x"}}, "a"),
    "all of": obj({"a": {"allOf": [WORD]}}, "a"),
    "a word beside a ref": obj(
        {"a": {"$ref": "#/$defs/w", "description": "d"}}, "a", **{"$defs": {"w": WORD}}
    ),
    "odd format": obj({"a": {"type": "string", "format": "uri"}}, "a"),
    "anything": obj({"a": {}}, "a"),
    "a list of anything": obj({"a": {"type": "array"}}, "a"),
    "true": obj({"a": True}, "a"),
    "deep": {},
}
deep: dict[str, Any] = WORD
for _ in range(12):
    deep = obj({"a": deep}, "a")
LOOSE["deep"] = deep


@pytest.mark.parametrize("name", STRICT)
def test_a_schema_within_openai_s_part_is_strict_and_its_sdk_would_change_nothing(
    name: str,
) -> None:
    schema = STRICT[name]
    assert is_strict(schema)
    assert openai_strict(copy.deepcopy(schema), path=(), root=schema) == schema


@pytest.mark.parametrize("name", LOOSE)
def test_a_schema_outside_of_it_is_not(name: str) -> None:
    assert not is_strict(LOOSE[name])
    body, _ = sent("openai-chat", schema=LOOSE[name])
    assert body["response_format"]["json_schema"]["strict"] is False
    assert body["response_format"]["json_schema"]["schema"] == LOOSE[name]


NARROWED: dict[str, tuple[Any, Any]] = {
    "numbers": (
        obj({"a": {"type": "integer", "minimum": 1, "default": 2}}, "a"),
        obj({"a": {"type": "integer"}}, "a"),
    ),
    "texts": (
        obj({"a": {"type": "string", "maxLength": 3, "format": "uri"}}, "a"),
        obj({"a": {"type": "string", "format": "uri"}}, "a"),
    ),
    "open": (
        {"type": "object", "properties": {"a": WORD}, "required": ["a", "gone"]},
        obj({"a": WORD}, "a"),
    ),
    "kinds": (
        obj({"a": {"type": ["string", "null"]}}, "a"),
        obj({"a": {"anyOf": [WORD, {"type": "null"}]}}, "a"),
    ),
    "one of": (obj({"a": {"oneOf": [WORD]}}, "a"), obj({"a": {"anyOf": [WORD]}}, "a")),
    "refs": (
        obj({"a": {"$ref": "#/$defs/w", "description": "d"}}, "a", **{"$defs": {"w": WORD}}),
        obj({"a": {"type": "string", "description": "d"}}, "a"),
    ),
    "lists": (
        obj({"a": {"type": "array", "items": WORD, "minItems": 1, "maxItems": 2}}, "a"),
        obj({"a": {"type": "array", "items": WORD, "minItems": 1}}, "a"),
    ),
    "long lists": (
        obj({"a": {"type": "array", "items": WORD, "minItems": 3}}, "a"),
        obj({"a": {"type": "array", "items": WORD}}, "a"),
    ),
    "constants": (
        obj({"a": {"type": "string", "const": "x", "title": "T"}}, "a"),
        obj({"a": {"const": "x", "title": "T"}}, "a"),
    ),
}
UNFIT: dict[str, Any] = {
    "a map": {"type": "object", "additionalProperties": WORD},
    "free": {"type": "object"},
    "patterns": obj({"a": WORD}, patternProperties={"^x": WORD}),
    "itself": obj(
        {"a": {"$ref": "#/$defs/n"}}, **{"$defs": {"n": obj({"n": {"$ref": "#/$defs/n"}})}}
    ),
    "elsewhere": obj({"a": {"$ref": "https://x.example/schema"}}),
    "anything": obj({"a": {}}),
    "objects to choose from": obj({"a": {"enum": [{"x": 1}]}}),
    "all of": obj({"a": {"allOf": [WORD]}}),
    "many optional": obj({f"a{n}": WORD for n in range(25)}),
    "many choices": obj({"a": {"anyOf": [WORD] * 17}}, "a"),
    "true": obj({"a": True}, "a"),
}


@pytest.mark.parametrize("name", NARROWED)
def test_anthropic_gets_what_it_takes_of_a_schema_and_its_sdk_would_change_nothing(
    name: str,
) -> None:
    given, left = NARROWED[name]
    before = copy.deepcopy(given)
    assert narrowed(given) == left
    assert given == before
    assert anthropic_sdk.transform_schema(left) == left


@pytest.mark.parametrize("name", UNFIT)
def test_a_schema_of_which_too_little_would_be_left_is_only_asked_for_in_words(name: str) -> None:
    body, notices = sent("anthropic", schema=UNFIT[name])
    assert "output_config" not in body
    assert len(notices) == 1
