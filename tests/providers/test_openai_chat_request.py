"""A request as a chat completion."""

import json
from typing import Any

import pytest
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
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
from bottega.providers import openai_chat
from bottega.providers.provider import Abilities, Request, Target, ToolSpec
from tests.providers.made_up import fits

OPENAI = Target("openai", "https://api.openai.com/v1", key="sk-secret")
LOCAL = Target("local", "http://127.0.0.1:8000/v1/")
TOOL = ToolSpec("look", "Look at it.", {"type": "object", "properties": {}})
PICTURE = Image("image/png", "QUJD")
CHAT = "openai-chat"


def sent(*messages: Message, target: Target = LOCAL, **more: Any) -> dict[str, Any]:
    wired = openai_chat.to_wire(Request(model="m", messages=messages, **more), target)
    body = json.loads(wired.body)
    shape = (
        CompletionCreateParamsStreaming if body["stream"] else CompletionCreateParamsNonStreaming
    )
    fits(shape, body)
    return body


def said(*blocks: Any) -> Message:
    return Message("assistant", blocks)


def results(*blocks: ToolResult) -> Message:
    return Message("tool", blocks)


@pytest.mark.requirement("A36", "A40")
def test_the_smallest_request_says_the_model_the_prompt_and_how_to_answer() -> None:
    wired = openai_chat.to_wire(Request(model="m", messages=(user("Hi"),)), OPENAI)
    assert wired.url == "https://api.openai.com/v1/chat/completions"
    assert wired.headers == {
        "authorization": "Bearer sk-secret",
        "content-type": "application/json",
        "accept": "text/event-stream",
    }
    assert json.loads(wired.body) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert wired.notices == ()
    assert "secret" not in repr(wired)


@pytest.mark.requirement("A17")
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
    function = {"name": "look", "description": "Look at it.", "parameters": TOOL.schema}
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "tools": [{"type": "function", "function": function}],
        "temperature": 0.5,
        "max_tokens": 100,
        "reasoning_effort": "low",
        "stream": False,
    }


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://x.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("https://openrouter.ai/api/v1", "max_tokens"),
        ("https://api.openai.com.evil.example/v1", "max_tokens"),
    ],
)
def test_the_limit_is_said_in_the_word_that_the_host_knows(address: str, word: str) -> None:
    body = sent(user("Hi"), target=Target("t", address), max_output=5)
    assert body[word] == 5


def test_headers_of_the_target_come_last_and_a_query_stays_at_the_end() -> None:
    target = Target("t", "https://h/v1?api-version=1", headers={"Api-Key": "k", "Accept": "x"})
    wired = openai_chat.to_wire(Request(model="m", messages=(user("Hi"),)), target)
    assert wired.url == "https://h/v1/chat/completions?api-version=1"
    assert wired.headers == {"content-type": "application/json", "accept": "x", "api-key": "k"}


def test_mistral_is_not_asked_for_the_usage_that_it_gives_anyway() -> None:
    assert "stream_options" not in sent(user("Hi"), target=Target("m", "https://api.mistral.ai/v1"))


@pytest.mark.requirement("A46")
def test_texts_pictures_sounds_and_documents_are_parts() -> None:
    content = (
        Text("Look"),
        PICTURE,
        Audio("audio/mpeg", "QUJD"),
        Audio("audio/x-wav", "QUJD"),
        Document("application/pdf", "QUJD", name="a.pdf"),
        Document("text/plain", "QUJD"),
    )
    (message,) = sent(Message("user", content))["messages"]
    pdf = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QUJD"}
    plain = {"filename": "document.txt", "file_data": "data:text/plain;base64,QUJD"}
    assert message["content"] == [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
        {"type": "file", "file": pdf},
        {"type": "file", "file": plain},
    ]


def test_several_texts_of_a_message_are_one_string() -> None:
    (message,) = sent(Message("user", (Text("a"), Text(""), Text("b"))))["messages"]
    assert message == {"role": "user", "content": "a\n\nb"}


def test_a_round_of_calls_goes_back_with_its_results() -> None:
    body = sent(
        user("Hi"),
        said(Text("Let me"), Text(" look."), ToolUse("1", "look", {"at": "ü"}), ToolUse("2", "go")),
        results(ToolResult("1", (Text("a"), Text("b")))),
        results(ToolResult("2", is_error=True)),
        user("So?"),
    )
    look = {"name": "look", "arguments": '{"at":"ü"}'}
    calls = [
        {"id": "1", "type": "function", "function": look},
        {"id": "2", "type": "function", "function": {"name": "go", "arguments": "{}"}},
    ]
    assert body["messages"][1:] == [
        {"role": "assistant", "content": "Let me look.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": "a\n\nb"},
        {"role": "tool", "tool_call_id": "2", "content": "(no output)"},
        {"role": "user", "content": "So?"},
    ]


def test_what_tools_showed_follows_all_results_of_the_round() -> None:
    body = sent(
        said(ToolUse("1", "look"), ToolUse("2", "look")),
        results(ToolResult("1", (Text("Here:"), PICTURE))),
        results(ToolResult("2", (PICTURE,))),
    )
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    assert body["messages"][1:] == [
        {"role": "tool", "tool_call_id": "1", "content": "Here:"},
        {"role": "tool", "tool_call_id": "2", "content": "(shown in the next message)"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What the tool call 1 showed:"},
                image,
                {"type": "text", "text": "What the tool call 2 showed:"},
                image,
            ],
        },
    ]


def test_what_a_tool_showed_and_the_next_prompt_are_one_message() -> None:
    """Strict servers refuse two messages of a user in a row."""
    shown = results(ToolResult("1", (PICTURE,)))
    body = sent(user("Look"), said(ToolUse("1", "look")), shown, user("And?"))
    assert [message["role"] for message in body["messages"]] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert body["messages"][-1]["content"][-1] == {"type": "text", "text": "And?"}
    assert len(body["messages"][-1]["content"]) == 3


def test_an_answer_of_which_nothing_is_sent_leaves_no_two_prompts_in_a_row() -> None:
    ran = (ToolUse("1", "search", server=True), ToolResult("1", (Text("x"),), server=True))
    body = sent(user("Search"), said(*ran), user("And?"))
    assert body["messages"] == [{"role": "user", "content": "Search\n\nAnd?"}]


def test_malformed_arguments_go_back_as_an_object() -> None:
    body = sent(said(ToolUse("1", "look", malformed='{"a":')), results(ToolResult("1")))
    (call,) = body["messages"][0]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"malformed": '{"a":'}


def test_what_the_provider_ran_and_cited_is_not_repeated() -> None:
    ran = (ToolUse("1", "search", server=True), ToolResult("1", (Text("x"),), server=True))
    body = sent(said(*ran, Text("Yes"), Sources((Source("A"),))), said(*ran), user("So?"))
    assert body["messages"] == [
        {"role": "assistant", "content": "Yes"},
        {"role": "user", "content": "So?"},
    ]


def test_a_picture_in_an_earlier_answer_is_left_out_with_a_word() -> None:
    request = Request(model="m", messages=(said(Text("Look"), PICTURE), user("Nice")))
    wired = openai_chat.to_wire(request, LOCAL)
    assert json.loads(wired.body)["messages"][0] == {"role": "assistant", "content": "Look"}
    assert wired.notices == ("A picture in an earlier answer was left out.",)


def test_thoughts_amid_calls_go_back_in_the_field_they_came_in() -> None:
    thought = Reasoning("Hm", origin=CHAT, raw={"field": "reasoning_content"})
    calling = said(thought, ToolUse("1", "look"))
    answer = said(thought, Text("Yes"))
    body = sent(calling, results(ToolResult("1")), answer)
    assert body["messages"][0]["reasoning_content"] == "Hm"
    assert "reasoning_content" not in body["messages"][2]


def test_sealed_thoughts_go_back_as_they_came() -> None:
    details = [{"type": "reasoning.encrypted", "data": "abc"}]
    thought = Reasoning("", origin=CHAT, raw={"field": "reasoning", "details": details})
    (message,) = sent(said(thought, Text("Yes")))["messages"]
    assert message == {"role": "assistant", "content": "Yes", "reasoning_details": details}


@pytest.mark.parametrize("address", ["https://api.openai.com/v1", "https://api.groq.com/openai/v1"])
def test_strict_hosts_get_no_thoughts(address: str) -> None:
    thought = Reasoning("Hm", origin=CHAT, raw={"field": "reasoning", "details": [{}]})
    body = sent(said(thought, Text("Yes"), ToolUse("1", "look")), target=Target("t", address))
    assert set(body["messages"][0]) == {"role", "content", "tool_calls"}


def test_thoughts_and_seals_of_other_protocols_stay_behind() -> None:
    foreign = Reasoning("Hm", origin="anthropic", signature="s", raw={"field": "reasoning"})
    use = ToolUse("1", "look", origin="gemini", signature="s", raw={"extra_content": {"a": 1}})
    (message,) = sent(said(foreign, use))["messages"]
    assert set(message) == {"role", "content", "tool_calls"}
    assert set(message["tool_calls"][0]) == {"id", "type", "function"}


def test_what_came_with_a_call_goes_back_with_it() -> None:
    use = ToolUse("1", "look", origin=CHAT, raw={"extra_content": {"a": 1}})
    (message,) = sent(said(use))["messages"]
    assert message["tool_calls"][0]["extra_content"] == {"a": 1}


@pytest.mark.parametrize(
    ("block", "lacking", "word"),
    [
        (PICTURE, "images", "images"),
        (Audio("audio/wav", "QUJD"), "audio", "audio"),
        (Document("application/pdf", "QUJD", name="a.pdf"), "documents", "documents ('a.pdf')"),
    ],
)
@pytest.mark.parametrize("role", ["user", "tool"])
def test_what_a_model_cannot_take_is_refused_by_name(
    block: Any, lacking: str, word: str, role: str
) -> None:
    content = (block,) if role == "user" else (ToolResult("1", (block,)),)
    request = Request(
        model="tiny",
        messages=(Message(role, content),),  # type: ignore[arg-type]
        abilities=Abilities(**{lacking: False}),
    )
    with pytest.raises(Unsupported) as refusal:
        openai_chat.to_wire(request, LOCAL)
    assert refusal.value.message == f"The model 'tiny' does not take {word}."
    assert refusal.value.hint


def test_tools_are_refused_where_the_model_cannot_call_them() -> None:
    request = Request("tiny", (user("Hi"),), tools=(TOOL,), abilities=Abilities(tools=False))
    with pytest.raises(Unsupported, match="'tiny' cannot call tools"):
        openai_chat.to_wire(request, LOCAL)


def test_what_cannot_be_said_to_a_model_is_left_out_with_a_word() -> None:
    able = Abilities(temperature=False, reasoning=False)
    request = Request("tiny", (user("Hi"),), temperature=0.1, effort="high", abilities=able)
    wired = openai_chat.to_wire(request, LOCAL)
    assert not {"temperature", "reasoning_effort"} & set(json.loads(wired.body))
    assert wired.notices == (
        "The model 'tiny' takes no temperature; it was left out.",
        "The model 'tiny' takes no reasoning effort; it was left out.",
    )


def test_a_text_with_half_a_character_can_still_be_sent() -> None:
    (first, second) = sent(user("a\ud83d"), said(ToolUse("1", "look", {"a": "\ude00"})))["messages"]
    assert first["content"] == "a\ufffd"
    assert json.loads(second["tool_calls"][0]["function"]["arguments"]) == {"a": "\ufffd"}
