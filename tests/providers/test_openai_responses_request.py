"""A request for a response."""

import json
from typing import Any

import pytest
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)

from bottega.errors import Unsupported
from bottega.messages.block import (
    Audio,
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
from bottega.providers import openai_responses
from bottega.providers.provider import Abilities, Effort, Request, Target, ToolSpec
from tests.providers.made_up import fits, sse
from tests.providers.recordings import play

OPENAI = Target("openai", "https://api.openai.com/v1", key="sk-secret")
OTHER = Target("other", "https://openrouter.ai/api/v1")
TOOL = ToolSpec("look", "Look at it.", {"type": "object", "properties": {}})
PICTURE = Image("image/png", "QUJD")
MINE = "openai-responses"
SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}


def sent(
    *messages: Message, target: Target = OPENAI, checked: bool = True, **more: Any
) -> dict[str, Any]:
    wired = openai_responses.to_wire(Request(model="m", messages=messages, **more), target)
    body = json.loads(wired.body)
    if checked:
        streaming = ResponseCreateParamsStreaming
        fits(streaming if body["stream"] else ResponseCreateParamsNonStreaming, body)
    return body


def said(*blocks: Any) -> Message:
    return Message("assistant", blocks)


def results(*blocks: ToolResult) -> Message:
    return Message("tool", blocks)


def test_the_smallest_request_says_the_model_the_prompt_and_how_to_answer() -> None:
    wired = openai_responses.to_wire(Request(model="m", messages=(user("Hi"),)), OPENAI)
    assert wired.url == "https://api.openai.com/v1/responses"
    assert wired.headers["authorization"] == "Bearer sk-secret"
    assert json.loads(wired.body) == {
        "model": "m",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
        "store": False,
        "stream": True,
    }


def test_every_option_has_its_place() -> None:
    body = sent(
        user("Hi"),
        system="Be brief.",
        tools=(TOOL,),
        temperature=0.5,
        max_output=100,
        effort="low",
        stream=False,
    )
    assert body == {
        "model": "m",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
        "tools": [
            {
                "type": "function",
                "name": "look",
                "description": "Look at it.",
                "parameters": TOOL.schema,
                "strict": False,
            }
        ],
        "temperature": 0.5,
        "max_output_tokens": 100,
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
        "stream": False,
    }


def test_an_answer_that_is_too_short_to_be_asked_for_is_made_a_little_longer() -> None:
    assert sent(user("Hi"), max_output=1)["max_output_tokens"] == 16


@pytest.mark.parametrize(
    ("model", "effort", "able", "sealed"),
    [
        ("gpt-5.1", None, True, True),
        ("o3", None, True, True),
        ("gpt-4o", None, True, False),
        ("gpt-4o", "high", True, True),
        ("gpt-5.1", None, False, False),
    ],
)
def test_sealed_thoughts_are_asked_of_models_that_think(
    model: str, effort: Effort | None, able: bool, sealed: bool
) -> None:
    request = Request(model, (user("Hi"),), effort=effort, abilities=Abilities(reasoning=able))
    body = json.loads(openai_responses.to_wire(request, OPENAI).body)
    assert ("include" in body) == sealed


def test_no_effort_asks_for_no_summary() -> None:
    assert sent(user("Hi"), effort="none")["reasoning"] == {"effort": "none"}


def test_texts_pictures_sounds_and_documents_are_parts() -> None:
    content = (
        Text("Look"),
        Text(""),
        PICTURE,
        Audio("audio/wav", "QUJD"),
        Document("application/pdf", "QUJD", name="a.pdf"),
    )
    # The SDK's types know sounds in a message only as far as its list of parts does.
    (message,) = sent(Message("user", content), checked=False)["input"]
    assert message["content"] == [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "auto"},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,QUJD",
        },
    ]


def test_a_round_of_calls_goes_back_with_its_results() -> None:
    body = sent(
        user("Hi"),
        said(Text("Let me look."), ToolUse("1", "look", {"at": 1}), ToolUse("2", "look")),
        results(ToolResult("1", (Text("a"), Text("b")))),
        results(ToolResult("2", (Text("See:"), PICTURE))),
        said(Text("Done.")),
    )
    image = {"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "auto"}
    assert body["input"][1:-1] == [
        {"type": "message", "role": "assistant", "content": "Let me look."},
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": '{"at":1}'},
        {"type": "function_call", "call_id": "2", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "a\n\nb"},
        {
            "type": "function_call_output",
            "call_id": "2",
            "output": [{"type": "input_text", "text": "See:"}, image],
        },
    ]


def test_a_sound_that_a_tool_gave_follows_the_results() -> None:
    sound = Audio("audio/wav", "QUJD")
    body = sent(
        said(ToolUse("1", "hear"), ToolUse("2", "hear")),
        results(ToolResult("1", (sound,))),
        results(ToolResult("2")),
        user("So?"),
        checked=False,
    )
    assert [item.get("output") for item in body["input"][2:4]] == [
        "(heard in the next message)",
        "(no output)",
    ]
    assert body["input"][4]["content"][1]["type"] == "input_audio"
    assert body["input"][5]["role"] == "user"


def test_malformed_arguments_go_back_as_an_object() -> None:
    item = sent(said(ToolUse("1", "look", malformed="{")), results(ToolResult("1")))["input"][0]
    assert json.loads(item["arguments"]) == {"malformed": "{"}


def test_at_openai_a_sealed_thought_goes_back_without_its_id() -> None:
    thought = Reasoning("Hm", origin=MINE, raw=SEALED)
    body = sent(said(thought, Text("Yes")), checked=False)
    assert body["input"][0] == {"type": "reasoning", "summary": [], "encrypted_content": "x"}


def test_at_openai_a_thought_that_is_not_sealed_stays_behind() -> None:
    open_thought = Reasoning("Hm", origin=MINE, raw={"type": "reasoning", "id": "rs_1"})
    assert [item["type"] for item in sent(said(open_thought, Text("Yes")))["input"]] == ["message"]


def test_elsewhere_a_thought_goes_back_as_it_came() -> None:
    raw = {"type": "reasoning", "id": "rs_1", "summary": [], "content": []}
    body = sent(said(Reasoning("Hm", origin=MINE, raw=raw), Text("Yes")), target=OTHER)
    assert body["input"][0] == raw


def test_a_thought_that_led_to_nothing_stays_behind() -> None:
    thought = Reasoning("Hm", origin=MINE, raw=SEALED)
    body = sent(said(Text("Yes"), thought, thought), said(thought), user("So?"))
    assert [item.get("type") for item in body["input"]] == ["message", None]


def test_thoughts_and_tools_of_other_protocols_stay_behind() -> None:
    foreign = said(
        Reasoning("Hm", origin="anthropic", signature="s", raw={"type": "thinking"}),
        ToolUse("1", "search", server=True, origin="anthropic", raw={"type": "x"}),
        ToolResult("1", server=True, origin="anthropic", raw={"type": "y"}),
        Text("Yes", origin="gemini", signature="s"),
        Sources((Source("A"),)),
    )
    assert sent(foreign)["input"] == [{"type": "message", "role": "assistant", "content": "Yes"}]


def test_the_phase_of_a_message_goes_back() -> None:
    (item,) = sent(said(Text("Let me see", origin=MINE, signature="commentary")))["input"]
    assert item["phase"] == "commentary"


def test_tools_that_the_provider_ran_go_back_as_they_came() -> None:
    items = [
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "x"}},
        {"type": "tool_search_call", "id": "t1", "arguments": {}},
        {"type": "tool_search_output", "id": "t2", "tools": []},
        {"type": "image_generation_call", "id": "ig", "status": "completed", "result": "QUJD"},
    ]
    response = {"status": "completed", "output": items}
    events = play(MINE, sse({"type": "response.completed", "response": response}))
    body = sent(said(*events[-1].content), target=OTHER, checked=False)  # type: ignore[union-attr]
    assert body["input"] == items
    at_home = sent(said(*events[-1].content), checked=False)["input"]  # type: ignore[union-attr]
    assert at_home[0] == {k: v for k, v in items[0].items() if k != "id"}
    assert at_home[1:] == items[1:]


def test_a_drawn_picture_without_its_bytes_stays_behind() -> None:
    use = ToolUse("ig", "image_generation", server=True, origin=MINE,
                  raw={"type": "image_generation_call", "id": "ig"})  # fmt: skip
    result = ToolResult("ig", (Image("image/png", blob="sha"),), server=True, origin=MINE)
    assert sent(said(use, result, PICTURE))["input"] == []


def test_what_a_model_cannot_take_is_refused_by_name() -> None:
    lacking = Abilities(images=False, audio=False)
    for block in (PICTURE, Audio("audio/wav", "QUJD")):
        for message in (Message("user", (block,)), results(ToolResult("1", (block,)))):
            with pytest.raises(Unsupported, match="'tiny' does not take"):
                openai_responses.to_wire(Request("tiny", (message,), abilities=lacking), OPENAI)


def test_what_cannot_be_said_to_a_model_is_left_out_with_a_word() -> None:
    able = Abilities(temperature=False, reasoning=False)
    request = Request("tiny", (user("Hi"),), temperature=0.1, effort="high", abilities=able)
    wired = openai_responses.to_wire(request, OPENAI)
    assert not {"temperature", "reasoning", "include"} & set(json.loads(wired.body))
    assert len(wired.notices) == 2
    assert all("'tiny'" in notice for notice in wired.notices)
