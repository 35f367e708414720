"""Requests of the generateContent protocol."""

from base64 import b64encode
from typing import Any

import msgspec
import pytest

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
from bottega.providers import gemini
from bottega.providers.gemini.thinking import version_of
from bottega.providers.provider import Abilities, Effort, Request, Target, ToolSpec, WireRequest
from tests.providers.oracles import gemini_types as types

TARGET = Target("google", "https://generativelanguage.googleapis.com", key="AIza-secret")
SCHEMA = {"type": "object", "properties": {"path": {"$ref": "#/$defs/p"}}, "$defs": {"p": {}}}
TOOL = ToolSpec("read", "Read a file.", SCHEMA)
SKIP = "skip_thought_signature_validator"


def request(*messages: Message, model: str = "gemini-2.5-flash", **more: Any) -> Request:
    return Request(model=model, messages=messages or (user("Hi"),), **more)


def sent(asked: Request, target: Target = TARGET) -> WireRequest:
    return gemini.to_wire(asked, target)


def body(asked: Request) -> dict[str, Any]:
    return msgspec.json.decode(sent(asked).body)


def turns(*messages: Message, **more: Any) -> list[dict[str, Any]]:
    return body(request(*messages, **more))["contents"]


def said(*blocks: Block) -> Message:
    return Message("assistant", blocks)


def result(call: str, *content: Any, **more: Any) -> Message:
    return Message("tool", (ToolResult(call, content, **more),))


def test_a_request_says_where_and_what_but_no_key_in_the_address() -> None:
    wire = sent(request())
    base = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash"
    assert wire.url == f"{base}:streamGenerateContent?alt=sse"
    assert wire.headers["x-goog-api-key"] == "AIza-secret"
    assert "secret" not in wire.url + repr(wire)
    assert sent(request(stream=False)).url == f"{base}:generateContent"
    assert body(request(system=" ")) == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }


def test_an_address_may_name_its_version_and_a_model_its_folder() -> None:
    place = "https://x.example/v1beta1/projects/p/locations/l/publishers/google"
    target = Target("vertex", place, headers={"Authorization": "Bearer t"})
    wire = sent(request(), target)
    assert wire.url == f"{place}/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert wire.headers["authorization"] == "Bearer t"
    assert "x-goog-api-key" not in wire.headers
    asking = Target("x", "https://x.example?team=a")
    assert sent(request(), asking).url.endswith(":streamGenerateContent?alt=sse&team=a")
    tuned = sent(request(model="tunedModels/mine?x", stream=False)).url
    assert tuned.endswith("/v1beta/tunedModels/mine%3Fx:generateContent")


def test_system_options_and_tools_have_their_places() -> None:
    asked = body(request(system="Be brief.", tools=(TOOL,), temperature=1.5, max_output=99))
    assert asked["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    declared = {
        "name": "read",
        "description": "Read a file.",
        "parametersJsonSchema": SCHEMA,
    }
    assert asked["tools"] == [{"functionDeclarations": [declared]}]
    assert asked["generationConfig"]["temperature"] == 1.5
    assert asked["generationConfig"]["maxOutputTokens"] == 99


@pytest.mark.requirement("A37", "A38")
def test_results_are_found_by_the_name_of_their_call() -> None:
    found = turns(
        user("Read both."),
        said(Text("Yes."), ToolUse("a", "read", {"path": "x"}), ToolUse("b", "list")),
        result("a", Text("X"), Text("Y")),
        result("b", Text("gone"), is_error=True),
        user("Hurry."),
    )
    assert found == [
        {"role": "user", "parts": [{"text": "Read both."}]},
        {
            "role": "model",
            "parts": [
                {"text": "Yes."},
                {"functionCall": {"id": "a", "name": "read", "args": {"path": "x"}}},
                {"functionCall": {"id": "b", "name": "list", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "a", "name": "read", "response": {"output": "X\nY"}}},
                {"functionResponse": {"id": "b", "name": "list", "response": {"error": "gone"}}},
                {"text": "Hurry."},
            ],
        },
    ]


def test_a_malformed_call_goes_back_as_an_object() -> None:
    found = turns(said(ToolUse("a", "f", {}, malformed="[1]")), result("a"))
    assert found[0]["parts"][0]["functionCall"]["args"] == {"malformed": "[1]"}


def test_seals_go_back_on_their_parts_to_this_protocol_alone() -> None:
    found = turns(
        user("a"),
        said(
            Reasoning("Hm.", "gemini", "s1"),
            Reasoning("", "gemini", "s2"),
            Reasoning("unsealed", "gemini"),
            Reasoning("foreign", "anthropic", "s3"),
            Text("b", "gemini", "s4"),
            Text("c", "openai-chat", "s5"),
            ToolUse("x", "f", origin="gemini", signature="s6"),
            ToolUse("y", "f", origin="openai-chat", signature="s7"),
            Sources((Source("t"),)),
        ),
        result("x"),
        result("y"),
        model="gemini-3-flash-preview",
    )
    assert found[1]["parts"] == [
        {"text": "Hm.", "thought": True, "thoughtSignature": "s1"},
        {"text": "", "thoughtSignature": "s2"},
        {"text": "b", "thoughtSignature": "s4"},
        {"text": "c"},
        {"functionCall": {"id": "x", "name": "f", "args": {}}, "thoughtSignature": "s6"},
        {"functionCall": {"id": "y", "name": "f", "args": {}}},
    ]


def test_the_first_call_of_another_model_is_excused_from_its_seal() -> None:
    history = (said(ToolUse("x", "f"), ToolUse("y", "f")), result("x"), result("y"))
    newer = turns(user("a"), *history, model="gemini-3.1-pro-preview")[1]["parts"]
    assert [part.get("thoughtSignature") for part in newer] == [SKIP, None]
    older = turns(user("a"), *history)[1]["parts"]
    assert [part.get("thoughtSignature") for part in older] == [None, None]


def test_what_google_ran_goes_back_as_it_came_if_it_has_a_result() -> None:
    code, outcome = {"executableCode": {"code": "1"}}, {"codeExecutionResult": {"output": "1"}}
    pages = {"urlContextMetadata": {}}
    found = turns(
        user("a"),
        said(
            ToolUse("c", "code_execution", server=True, origin="gemini", raw=code),
            ToolResult("c", (Text("1"),), server=True, origin="gemini", raw=outcome),
            ToolUse("d", "code_execution", server=True, origin="gemini", raw=code),
            ToolUse("e", "url_context", server=True, origin="gemini", raw=pages),
            ToolResult("e", server=True, origin="gemini", raw=pages),
            ToolUse("f", "web_search", server=True, origin="anthropic", raw={"type": "x"}),
            ToolResult("f", server=True, origin="anthropic", raw={"type": "y"}),
            Text("b"),
        ),
        user("c"),
    )
    assert found[1]["parts"] == [code, outcome, {"text": "b"}]


@pytest.mark.requirement("A46")
def test_pictures_sounds_and_documents_are_inline() -> None:
    note = b64encode(b"hi").decode()
    found = turns(
        Message(
            "user",
            (
                Image("image/png", "aGk="),
                Audio("audio/wav", "aGk="),
                Document("application/pdf", "aGk=", name="a.pdf"),
                Document("application/json", note),
            ),
        ),
        said(Image("image/png", "bm8=")),
    )
    kinds = [part["inlineData"]["mimeType"] for part in found[0]["parts"]]
    assert kinds == ["image/png", "audio/wav", "application/pdf", "text/plain"]
    assert found[1]["parts"] == [{"inlineData": {"mimeType": "image/png", "data": "bm8="}}]


def test_a_picture_in_a_result_stands_inside_it_or_beside_it() -> None:
    history = (said(ToolUse("x", "f")), result("x", Text("see"), Image("image/png", "aGk=")))
    picture = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    older = turns(*history)[1]["parts"]
    assert older[1:] == [picture]
    newer = turns(*history, model="gemini-3-flash-preview")[1]["parts"]
    assert [part["functionResponse"]["parts"] for part in newer] == [[picture]]


@pytest.mark.parametrize(
    ("block", "able", "word"),
    [
        (Image("image/png", "aGk="), Abilities(images=False), "images"),
        (Audio("audio/wav", "aGk="), Abilities(audio=False), "audio"),
        (Document("text/plain", "aGk="), Abilities(documents=False), "documents"),
        (Document("application/zip", "aGk="), Abilities(), "application/zip"),
        (ToolResult("a", (Image("image/png", "aGk="),)), Abilities(images=False), "images"),
        (ToolUse("a", "f"), Abilities(tools=False), "tools"),
        (Image("image/png", blob="abc"), Abilities(), "abc"),
    ],
)
def test_what_it_cannot_take_is_refused_by_name(block: Block, able: Abilities, word: str) -> None:
    with pytest.raises(Unsupported) as refused:
        sent(request(Message("user", (block,)), abilities=able))
    assert word in str(refused.value)
    assert "gemini-2.5-flash" in str(refused.value)


def test_what_google_ran_needs_no_tools_of_ours() -> None:
    ran = said(ToolUse("c", "code_execution", server=True), ToolResult("c", server=True))
    assert sent(request(user("a"), ran, user("b"), abilities=Abilities(tools=False))).body


def test_tools_on_offer_to_a_model_without_them_are_refused() -> None:
    with pytest.raises(Unsupported, match="tools"):
        sent(request(tools=(TOOL,), abilities=Abilities(tools=False)))


LEVELS: list[tuple[str, Effort | None, dict[str, Any] | None, bool]] = [
    ("gemini-2.0-flash", None, None, False),
    ("gemini-2.0-flash", "high", None, True),
    ("gemini-2.5-flash-image", "high", None, True),
    ("gemini-2.5-flash", "none", {"thinkingBudget": 0}, False),
    ("gemini-2.5-pro", "none", {"includeThoughts": True, "thinkingBudget": 128}, True),
    ("gemini-2.5-pro", "medium", {"includeThoughts": True, "thinkingBudget": 8192}, False),
    ("gemini-3-flash-preview", None, {"includeThoughts": True}, False),
    ("gemini-3-flash-preview", "none", {"includeThoughts": True, "thinkingLevel": "LOW"}, True),
    ("gemini-3-pro-preview", "medium", {"includeThoughts": True, "thinkingLevel": "HIGH"}, False),
    ("gemini-3.8-flash", "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}, False),
    ("gemini-flash-latest", "max", {"includeThoughts": True, "thinkingLevel": "HIGH"}, False),
    ("gemma-3-27b-it", "low", None, True),
]


@pytest.mark.parametrize(("model", "effort", "config", "noted"), LEVELS)
def test_each_generation_is_told_to_think_in_its_own_way(
    model: str, effort: Effort | None, config: dict[str, Any] | None, noted: bool
) -> None:
    wire = sent(request(model=model, effort=effort))
    found = msgspec.json.decode(wire.body).get("generationConfig", {}).get("thinkingConfig")
    assert found == config
    assert bool(wire.notices) == noted


def test_the_version_is_read_from_the_name() -> None:
    assert version_of("models/gemini-2.5-pro-preview-06-05") == (2, 5)
    assert version_of("gemini-4-argon") == (4, 0)
    assert version_of("gemini-pro-latest") > (4, 0)


def test_what_a_model_has_not_is_left_out_with_a_notice() -> None:
    able = Abilities(temperature=False, reasoning=False)
    wire = sent(request(temperature=0.5, effort="low", abilities=able))
    assert b"generationConfig" not in wire.body
    assert len(wire.notices) == 2


def test_messages_with_nothing_to_say_are_left_out() -> None:
    nothing = Message("user", (Sources(), Text("")))
    found = turns(user("a"), said(Reasoning("x")), nothing, user("b"))
    assert found == [{"role": "user", "parts": [{"text": "a"}, {"text": "b"}]}]


def test_half_characters_do_not_stop_a_request() -> None:
    assert turns(user("a\udc80b"))[0]["parts"] == [{"text": "a\ufffdb"}]


def test_the_body_is_what_the_sdk_itself_would_take() -> None:
    asked = body(
        request(
            Message("user", (Text("a"), Image("image/png", "aGk="))),
            said(
                Reasoning("Hm.", "gemini", "c2Vh"),
                Text("b", "gemini", "c2Vh"),
                ToolUse("x", "read", {"path": "p"}),
            ),
            result("x", Text("c"), Image("image/png", "aGk=")),
            system="Be brief.",
            tools=(TOOL,),
            temperature=0.5,
            max_output=100,
            effort="high",
            model="gemini-3-flash-preview",
        )
    )
    # These types forbid fields that they do not know.
    for turn in asked["contents"]:
        taken = types.Content.model_validate(turn)
        again = taken.model_dump(mode="json", by_alias=True, exclude_none=True)
        assert _one_alphabet(again) == _one_alphabet(turn)
    types.Content.model_validate(asked["systemInstruction"])
    types.GenerationConfig.model_validate(asked["generationConfig"])
    for tool in asked["tools"]:
        assert types.Tool.model_validate(tool).function_declarations


def _one_alphabet(found: Any) -> bytes:
    """The SDK writes base64 in its other alphabet."""
    return msgspec.json.encode(found, order="sorted").replace(b"-", b"+").replace(b"_", b"/")
