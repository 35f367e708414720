"""Requests of the Messages protocol."""

from base64 import b64encode
from typing import Any

import msgspec
import pytest
from pydantic import TypeAdapter

from bottega.errors import Unsupported
from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Message, user
from bottega.providers import anthropic
from bottega.providers.anthropic.thinking import version_of
from bottega.providers.provider import Abilities, Effort, Request, Target, ToolSpec, WireRequest
from tests.providers.oracles import anthropic_sdk

TARGET = Target("anthropic", "https://api.anthropic.com", key="sk-ant-secret")
MARK = {"type": "ephemeral"}
TOOL = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {}}})
ADAPTIVE = {"type": "adaptive", "display": "summarized"}


def request(*messages: Message, model: str = "claude-sonnet-4-5", **more: Any) -> Request:
    return Request(model=model, messages=messages or (user("Hi"),), **more)


def sent(asked: Request, target: Target = TARGET) -> WireRequest:
    return anthropic.to_wire(asked, target)


def body(asked: Request) -> dict[str, Any]:
    return msgspec.json.decode(sent(asked).body)


def said(*blocks: Block) -> Message:
    return Message("assistant", blocks)


def result(call: str, *content: Any, **more: Any) -> Message:
    return Message("tool", (ToolResult(call, content, **more),))


def turns(*messages: Message, **more: Any) -> list[dict[str, Any]]:
    """The conversation without the marks for the cache."""
    found = body(request(*messages, **more))["messages"]
    for turn in found:
        for block in turn["content"]:
            block.pop("cache_control", None)
    return found


def test_a_request_says_where_and_what() -> None:
    wire = sent(request())
    assert wire.url == "https://api.anthropic.com/v1/messages"
    assert wire.headers["x-api-key"] == "sk-ant-secret"
    assert wire.headers["anthropic-version"] == "2023-06-01"
    assert "secret" not in repr(wire)
    content = [{"type": "text", "text": "Hi", "cache_control": MARK}]
    assert body(request()) == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 32_000,
        "stream": True,
        "messages": [{"role": "user", "content": content}],
    }


def test_an_address_may_end_in_the_version_and_headers_may_be_added() -> None:
    for base in ("https://x.example/anthropic", "https://x.example/anthropic/v1/"):
        target = Target("x", base, headers={"Anthropic-Version": "2026-10-21", "X-Team": "a"})
        wire = sent(request(), target)
        assert wire.url == "https://x.example/anthropic/v1/messages"
        assert wire.headers["anthropic-version"] == "2026-10-21"
        assert wire.headers["x-team"] == "a"
        assert "x-api-key" not in wire.headers
    asking = sent(request(), Target("x", "https://x.example/?team=a"))
    assert asking.url == "https://x.example/v1/messages?team=a"


def test_a_request_that_does_not_stream_does_not_ask_to() -> None:
    assert "stream" not in body(request(stream=False))


def test_the_prefix_and_the_user_s_last_two_turns_are_marked_for_the_cache() -> None:
    asked = body(request(system="Be brief.", tools=(TOOL, TOOL)))
    assert asked["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    assert "cache_control" not in asked["tools"][-1]
    bare = body(request(tools=(TOOL, TOOL)))
    assert "system" not in bare
    assert ["cache_control" in tool for tool in bare["tools"]] == [False, True]
    history = (user("o"), said(Text("p")), user("a"), said(Text("b")), user("c"))
    marked = [
        "cache_control" in block
        for turn in body(request(*history))["messages"]
        for block in turn["content"]
    ]
    assert marked == [False, False, True, False, True]


@pytest.mark.requirement("A17", "A21")
def test_tools_are_offered_with_their_schema() -> None:
    (tool,) = body(request(system="s", tools=(TOOL,)))["tools"]
    assert tool == {"name": "read", "description": "Read a file.", "input_schema": TOOL.schema}


@pytest.mark.requirement("A12", "A27")
def test_calls_and_results_take_turns_and_results_come_first() -> None:
    found = turns(
        user("Read both."),
        said(Text("Yes."), ToolUse("a", "read", {"path": "x"}), ToolUse("b", "read")),
        result("a", Text("X")),
        result("b", Text("no such file"), is_error=True),
        user("And hurry."),
    )
    assert found == [
        {"role": "user", "content": [{"type": "text", "text": "Read both."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Yes."},
                {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
                {"type": "tool_use", "id": "b", "name": "read", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "X"}],
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "content": [{"type": "text", "text": "no such file"}],
                    "is_error": True,
                },
                {"type": "text", "text": "And hurry."},
            ],
        },
    ]


def test_a_steer_among_results_stands_after_all_of_them() -> None:
    found = turns(
        said(ToolUse("a", "f"), ToolUse("b", "f")), result("a"), user("Stop."), result("b")
    )
    kinds = [block["type"] for block in found[-1]["content"]]
    assert kinds == ["tool_result", "tool_result", "text"]


def test_ids_of_other_providers_are_made_acceptable_on_both_sides() -> None:
    found = turns(said(ToolUse("functions.read:0", "read")), result("functions.read:0"))
    assert found[0]["content"][0]["id"] == found[1]["content"][0]["tool_use_id"]
    assert found[0]["content"][0]["id"] == "functions_read_0"


def test_a_malformed_call_goes_back_as_an_object() -> None:
    (call,) = turns(said(ToolUse("a", "f", {}, malformed='{"x')), result("a"))[0]["content"]
    assert call["input"] == {"malformed": '{"x'}


def test_thoughts_go_back_sealed_or_not_at_all() -> None:
    redacted = {"type": "redacted_thinking", "data": "abc"}
    found = turns(
        user("a"),
        said(
            Reasoning("Hm.", "anthropic", "seal"),
            Reasoning("", "anthropic", "other"),
            Reasoning("", "anthropic", raw=redacted),
            Reasoning("unsealed", "anthropic"),
            Reasoning("foreign", "gemini", "seal"),
            Text("b"),
            Sources((Source("t"),)),
        ),
        user("c"),
    )
    assert found[1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "seal"},
        {"type": "thinking", "thinking": "", "signature": "other"},
        redacted,
        {"type": "text", "text": "b"},
    ]


def test_tools_that_the_provider_ran_go_back_as_they_came_to_it_alone() -> None:
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    given = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    foreign = {"executableCode": {"code": "1"}}
    found = turns(
        user("a"),
        said(
            ToolUse("s", "web_search", {"query": "x"}, server=True, origin="anthropic", raw=use),
            ToolResult("s", (Text("T"),), server=True, origin="anthropic", raw=given),
            ToolUse("g", "code_execution", {}, server=True, origin="gemini", raw=foreign),
            Text("b"),
        ),
        user("c"),
    )
    assert found[1]["content"] == [use, given, {"type": "text", "text": "b"}]


def test_empty_texts_and_empty_messages_are_left_out() -> None:
    found = turns(user("a"), said(Text("  \n"), Reasoning("x")), user("b"), user(""))
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert found == [{"role": "user", "content": texts}]


@pytest.mark.requirement("A46")
def test_pictures_and_documents_are_sent() -> None:
    note = b64encode("Grüße".encode()).decode()
    found = turns(
        Message(
            "user",
            (
                Image("image/png", "aGk="),
                Document("application/pdf", "cGRm", name="a.pdf"),
                Document("text/markdown; charset=utf-8", note, name="b.md"),
            ),
        ),
        said(Image("image/png", "aGk=")),
        result("a", Image("image/jpeg", "aGk="), Text("shown")),
    )
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
    }
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "cGRm"}
    text = {"type": "text", "media_type": "text/plain", "data": "Grüße"}
    assert found[0]["content"] == [
        image,
        {"type": "document", "source": pdf, "title": "a.pdf"},
        {"type": "document", "source": text, "title": "b.md"},
    ]
    assert found[1]["content"] == [{"type": "text", "text": "[image/png]"}]
    assert [b["type"] for b in found[2]["content"][0]["content"]] == ["image", "text"]


@pytest.mark.parametrize(
    ("block", "word"),
    [
        (Audio("audio/wav", "aGk="), "audio"),
        (Image("image/tiff", "aGk="), "image/tiff"),
        (Document("application/zip", "aGk="), "application/zip"),
        (Document("text/plain", "!"), "base64"),
        (Image("image/png", blob="abc"), "abc"),
        (ToolResult("a", (Audio("audio/wav", "aGk="),)), "audio"),
    ],
)
def test_what_it_cannot_take_is_refused_by_name(block: Block, word: str) -> None:
    with pytest.raises(Unsupported) as refused:
        sent(request(Message("user", (block,))))
    assert word in str(refused.value)
    assert "claude-sonnet-4-5" in str(refused.value)


LEVELS: list[tuple[str, Effort | None, dict[str, Any]]] = [
    ("claude-sonnet-4-5-20250929", None, {}),
    ("claude-sonnet-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
    ("claude-3-7-sonnet-latest", "max", {"thinking": {"type": "enabled", "budget_tokens": 24000}}),
    ("claude-opus-4-20250514", "none", {}),
    ("claude-opus-4-6", None, {}),
    ("claude-opus-4-8", "max", {"thinking": ADAPTIVE, "output_config": {"effort": "max"}}),
    ("claude-sonnet-4-6", "minimal", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
    ("claude-sonnet-4-6", "none", {}),
    ("claude-opus-5", None, {"thinking": ADAPTIVE}),
    ("claude-opus-5", "none", {"thinking": {"type": "disabled"}}),
    ("claude-haiku-5-5", "none", {"thinking": {"type": "disabled"}}),
    ("claude-sonnet-5-5", "none", {"thinking": {"type": "between_tools"}}),
    ("claude-opus-5-5", "none", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
    ("claude-mythos-preview", "none", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
    ("glm-5", "high", {"thinking": {"type": "enabled", "budget_tokens": 16384}}),
]


@pytest.mark.parametrize(("model", "effort", "fields"), LEVELS)
def test_each_generation_is_told_to_think_in_its_own_way(
    model: str, effort: Effort | None, fields: dict[str, Any]
) -> None:
    asked = body(request(model=model, effort=effort))
    assert {name: asked[name] for name in ("thinking", "output_config") if name in asked} == fields
    if budget := fields.get("thinking", {}).get("budget_tokens"):
        assert budget < asked["max_tokens"]


@pytest.mark.parametrize(
    ("model", "most"),
    [
        ("claude-3-opus-20240229", 4096),
        ("claude-3-5-haiku-latest", 8192),
        ("claude-opus-4-1-20250805", 32_000),
        ("claude-fable-5-2", 64_000),
        ("glm-5", 8192),
    ],
)
def test_an_answer_may_be_as_long_as_the_generation_permits(model: str, most: int) -> None:
    assert body(request(model=model))["max_tokens"] == most
    assert body(request(model=model, max_output=77))["max_tokens"] == 77


def test_the_version_is_read_from_any_spelling() -> None:
    spelled = {
        "claude-3-7-sonnet-20250219": (3, 7),
        "us.anthropic.claude-haiku-4-5-20251001-v1:0": (4, 5),
        "anthropic/claude-opus-4.6": (4, 6),
        "claude-4-opus-20250514": (4, 0),
        "claude-2.1": (2, 1),
        "kimi-k3": (0, 0),
    }
    assert {name: version_of(name) for name in spelled} == spelled


def test_a_budget_leaves_room_for_the_answer() -> None:
    asked = body(request(effort="high", max_output=4096))
    assert asked["thinking"]["budget_tokens"] == 3072
    wire = sent(request(effort="high", max_output=1200))
    assert b"thinking" not in wire.body
    assert "no room" in wire.notices[0]


def test_a_turn_of_another_model_goes_on_without_a_budget() -> None:
    history = (user("a"), said(ToolUse("x", "f")), result("x"))
    wire = sent(request(*history, effort="high"))
    assert b"budget" not in wire.body
    assert wire.notices
    steered = sent(request(*history, user("Wait."), effort="high"))
    assert b"budget" not in steered.body
    after = sent(request(*history, said(Text("b")), user("c"), effort="high"))
    assert b"budget" in after.body
    own = said(Reasoning("Hm.", "anthropic", "s"), ToolUse("x", "f"))
    assert b"budget" in sent(request(user("a"), own, result("x"), effort="high")).body
    assert b"adaptive" in sent(request(*history, effort="high", model="claude-opus-5")).body


def test_results_without_their_call_do_not_stop_a_request() -> None:
    assert b"budget" in sent(request(result("x"), effort="high")).body
    assert turns(Message("user", (Sources(), Text("a"))), said(Text("b")))[1]["role"] == "assistant"


def test_a_temperature_is_sent_where_it_may_be() -> None:
    assert body(request(temperature=0.3))["temperature"] == 0.3
    high = sent(request(temperature=1.7))
    assert msgspec.json.decode(high.body)["temperature"] == 1.0
    assert "lowered" in high.notices[0]


@pytest.mark.parametrize(
    "asked",
    [
        request(temperature=0.3, effort="low"),
        request(temperature=0.3, model="claude-opus-4-7"),
        request(temperature=0.3, abilities=Abilities(temperature=False)),
    ],
)
def test_a_temperature_that_would_be_refused_is_left_out_with_a_notice(asked: Request) -> None:
    wire = sent(asked)
    assert "temperature" not in msgspec.json.decode(wire.body)
    assert any("temperature" in notice for notice in wire.notices)


def test_effort_for_a_model_that_cannot_think_is_left_out_with_a_notice() -> None:
    for asked in (
        request(effort="high", abilities=Abilities(reasoning=False)),
        request(effort="high", model="claude-3-5-haiku-latest"),
    ):
        wire = sent(asked)
        assert b"thinking" not in wire.body
        assert "effort was left out" in wire.notices[0]
    assert not sent(request(effort="none", abilities=Abilities(reasoning=False))).notices


def test_half_characters_do_not_stop_a_request() -> None:
    assert turns(user("a\udc80b"))[0]["content"][0]["text"] == "a\ufffdb"


def test_the_body_is_what_the_sdk_itself_would_take() -> None:
    everything = request(
        Message(
            "user", (Text("a"), Image("image/png", "aGk="), Document("application/pdf", "eA=="))
        ),
        said(Reasoning("Hm.", "anthropic", "s"), Text("b"), ToolUse("x", "read", {"path": "p"})),
        result("x", Text("c"), Image("image/png", "aGk="), is_error=True),
        system="Be brief.",
        tools=(TOOL,),
        effort="high",
        model="claude-opus-5",
    )
    adapter: TypeAdapter[Any] = TypeAdapter(anthropic_sdk.types.MessageCreateParams)
    taken = plain(adapter.validate_python(body(everything)))
    assert taken == body(everything)


def plain(found: Any) -> Any:
    """Read what the SDK's types validate only when it is looked at."""
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    if isinstance(found, str | int | float | None):
        return found
    return [plain(value) for value in found]
