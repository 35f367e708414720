"""Google's own SDK reads the same made-up streams and sends the same requests to the same place."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bottega.messages.block import Reasoning, Sources, Text, ToolUse
from bottega.messages.message import Message, Usage, user
from bottega.providers import gemini
from bottega.providers.provider import Finished, Request, Target, ToolSpec
from tests.providers.odd_answers import Answerer, finished, plainly, serving, streamed, whole
from tests.providers.oracles import gemini_sdk, gemini_types
from tests.providers.recordings import play
from tests.providers.test_gemini import calling, chunk, said, stream

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

COUNTS = {
    "promptTokenCount": 100,
    "toolUsePromptTokenCount": 20,
    "cachedContentTokenCount": 60,
    "candidatesTokenCount": 7,
    "thoughtsTokenCount": 30,
}
PAGES = {
    "groundingChunks": [
        {"web": {"uri": "https://b.example", "title": "B"}},
        {"web": {"uri": "https://a.example", "title": "A"}},
    ]
}
STREAMS = {
    "text": stream(chunk(said("Hel")), chunk(said("lo 👋 \u2028"), finish="STOP")),
    "thought": stream(
        chunk(said("Let me ", thought=True)),
        chunk(said("see.", thought=True)),
        chunk(said("So."), finish="STOP", usage=COUNTS),
    ),
    "calls": stream(
        chunk(said("Both.")),
        chunk(calling("read", {"path": "ü"}, call={"id": "a"}), calling("read", {"n": [1, None]})),
        chunk(calling("list", {}), finish="STOP"),
    ),
    "grounded": stream(chunk(said("x")), chunk(said("y"), finish="STOP", groundingMetadata=PAGES)),
    "limit": stream(chunk(said("x")), chunk(finish="MAX_TOKENS", usage=COUNTS)),
}


@asynccontextmanager
async def client(answer: Answerer) -> AsyncIterator[Any]:
    async with serving(answer) as address:
        options = gemini_types.HttpOptions(base_url=address, api_version="v1beta")
        async with gemini_sdk.Client(api_key="k", http_options=options).aio as sdk:
            yield sdk


def compare(ours: Finished, theirs: list[Any]) -> None:
    candidates = [c for answer in theirs for c in answer.candidates or ()]
    parts = [p for c in candidates if c.content for p in c.content.parts or ()]
    texts = [p for p in parts if p.text]
    assert "".join(b.text for b in ours.content if isinstance(b, Text)) == "".join(
        p.text for p in texts if not p.thought
    )
    assert "".join(b.text for b in ours.content if isinstance(b, Reasoning)) == "".join(
        p.text for p in texts if p.thought
    )
    calls = [p.function_call for p in parts if p.function_call]
    uses = [b for b in ours.content if isinstance(b, ToolUse)]
    assert [(use.name, use.input) for use in uses] == [(c.name, c.args) for c in calls]
    assert all(c.id in (None, use.id) for c, use in zip(calls, uses, strict=True))
    assert ours.provider_stop == candidates[-1].finish_reason.value
    grounding = candidates[-1].grounding_metadata
    sources = [s for b in ours.content if isinstance(b, Sources) for s in b.sources]
    assert [(s.title, s.url) for s in sources] == [
        (c.web.title, c.web.uri) for c in (grounding.grounding_chunks if grounding else ())
    ]
    used = theirs[-1].usage_metadata
    thoughts = used.thoughts_token_count or 0
    assert ours.usage == Usage(
        used.prompt_token_count + (used.tool_use_prompt_token_count or 0),
        used.candidates_token_count + thoughts,
        used.cached_content_token_count or 0,
        0,
        thoughts,
    )


@pytest.mark.parametrize("name", STREAMS)
async def test_the_sdk_makes_the_same_of_a_stream(name: str) -> None:
    async with client(streamed(STREAMS[name])) as sdk:
        answers = await sdk.models.generate_content_stream(model="gemini-x", contents="Hi")
        theirs = [answer async for answer in answers]
    compare(finished(play("gemini", STREAMS[name])), theirs)


async def test_the_sdk_makes_the_same_of_a_whole_answer() -> None:
    parts = said("Hm.", thought=True), said("Look:"), calling("f", {"a": 1})
    body = msgspec.json.encode(chunk(*parts, finish="STOP"))
    async with client(plainly(body)) as sdk:
        theirs = await sdk.models.generate_content(model="gemini-x", contents="Hi")
    compare(finished(whole("gemini", body)), [theirs])


async def test_the_sdk_sends_our_body_to_the_same_place() -> None:
    seen: list[tuple[str, Any, dict[str, str]]] = []

    async def answering(request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen.append((request.path_qs, await request.json(), headers))
        return web.Response(body=STREAMS["text"], content_type="text/event-stream")

    asked = Request(
        model="gemini-3-flash-preview",
        messages=(
            user("a"),
            Message("assistant", (Text("b"), ToolUse("x", "read", {"path": "p"}))),
            Message("user", (Text("c"),)),
        ),
        system="Be brief.",
        tools=(ToolSpec("read", "Read a file.", {"type": "object", "$defs": {}}),),
        temperature=0.5,
        max_output=77,
        effort="high",
    )
    wire = gemini.to_wire(asked, Target("google", "http://x.example", key="k"))
    ours = msgspec.json.decode(wire.body)
    config = ours["generationConfig"]
    async with client(answering) as sdk:
        answers = await sdk.models.generate_content_stream(
            model=asked.model,
            contents=[gemini_types.Content.model_validate(turn) for turn in ours["contents"]],
            config=gemini_types.GenerateContentConfig(
                system_instruction=gemini_types.Content.model_validate(ours["systemInstruction"]),
                tools=[gemini_types.Tool.model_validate(tool) for tool in ours["tools"]],
                temperature=config["temperature"],
                max_output_tokens=config["maxOutputTokens"],
                thinking_config=gemini_types.ThinkingConfig.model_validate(
                    config["thinkingConfig"]
                ),
            ),
        )
        async for _ in answers:
            pass
    (path, theirs, headers) = seen[0]
    assert f"http://x.example{path}" == wire.url
    assert headers["x-goog-api-key"] == wire.headers["x-goog-api-key"]
    # The SDK spells some names in the other way that the server takes.
    spelled = msgspec.json.encode(theirs)
    for name in ("parameters_json_schema", "include_thoughts", "thinking_level"):
        first, *rest = name.split("_")
        camel = first + "".join(word.title() for word in rest)
        spelled = spelled.replace(name.encode(), camel.encode())
    assert msgspec.json.decode(spelled) == ours
