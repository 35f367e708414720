"""Servers over HTTP: keys in headers, answers of any size, and servers that forget, refuse and vanish."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bottega.mcp.server import McpServer
from tests.mcp.address import Address, events, on, packed, serving
from tests.mcp.conftest import PATIENCE, Staged

SECRET = "canary-0123456789"
CALL = "mcp__hub__echo"


@pytest.fixture
async def address() -> AsyncIterator[Address]:
    async with serving() as running:
        yield running


def at(address: Address, **more: Any) -> dict[str, McpServer]:
    return {"hub": McpServer(url=address.url, **more)}


async def test_a_tool_at_an_address_is_called_with_the_users_headers(
    stage: Staged, address: Address
) -> None:
    here = stage(at(address, headers={"Authorization": "Bearer $HUB"}), secrets={"HUB": SECRET})
    tools = await here.look()

    assert await here.result(CALL, a=1) == '{"a": 1}'

    assert tools[CALL].category == "WEB"
    assert {h["Authorization"] for _, h, _ in address.heard} == {f"Bearer {SECRET}"}
    assert here.sandboxes.opened == []


async def test_the_folder_is_not_told_to_an_address(stage: Staged, address: Address) -> None:
    here = stage(at(address))
    await here.look()

    (hello,) = [m for _, _, m in address.heard if m.get("method") == "initialize"]
    assert hello["params"]["capabilities"] == {}


async def test_closing_says_goodbye(stage: Staged, address: Address) -> None:
    here = stage(at(address))
    await here.look()

    await here.servers.close()

    assert address.heard[-1][0] == "DELETE"


async def test_a_refused_key_is_told_without_the_key(stage: Staged, address: Address) -> None:
    address.answer = lambda request, message: web.Response(status=401, text=f"bad {SECRET}")
    here = stage(at(address, headers={"Authorization": "Bearer $HUB"}), secrets={"HUB": SECRET})

    await here.look()

    (notice,) = here.servers.notices
    assert "It refuses the request (HTTP 401): look at its `headers`." in notice
    assert SECRET not in notice


async def test_nobody_at_the_address_is_told_without_the_address(stage: Staged) -> None:
    async with serving() as gone:
        url = gone.url
    here = stage({"hub": McpServer(url=f"{url}?key={SECRET}")})

    await here.look()

    (notice,) = here.servers.notices
    assert notice == "The MCP server 'hub' could not be started. All connection attempts failed."


async def test_a_server_that_forgot_us_is_greeted_again(stage: Staged, address: Address) -> None:
    here = stage(at(address))
    await here.look()
    address.known.clear()  # it was started anew

    assert await here.result(CALL, a=1) == '{"a": 1}'

    assert address.sessions == 2
    assert address.methods.count("tools/call") == 2  # the first was refused, so nothing ran twice


async def test_a_server_that_vanishes_in_a_call_is_told_and_comes_back(
    stage: Staged, address: Address
) -> None:
    def cut(request: web.Request, message: dict[str, Any]) -> web.Response:
        assert request.transport
        request.transport.abort()
        return web.Response()

    here = stage(at(address))
    await here.look()
    address.answer = on("tools/call", cut)

    told = await here.failed(CALL, a=1)
    address.answer = None

    assert told.startswith("MCP_UNAVAILABLE: The MCP server 'hub' ended.")
    assert await here.result(CALL, a=2) == '{"a": 2}'


async def test_an_answer_as_events_is_read_to_its_end(stage: Staged, address: Address) -> None:
    def stream(request: web.Request, message: dict[str, Any]) -> web.Response:
        said = {"content": [{"type": "text", "text": "by events"}]}
        token = message["params"]["_meta"]["progressToken"]
        progress = {"progressToken": token, "progress": 1, "message": "half"}
        body = events(
            {"jsonrpc": "2.0", "method": "notifications/progress", "params": progress},
            {"jsonrpc": "2.0", "id": message["id"], "result": said},
        )
        return web.Response(body=body, headers={"content-type": "text/event-stream"})

    here = stage(at(address))
    await here.look()
    address.answer = on("tools/call", stream)

    assert await here.result(CALL) == "by events"
    assert here.bench.emitted == ["half\n"]


@pytest.mark.parametrize("kind", ["json", "events", "packed"])
async def test_an_answer_without_measure_costs_no_more_than_the_largest_message(
    stage: Staged, address: Address, kind: str
) -> None:
    import resource

    async def pour(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        types = {"json": "application/json", "events": "text/event-stream"}
        response = web.StreamResponse(headers={"content-type": types[kind]})
        await response.prepare(request)
        await response.write(b"data: {" if kind == "events" else b'{"a": "')
        for _ in range(2_000):
            await response.write(b"x" * 65_536)
        return response

    def bomb(request: web.Request, message: dict[str, Any]) -> web.Response:
        return packed(b'{"a": "' + b"x" * 50_000_000)

    here = stage(at(address), msgspec.structs.replace(PATIENCE, largest=1_000_000))
    await here.look()
    address.answer = on("tools/call", bomb if kind == "packed" else pour)
    if kind == "packed":
        bomb(None, {})  # pyright: ignore
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    told = await here.failed(CALL)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 24 * 1024
    assert told.startswith("MCP_ERROR")
    if kind == "json":
        assert "It sent an answer of more than 1,000,000 bytes." in told


async def test_a_redirect_to_another_machine_is_not_followed(
    stage: Staged, address: Address
) -> None:
    async with serving() as other:
        elsewhere = {"location": other.url}
        address.answer = lambda request, message: web.Response(status=307, headers=elsewhere)
        here = stage(at(address, headers={"X-Key": SECRET}))
        await here.look()

        assert other.heard == []
        assert "not followed" in here.servers.notices[0]


async def test_a_call_that_takes_too_long_is_called_off_at_the_server(
    stage: Staged, address: Address
) -> None:
    free = asyncio.Event()

    async def never(request: web.Request, message: dict[str, Any]) -> web.Response:
        await free.wait()
        return web.Response()

    here = stage(at(address, timeout=0.3))
    await here.look()
    address.answer = on("tools/call", never)

    told = await here.failed(CALL)
    await address.called_off.wait()
    free.set()

    assert told.startswith("TIMEOUT: The MCP server 'hub' did not answer within 0.3 s.")
    (number,) = [m["id"] for _, _, m in address.heard if m.get("method") == "tools/call"]
    told_off = [m for _, _, m in address.heard if m.get("method") == "notifications/cancelled"]
    assert [each["params"]["requestId"] for each in told_off] == [number]


async def test_a_server_that_only_knows_another_language_is_told(
    stage: Staged, address: Address
) -> None:
    address.answer = lambda request, message: web.Response(
        text="<html>hello</html>", content_type="text/html"
    )
    here = stage(at(address))

    await here.look()

    assert "Unexpected content type: text/html" in here.servers.notices[0]


async def test_calls_of_many_sessions_never_cross(stage: Staged, address: Address) -> None:
    stages = [stage(at(address)) for _ in range(5)]
    for each in stages:
        await each.look()

    async def talk(number: int) -> set[str]:
        asked = (stages[number].result(CALL, who=number, turn=turn) for turn in range(20))
        return {json.loads(said)["who"] for said in await asyncio.gather(*asked)}

    assert await asyncio.gather(*map(talk, range(5))) == [{n} for n in range(5)]
    calls = [
        (h["mcp-session-id"], m) for _, h, m in address.heard if m.get("method") == "tools/call"
    ]
    owners = {(session, m["params"]["arguments"]["who"]) for session, m in calls}
    assert len(owners) == 5
