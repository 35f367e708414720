"""What was sent before is sent the same again, byte for byte, so that the providers' prompt caches hit."""

import json
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pytest
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

from bottega.messages.block import Image, Origin, Reasoning, Text, ToolResult, ToolUse
from bottega.messages.message import Message, user
from bottega.messages.repair import repair
from bottega.messages.seal import unsealed
from bottega.providers.catalog import abilities
from bottega.providers.provider import Request, Target, ToolSpec
from bottega.providers.wires import WireName, wire
from tests.providers.made_up import fits

MARK = b',"cache_control":{"type":"ephemeral"}'
LOOKBACK = 20
"""How many blocks before a mark Anthropic looks for a place that it has kept."""
PICTURE = Image("image/png", "aGVsbG8=" * 9)
TOOLS = tuple(
    ToolSpec(f"tool_{n}", "Does it. " * 20, {"type": "object", "properties": {"path": {}}})
    for n in range(12)
)
SYSTEM = "You are careful. " * 200


class Place(NamedTuple):
    wire: WireName
    model: str
    home: str


PLACES = {
    "anthropic": Place("anthropic", "claude-sonnet-4-5", "https://api.anthropic.com"),
    "anthropic, adaptive": Place("anthropic", "claude-opus-5", "https://api.anthropic.com"),
    "openai": Place("openai-responses", "gpt-5", "https://api.openai.com/v1"),
    "openai chat": Place("openai-chat", "gpt-4o", "https://api.openai.com/v1"),
    "openrouter": Place(
        "openai-chat", "anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1"
    ),
    "another": Place("openai-chat", "qwen", "http://127.0.0.1:8000/v1"),
    "gemini": Place("gemini", "gemini-3-flash", "https://generativelanguage.googleapis.com"),
}
MARKED = [name for name in PLACES if name.startswith(("anthropic", "openrouter"))]


def session(origin: Origin, calls: int) -> Iterator[Message]:
    """A long session as the log has it: many exchanges, each with steps of calls side by side."""
    for turn in range(12):
        yield user(f"Prompt {turn}. " + "And this is why I ask. " * 9)
        for step in range(4):
            ids = [f"call_{turn}_{step}_{n}" for n in range(calls)]
            thought = Reasoning("Hm, let me see.", origin, "c2VhbA==")
            asked = (ToolUse(i, "tool_1", {"path": f"{i}.py"}) for i in ids)
            yield Message("assistant", (thought, Text("I look."), *asked))
            for call in ids:
                shown = (Text(f"The file of {call}. " * 20), *([PICTURE] if step == 2 else []))
                yield Message("tool", (ToolResult(call, shown, is_error=step == 3),))
        if turn % 3 != 2:
            yield Message("assistant", (Text(f"Done with {turn}."),))


def sent(place: Place, history: list[Message], **more: Any) -> bytes:
    request = Request(
        model=place.model,
        messages=repair(unsealed(history, place.model), place.wire),
        system=SYSTEM,
        tools=TOOLS,
        effort="low",
        abilities=abilities(place.model),
        cache_key="ses_1",
        **more,
    )
    return wire(place.wire).to_wire(request, Target("x", place.home)).body


def requests(place: Place, calls: int = 3) -> list[bytes]:
    """The bodies of all requests of the session, in order."""
    history: list[Message] = []
    bodies: list[bytes] = []
    for message in session(place.wire, calls):
        if message.role == "assistant":
            bodies.append(sent(place, history))
        history.append(message)
    return bodies


def shared(first: bytes, second: bytes) -> int:
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low


@pytest.mark.parametrize("name", PLACES)
def test_what_was_sent_before_is_sent_the_same_again(name: str) -> None:
    bodies = [body.replace(MARK, b"") for body in requests(PLACES[name])]
    assert len(bodies) > 40
    shares = [shared(first, second) / len(first) for first, second in pairwise(bodies)]
    assert min(shares) >= 0.99


@pytest.mark.parametrize("name", [name for name in PLACES if name not in MARKED])
def test_where_caching_needs_no_marks_there_are_none(name: str) -> None:
    assert b"cache_control" not in requests(PLACES[name])[-1]


def blocks(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """All that is cached, in the order in which it is, and what of it is marked."""
    system = body.get("system", [])
    said = [part for message in body["messages"] for part in _parts(message)]
    found = [*body.get("tools", []), *system, *said]
    return [
        (
            json.dumps({k: v for k, v in block.items() if k != "cache_control"}),
            "cache_control" in block,
        )
        for block in found
    ]


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    own = {"role": message["role"], "calls": message.get("tool_calls")}
    parts = content if isinstance(content, list) else [{"text": content}]
    return [own | part for part in parts]


@pytest.mark.parametrize("calls", [1, 30])
@pytest.mark.parametrize("name", MARKED)
def test_the_marks_let_a_request_find_nearly_all_of_the_one_before(name: str, calls: int) -> None:
    """Simulated as documented: kept is what ends at a mark, found is what ends at most 20 blocks before one."""
    kept: set[int] = set()
    before = 0
    for number, body in enumerate(requests(PLACES[name], calls)):
        found = blocks(json.loads(body))
        marks = [place for place, (_, marked) in enumerate(found) if marked]
        assert 2 <= len(marks) <= 4
        ends = list(accumulate((hash(text) for text, _ in found), lambda *both: hash(both)))
        read = [
            place
            for mark in marks
            for place in range(max(0, mark - LOOKBACK + 1), mark + 1)
            if ends[place] in kept
        ]
        # OpenRouter takes marks on text only, so a picture at the end is read again.
        assert number == 0 or max(read, default=0) + 1 >= before - (name == "openrouter")
        kept.update(ends[mark] for mark in marks)
        before = len(found)


def test_a_session_s_key_goes_to_openai_itself_and_to_nobody_else() -> None:
    for name, place in PLACES.items():
        body = json.loads(sent(place, [user("Hi")]))
        key = body.get("prompt_cache_key")
        assert key == ("ses_1" if name.startswith("openai") and name != "openrouter" else None)
    asked = Request(model="gpt-5", messages=(user("Hi"),), cache_key="k" * 100)
    for kind in ("openai-chat", "openai-responses"):
        wired = wire(kind).to_wire(asked, Target("openai", "https://api.openai.com/v1"))
        assert json.loads(wired.body)["prompt_cache_key"] == "k" * 64


def test_openrouter_s_marks_stand_on_text_only() -> None:
    pictured = Message("user", (Text("Look."), PICTURE))
    body = json.loads(sent(PLACES["openrouter"], [pictured]))
    fits(CompletionCreateParamsStreaming, json.loads(json.dumps(body).replace(MARK.decode(), "")))
    system, said = body["messages"]
    assert system["content"] == [
        {"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}
    ]
    assert ["cache_control" in part for part in said["content"]] == [True, False]
