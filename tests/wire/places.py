"""Whom requests go to, and how they are asked: the way from a history to a body, and to its judge."""

import json
from typing import Any, Literal, NamedTuple

from bottega.agents.texting import in_text
from bottega.messages.message import Message
from bottega.messages.repair import repair
from bottega.messages.seal import unsealed
from bottega.providers.catalog import abilities
from bottega.providers.provider import Effort, Request, Target, ToolSpec
from bottega.providers.wires import WireName, wire
from tests.wire import anthropic, chat, gemini, responses
from tests.wire.verdict import Body

History = tuple[Message, ...]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
TOOL = ToolSpec("read_file", "Reads.", {"type": "object", "properties": {"path": {}}})
Way = Literal["calls", "text"]
"""How the model calls: by itself, or in its text."""


class Place(NamedTuple):
    """Whom a request goes to, and how it is asked."""

    wire: WireName
    model: str
    home: str
    effort: Effort | None = None
    schema: dict[str, Any] | None = None
    system: str = "Be brief."
    tools: tuple[ToolSpec, ...] = (TOOL,)
    way: Way = "calls"


OPENAI = "https://api.openai.com/v1"
CLAUDE = "https://api.anthropic.com"
GOOGLE = "https://generativelanguage.googleapis.com"
PLACES = (
    Place("anthropic", "claude-sonnet-4-5", CLAUDE, "low", SCHEMA),
    Place("anthropic", "claude-sonnet-4-5", CLAUDE, system="", tools=()),
    Place("anthropic", "claude-opus-5", CLAUDE, "high"),
    Place("anthropic", "kimi-k2", "https://x.example/anthropic"),
    Place("openai-chat", "gpt-4o", OPENAI, schema=SCHEMA),
    Place("openai-chat", "anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1"),
    Place("openai-chat", "qwen", "http://127.0.0.1:8000/v1", system="", tools=()),
    Place("openai-chat", "deepseek-chat", "https://api.deepseek.com/v1", schema=SCHEMA),
    Place("openai-responses", "gpt-5", OPENAI, "low", SCHEMA),
    Place("openai-responses", "qwen", "http://127.0.0.1:8000/v1", system="", tools=()),
    Place("gemini", "gemini-2.5-flash", GOOGLE, "low", SCHEMA),
    Place("gemini", "gemini-3-flash", GOOGLE, "high", SCHEMA),
    Place("gemini", "gemini-2.0-flash", GOOGLE, schema=SCHEMA, system="", tools=()),
)


def sent(place: Place, history: History, model: str) -> Body:
    """The body that a request with this history has; `model` is how the user names it."""
    messages = unsealed(history, model)
    if place.way != "calls":
        messages = in_text(messages)
    request = Request(
        model=place.model,
        messages=repair(messages, place.wire),
        system=place.system,
        tools=place.tools if place.way == "calls" else (),
        effort=place.effort,
        schema=place.schema,
        cache_key="ses_1",
        abilities=abilities(place.model),
    )
    return json.loads(wire(place.wire).to_wire(request, Target("x", place.home, key="k")).body)


def check(place: Place, body: Body) -> None:
    match place.wire:
        case "openai-chat":
            chat.check(body)
        case "openai-responses":
            responses.check(body)
        case "anthropic":
            anthropic.check(body)
        case "gemini":
            gemini.check(body, sealed=place.model.startswith("gemini-3"))
