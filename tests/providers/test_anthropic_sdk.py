"""Anthropic's own SDK reads the same made-up streams and sends the same requests."""

from typing import Any

import msgspec
import pytest
from aiohttp import web

from bottega.messages.block import Reasoning, Text, ToolUse
from bottega.messages.message import Message, Usage, user
from bottega.providers import anthropic
from bottega.providers.provider import Finished, Request, Target, ToolSpec
from tests.providers.odd_answers import finished, plainly, serving, sse, streamed, whole
from tests.providers.oracles import anthropic_sdk
from tests.providers.recordings import play
from tests.providers.test_anthropic import (
    START,
    STOP,
    answer,
    call,
    closed,
    delta,
    opened,
    stopped,
    text,
)
from tests.providers.test_anthropic_whole import MESSAGE

ASKED: dict[str, Any] = {
    "model": "claude-opus-5",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Hi"}],
}
LAST = {"input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 50}
PAGE = {
    "type": "web_search_result_location",
    "url": "https://a.example",
    "title": "A",
    "cited_text": "",
    "encrypted_index": "",
}
STREAMS = {
    "text": answer(text(0, "Hel", "", "lo", " 👋 \u2028")),
    "thought": answer(
        opened(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking", thinking="Let me "),
        delta(0, "thinking", thinking="see."),
        delta(0, "signature", signature="c2VhbA=="),
        closed(0),
        text(1, "So."),
    ),
    "calls": answer(
        text(0, "Both."),
        call(1, "", '{"pa', 'th": "\\u00fc', '.py", "n": [1, 2.5, null]}'),
        call(2, '{"a": {"b": {}}}'),
        stop="tool_use",
    ),
    "usage": sse([START, {"type": "ping"}, *text(0, "x"), stopped("max_tokens", LAST), STOP]),
    "citations": answer(
        opened(0, type="text", text="", citations=[]),
        delta(0, "citations", citation=PAGE),
        delta(0, "text", text="As said."),
        closed(0),
    ),
    "server tool": answer(
        call(0, '{"query": "x"}', name="web_search", kind="server_tool_use"),
        opened(1, type="web_search_tool_result", tool_use_id="toolu_0", content=[]),
        closed(1),
        text(2, "Found."),
    ),
}


def client(address: str) -> Any:
    return anthropic_sdk.AsyncAnthropic(api_key="k", base_url=address, max_retries=0)


def compare(ours: Finished, theirs: Any) -> None:
    blocks = theirs.content
    assert "".join(b.text for b in ours.content if isinstance(b, Text)) == "".join(
        b.text for b in blocks if b.type == "text"
    )
    assert [(b.text, b.signature) for b in ours.content if isinstance(b, Reasoning)] == [
        (b.thinking, b.signature) for b in blocks if b.type == "thinking"
    ]
    assert [(b.id, b.name, b.input) for b in ours.content if isinstance(b, ToolUse)] == [
        (b.id, b.name, b.input) for b in blocks if b.type in ("tool_use", "server_tool_use")
    ]
    assert (ours.provider_stop, ours.model) == (theirs.stop_reason, theirs.model)
    used = theirs.usage
    read, written = used.cache_read_input_tokens or 0, used.cache_creation_input_tokens or 0
    assert ours.usage == Usage(
        used.input_tokens + read + written, used.output_tokens, read, written
    )


@pytest.mark.parametrize("name", STREAMS)
async def test_the_sdk_makes_the_same_of_a_stream(name: str) -> None:
    async with (
        serving(streamed(STREAMS[name])) as address,
        client(address) as sdk,
        sdk.messages.stream(**ASKED) as stream,
    ):
        theirs = await stream.get_final_message()
    compare(finished(play("anthropic", STREAMS[name])), theirs)


async def test_the_sdk_makes_the_same_of_a_whole_answer() -> None:
    body = msgspec.json.encode({"id": "m", "role": "assistant", **MESSAGE})
    async with serving(plainly(body)) as address, client(address) as sdk:
        theirs = await sdk.messages.create(**ASKED)
    compare(finished(whole("anthropic", body)), theirs)


async def test_the_sdk_sends_our_body_to_the_same_place() -> None:
    seen: list[tuple[str, Any]] = []

    async def answering(request: web.Request) -> web.Response:
        seen.append((request.path_qs, await request.json()))
        return web.Response(body=STREAMS["text"], content_type="text/event-stream")

    asked = Request(
        model="claude-opus-5",
        messages=(
            user("a"),
            Message("assistant", (Reasoning("Hm.", "anthropic", "s"), Text("b"))),
            user("c"),
        ),
        system="Be brief.",
        tools=(ToolSpec("read", "Read a file.", {"type": "object"}),),
        effort="high",
    )
    async with serving(answering) as address, client(address) as sdk:
        wire = anthropic.to_wire(asked, Target("anthropic", address, key="k"))
        async for _ in await sdk.messages.create(**msgspec.json.decode(wire.body)):
            pass
    (path, body) = seen[0]
    assert address + path == wire.url
    assert body == msgspec.json.decode(wire.body)
