"""No session, whatever befell it, ever makes a request that its provider refuses."""

import json
from collections import Counter
from random import Random
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.errors import Unsupported
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
from bottega.messages.repair import repair
from bottega.messages.seal import unsealed
from bottega.providers.catalog import abilities
from bottega.providers.protocol.surrogates import mend
from bottega.providers.provider import Effort, Request, Target, ToolSpec
from bottega.providers.wires import WireName, wire
from tests.hunt import SEED, examples
from tests.messages.histories import poisoned
from tests.wire import anthropic, chat, gemini, responses
from tests.wire.lives import SEAL, WIRES, lived, provided
from tests.wire.verdict import Body, Rejected, strings

History = tuple[Message, ...]
_replace = msgspec.structs.replace
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
TOOL = ToolSpec("read_file", "Reads.", {"type": "object", "properties": {"path": {}}})
SHARE = 60
"""Into how many tests the long hunt is cut, so that they run side by side."""


class Place(NamedTuple):
    """Whom a request goes to, and how it is asked."""

    wire: WireName
    model: str
    home: str
    effort: Effort | None = None
    schema: dict[str, Any] | None = None
    system: str = "Be brief."
    tools: tuple[ToolSpec, ...] = (TOOL,)


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
    request = Request(
        model=place.model,
        messages=repair(unsealed(history, model), place.wire),
        system=place.system,
        tools=place.tools,
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


def is_refused(place: Place, history: History, model: str) -> str:
    """Why the provider would refuse this, or what it would not hear; empty if all is well."""
    try:
        body = sent(place, history, model)
        check(place, body)
    except Rejected as refusal:
        return str(refusal)
    except Unsupported:
        return ""
    return lost(body, history)


def lost(body: Body, history: History) -> str:
    """What the user said and the body does not; empty if it says it all."""
    told = "\0".join(strings(body))
    for message in history:
        for block in message.content if message.role == "user" else ():
            if isinstance(block, Text) and block.text.strip() and mend(block.text) not in told:
                return f"lost: {block.text!r}"
    return ""


def smallest(place: Place, history: History, model: str) -> History:
    """The history with all left out that its refusal does not need."""
    at = 0
    while at < len(history):
        less = (*history[:at], *history[at + 1 :])
        if less and is_refused(place, less, model):
            history = less
        else:
            at += 1
    return history


def judge(place: Place, history: History, model: str, life: str) -> None:
    if why := is_refused(place, history, model):
        least = smallest(place, history, model)
        pytest.fail(f"{life} to {place.model}: {why}\n" + "\n".join(map(repr, least)))


@pytest.mark.fuzz
@pytest.mark.requirement("A27", "C3")
@pytest.mark.parametrize("share", range(SHARE))
def test_no_life_of_a_session_makes_an_invalid_request(share: int) -> None:
    """Crash, cancel, calls side by side, a switch from wire to wire: all as the dice have it."""
    for number in range(share, examples(1_200, 100_000), SHARE):
        life = lived(Random(f"{SEED}:{number}"))
        place = life.dice.choice(PLACES)
        # Mostly the model that spoke last goes on; otherwise another one takes over.
        model = life.model if place.wire == life.wire and life.chance(0.8) else "another/one"
        judge(place, tuple(life.history), model, f"Life {SEED}:{number}")


hunted = settings(max_examples=examples(300, 20_000), deadline=None, database=None)


@pytest.mark.fuzz
@given(poison=poisoned(*WIRES), pick=st.integers(0, 11))
@hunted
def test_not_even_a_poisonous_history_makes_an_invalid_request(
    poison: tuple[Origin, History], pick: int
) -> None:
    origin, history = poison
    places = [place for place in PLACES if place.wire == origin]
    if history:
        real = tuple(_replace(m, content=_real(m.content)) for m in history)
        judge(places[pick % len(places)], real, "", "Poison")


def _real(content: tuple[Block, ...]) -> tuple[Block, ...]:
    """Blocks whose sealed parts are such as a decoder keeps, and whose media are what they say."""
    return tuple(map(_real_block, content))


def _real_block(block: Block) -> Any:
    match block:
        case Image() | Audio() | Document():
            return Image(block.media_type, "aGk=")
        case ToolUse() | ToolResult() if block.server and block.origin:
            call = block.id if isinstance(block, ToolUse) else block.tool_id
            use, found = provided(block.origin, crc32(repr(call).encode()))
            return _replace(block, raw=(use if isinstance(block, ToolUse) else found).raw)
        case ToolResult():
            return _replace(block, raw=None, content=_real(block.content))
        case ToolUse() | Reasoning():
            return _replace(block, raw=None, signature=block.signature and SEAL)
        case Text():
            seal = "commentary" if block.origin == "openai-responses" else SEAL
            return _replace(block, signature=block.signature and seal)
        case _:
            return block


def test_the_dice_let_everything_happen() -> None:
    """A hunt that meets no crash, no switch or no refusal of ours would show nothing."""
    met: Counter[str] = Counter()
    for number in range(300):
        life = lived(Random(f"{SEED}:{number}"))
        calls = {b.id for m in life.history for b in m.content if isinstance(b, ToolUse)}
        results = [b.tool_id for m in life.history for b in m.content if isinstance(b, ToolResult)]
        met["crash"] += not calls <= set(results)
        met["stray"] += not set(results) <= calls
        met["twice"] += len(results) != len(set(results))
        met["switch"] += len({m.model for m in life.history if m.model}) > 1
        met["thought"] += any(isinstance(b, Reasoning) for m in life.history for b in m.content)
        met["flood"] += any(len(m.content) > 100 for m in life.history)
        try:
            sent(life.dice.choice(PLACES), tuple(life.history), life.model)
        except Unsupported:
            met["unsupported"] += 1
        else:
            met["sent"] += 1
    assert min(met.values()) > 0
    assert met["sent"] > 200
