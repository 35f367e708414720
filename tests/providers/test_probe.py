"""A look at a provider: is it there, does it take the key, what does it offer."""

import asyncio
import socket

import pytest

from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.http.probe import check, list_models
from bottega.providers.provider import Failed, Target
from tests.providers.loopback import HANG, JSON, Reply, serving
from tests.providers.plain import Plain

KEY = "sk-canary-0123456789abcdef"


class Named(Plain):
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.requirement("A09")
@pytest.mark.parametrize(
    ("wire", "body", "path", "header", "value"),
    [
        (
            "openai-chat",
            b'{"object": "list", "data": [{"id": "a"}, {"id": "b/c", "owned_by": "x"}]}',
            "/models",
            "authorization",
            f"Bearer {KEY}",
        ),
        ("openai-chat", b'[{"id": "a"}, {"id": "b/c"}]', "/models", "authorization", None),
        ("openai-responses", b'{"data": [{"id": "a"}, {"id": "b/c"}]}', "/models", "host", None),
        (
            "anthropic",
            b'{"data": [{"type": "model", "id": "a"}, {"id": "b/c"}], "has_more": false}',
            "/v1/models?limit=1000",
            "x-api-key",
            KEY,
        ),
        (
            "gemini",
            b'{"models": [{"name": "models/a", "supportedGenerationMethods": ["generateContent"]},'
            b'{"name": "models/e", "supportedGenerationMethods": ["embedContent"]},'
            b'{"name": "models/b/c"}]}',
            "/v1beta/models?pageSize=1000",
            "x-goog-api-key",
            KEY,
        ),
    ],
)
async def test_the_models_on_offer_are_named(
    transport: Transport, wire: str, body: bytes, path: str, header: str, value: str | None
) -> None:
    async with serving(Reply([body[:9], body[9:]], headers=JSON)) as server:
        found = await list_models(Named(wire), Target("x", server.url, KEY), transport)
    assert found == ["a", "b/c"]
    (seen,) = server.requests
    assert (seen.method, seen.path) == ("GET", path)
    assert value in (None, seen.headers[header])


async def test_without_a_key_none_is_sent(transport: Transport) -> None:
    async with serving(Reply([b'{"data": []}'], headers=JSON)) as server:
        target = Target("ollama", server.url, headers={"X-Team": "blue"})
        assert await check(Named("openai-chat"), target, transport) == []
    assert "authorization" not in server.requests[0].headers
    assert server.requests[0].headers["x-team"] == "blue"


async def test_a_wrong_key_is_said_once_and_not_shown(transport: Transport) -> None:
    async with serving(Reply([f"wrong key {KEY}".encode()], 401)) as server:
        found = await check(Named("openai-chat"), Target("x", server.url, KEY), transport)
    assert found == Failed("status 401: wrong key [hidden]", "bad_request", status=401)
    assert len(server.requests) == 1


async def test_a_model_that_is_named_by_the_key_is_not_offered(transport: Transport) -> None:
    reply = Reply([f'{{"data": [{{"id": "m-{KEY}"}}, {{"id": "a"}}]}}'.encode()], headers=JSON)
    async with serving(reply) as server:
        found = await list_models(Named("openai-chat"), Target("x", server.url, KEY), transport)
    assert found == ["a"]


async def test_openrouters_open_list_says_nothing_about_the_key(transport: Transport) -> None:
    models = Reply([b'{"data": [{"id": "a"}]}'], headers=JSON)
    wire = Named("openai-chat")
    async with serving(Reply([b"no"], 401), models) as server:
        target = Target("openrouter", server.url, KEY)
        assert isinstance(await check(wire, target, transport), Failed)
    async with serving(Reply([b"{}"], headers=JSON), models) as server:
        target = Target("openrouter", server.url, KEY)
        assert await check(wire, target, transport) == ["a"]
    assert [seen.path for seen in server.requests] == ["/key", "/models"]


async def test_an_address_without_a_list_is_said(transport: Transport) -> None:
    async with serving(Reply([b"no"], 404)) as server:
        found = await check(Named("openai-chat"), Target("lab", server.url, KEY), transport)
    assert isinstance(found, Failed)
    assert found.message == f"{server.url} has no list of models at this address (HTTP status 404)."
    assert "'lab'" in found.hint


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff", b'"x"', b'{"data": 5}'])
async def test_what_is_no_list_is_said(transport: Transport, body: bytes) -> None:
    async with serving(Reply([body])) as server:
        found = await check(Named("openai-chat"), Target("lab", server.url, KEY), transport)
    assert isinstance(found, Failed)
    assert found.code == "not_sse"


async def test_a_dead_server_is_said(transport: Transport) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    target = Target("ollama", f"http://127.0.0.1:{port}/v1")
    found = await check(Named("openai-chat"), target, transport)
    assert isinstance(found, Failed)
    assert "nothing listens there" in found.message


async def test_a_silent_server_is_not_waited_for(transport: Transport) -> None:
    reply = Reply([HANG])
    async with serving(reply) as server, asyncio.timeout(30):
        found = await check(
            Named("openai-chat"), Target("x", server.url), transport, Timeouts(1, 1, 0.05)
        )
        await reply.left.wait()
    assert isinstance(found, Failed)
    assert found.code == "timeout"


async def test_a_key_with_a_line_break_is_refused(transport: Transport) -> None:
    found = await check(Named("openai-chat"), Target("x", "http://127.0.0.1:1", "a\nb"), transport)
    assert isinstance(found, Failed)
    assert found.code == "bad_key"
