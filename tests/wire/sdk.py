"""The vendors' own types as judges of last resort: what our rules accept, their SDKs must accept too."""

import json
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tests.providers.made_up import exhaust
from tests.wire.verdict import Body, Rejected


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    """Slow to build: once for all tests."""
    if name == "chat":
        from openai.types.chat.completion_create_params import CompletionCreateParams as shape
    elif name == "responses":
        from openai.types.responses.response_create_params import ResponseCreateParams as shape
    else:
        from anthropic.types.message_create_params import MessageCreateParams as shape
    return TypeAdapter(shape)


def _fits(name: str, body: Body) -> None:
    try:
        exhaust(_adapter(name).validate_python(body))
    except ValidationError as error:
        first = error.errors()[0]
        raise Rejected(f"SDK: {first['loc']} {first['msg']}") from None


def chat(body: Body) -> None:
    _fits("chat", body)


def responses(body: Body) -> None:
    """Their types want an id on what a server made; the server takes it without, where nothing is stored."""
    named = [
        item if item.get("type") in _ANONYMOUS else {"id": "x", **item} for item in body["input"]
    ]
    _fits("responses", {**body, "input": named})


_ANONYMOUS = (None, "message", "function_call", "function_call_output")


def anthropic(body: Body) -> None:
    _fits("anthropic", body)


def gemini(body: Body) -> None:
    from tests.providers.oracles import gemini_types as types

    config = types.GenerationConfig
    try:
        for content in body["contents"]:
            types.Content.model_validate(content)
        for tool in body.get("tools", ()):
            types.Tool.model_validate(tool)
        if "systemInstruction" in body:
            types.Content.model_validate(body["systemInstruction"])
        config.model_validate(body.get("generationConfig", {}))
    except ValidationError as error:
        first = error.errors()[0]
        raise Rejected(f"SDK: {first['loc']} {first['msg']}") from None


def is_narrow(schema: Body) -> bool:
    """Whether Anthropic's SDK would leave this schema as it is."""
    from tests.providers.oracles import anthropic_sdk

    try:
        return anthropic_sdk.transform_schema(json.loads(json.dumps(schema))) == schema
    except (ValueError, AssertionError):
        return False
