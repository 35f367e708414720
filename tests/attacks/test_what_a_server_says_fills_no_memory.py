"""Severity: high. An MCP server asks without reading the answers, says much that nobody asked for, lists without end,
or leaves its answers unfinished: what is kept of it is bounded, and it is ended where that is too little.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bottega.fairness import Pace
from bottega.mcp import channel, definitions, http
from bottega.mcp import link as links
from bottega.mcp.server import McpServer
from tests.attacks.turns import longest_wait_beside
from tests.mcp.address import Address, events, on, serving
from tests.mcp.conftest import PATIENCE, Staged, stage

__all__ = ["stage"]

HOSTILE = Path(__file__).with_name("hostile_mcp.py")
SECRET = 'sk-0123456789+/Abcd<efgh>&ijkl"é'


def hostile(how: str, **more: Any) -> McpServer:
    args = ("-S", "-E", str(HOSTILE), how)
    return McpServer(command=sys.executable, args=args, env={"SECRET": "$SECRET"}, **more)


@pytest.fixture(autouse=True)
def _unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was taken before by anybody."""
    pace = Pace(250_000)
    for module in (channel, http):
        monkeypatch.setattr(module, "FOREIGN_JSON", pace)


@pytest.fixture
async def address() -> AsyncIterator[Address]:
    async with serving() as running:
        yield running


def _stream(*parts: bytes, then: Callable[[], Any] = lambda: asyncio.sleep(60)) -> Any:
    """Answer with a stream of these parts, which then does not end."""

    async def answer(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        with suppress(ConnectionError):
            for part in parts:
                await response.write(part)
            await then()
        return response

    return answer


def _unread(answer: Any) -> Any:
    """Leave what is answered to the server unread."""

    def answered(request: web.Request, message: dict[str, Any]) -> Any:
        if message and "method" not in message:
            return asyncio.sleep(60)
        return answer(request, message)

    return answered


ENDED = {
    "long id": "an id that is too long",
    "large number": "an id that is too long",
    "large request": "bytes that nobody asked for",
    "large notification": "bytes that nobody asked for",
    "large notification of no number": "bytes that nobody asked for",
}


@pytest.mark.parametrize("how", ENDED)
async def test_a_program_that_says_what_nobody_asked_for_is_ended(stage: Staged, how: str) -> None:
    here = stage({"hub": hostile(how)}, secrets={"SECRET": SECRET})
    await here.look()
    assert ENDED[how] in await here.failed("mcp__hub__echo")


async def test_what_a_program_asks_and_calls_off_does_not_count(stage: Staged) -> None:
    here = stage({"hub": hostile("many")}, secrets={"SECRET": SECRET})
    await here.look()
    assert await here.result("mcp__hub__echo") == "done"


PINGS = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(500)]
ASKED = {
    "many": (PINGS, "does not read the answers"),
    "many of one id": ([PINGS[0]] * 500, "does not read the answers"),
    "a long id": ([{**PINGS[0], "id": "x" * 1_000}], "an id that is too long"),
    "a large one": ([{**PINGS[0], "params": {"a": "x" * 2_000_000}}], "that nobody asked for"),
}


@pytest.mark.parametrize("how", ASKED)
async def test_a_server_at_an_address_that_asks_and_does_not_read_is_ended(
    stage: Staged, address: Address, how: str
) -> None:
    messages, told = ASKED[how]
    here = stage({"hub": McpServer(url=address.url, timeout=5)})
    await here.look()
    address.answer = _unread(on("tools/call", _stream(events(*messages))))
    assert told in await here.failed("mcp__hub__echo")
    posts = [message for method, _, message in address.heard if method == "POST"]
    assert sum("method" not in message for message in posts) <= 33


async def test_a_server_at_an_address_that_reads_may_ask_as_often_as_it_likes(
    stage: Staged, address: Address
) -> None:
    here = stage({"hub": McpServer(url=address.url, timeout=5)})
    await here.look()
    asked = asyncio.Event()

    def hook(request: web.Request, message: dict[str, Any]) -> Any:
        if message and "method" not in message:
            if message["id"] == PINGS[99]["id"]:
                asked.set()
            return web.Response(status=202)
        if message.get("method") != "tools/call":
            return None
        return answered(request, message)

    async def answered(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for ping in PINGS[:100]:
            await response.write(events(ping))
            await asyncio.sleep(0.002)
        await asked.wait()
        result = {"content": [{"type": "text", "text": "done"}]}
        await response.write(events({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        return response

    address.answer = hook
    assert await here.result("mcp__hub__echo") == "done"


@pytest.mark.parametrize("how", ["pages", "schemas"])
async def test_of_a_long_list_no_more_is_kept_than_is_looked_at(
    stage: Staged, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    kept: list[int] = []

    def define(server: str, bound: str, offered: Any) -> Any:
        kept.append(len(msgspec.json.encode(offered)))
        return definitions.define(server, bound, offered)

    monkeypatch.setattr(links, "define", define)
    here = stage({"hub": hostile(how)}, secrets={"SECRET": SECRET})
    tools = await here.look()
    assert kept
    assert max(kept) < 100_000
    if how == "schemas":
        assert "its schema is too large" in " ".join(here.servers.notices)
        return
    assert {"mcp__hub__n1", "mcp__hub__n4"} <= set(tools)
    told = await here.result("mcp__hub__list_resources")
    assert len(told["resources"]) == 4
    assert len(json.dumps(told)) < 100_000
    assert len(await here.servers.prompts()) == 4
    assert len((await here.servers.examine("hub")).title) < 300


async def test_two_descriptions_that_differ_at_the_end_are_two(stage: Staged) -> None:
    one, other = (definitions.offered("t", "x" * 100_000 + end, {}) for end in "ab")
    assert one != other
    assert len(one.description) < 20_000


async def test_a_next_page_of_a_huge_name_is_not_asked_for(stage: Staged) -> None:
    here = stage({"hub": hostile("cursor")}, secrets={"SECRET": SECRET})
    await here.look()
    assert "names its next page at great length" in " ".join(here.servers.notices)


async def test_others_have_their_turns_while_a_program_tells_much_of_its_progress(
    stage: Staged,
) -> None:
    secrets = {name: f"{name}{SECRET}" for name in ("SECRET", *"ABCDEFGHIJKLMNOPQRST")}
    server = hostile("progress")
    server = msgspec.structs.replace(server, env={name: f"${name}" for name in secrets})
    here = stage({"hub": server}, secrets=secrets)
    await here.look()

    async def called() -> None:
        await here.call("mcp__hub__echo")

    assert await longest_wait_beside(asyncio.create_task(called())) < 0.2


async def test_a_secret_is_not_told_in_part_where_progress_is_cut(stage: Staged) -> None:
    here = stage({"hub": hostile("cut progress")}, secrets={"SECRET": SECRET})
    await here.look()
    shown: list[str] = []
    here.bench.emit_output = shown.append  # pyright: ignore[reportAttributeAccessIssue]
    await here.call("mcp__hub__echo")
    assert "sk-01" not in "".join(shown)


async def test_a_stream_that_nobody_waits_for_any_more_is_closed(
    stage: Staged, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "_LONGER", 0.1)
    left = asyncio.Event()

    async def drip(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        try:
            while True:
                await response.write(b":\n\n")
                await asyncio.sleep(0.02)
        finally:
            left.set()

    patience = msgspec.structs.replace(PATIENCE, start=0.6)
    here = stage({"hub": McpServer(url=address.url, timeout=0.2)}, patience=patience)
    await here.look()
    address.answer = on("tools/call", drip)
    assert "did not answer within" in await here.failed("mcp__hub__echo")
    async with asyncio.timeout(3):
        await left.wait()


def _broken(name: str) -> Callable[[web.Request], Any]:
    """A stream that breaks off after an event of that name."""

    async def broken(request: web.Request, _: object = None) -> web.StreamResponse:
        if request.method == "GET" and "last-event-id" not in request.headers:
            return web.Response(status=405)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(f"id: {name}\nretry: 0\ndata:\n\n".encode())
        return response

    return broken


def _opened(address: Address) -> int:
    return sum("last-event-id" in {*map(str.lower, headers)} for _, headers, _ in address.heard)


async def test_a_stream_that_breaks_off_again_and_again_is_not_opened_without_end(
    stage: Staged, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "_LONGER", 0.1)
    patience = msgspec.structs.replace(PATIENCE, start=0.6)
    here = stage({"hub": McpServer(url=address.url, timeout=0.6)}, patience=patience)
    await here.look()
    address.stream = _broken("1")
    address.answer = on("tools/call", address.stream)
    before = _opened(address)
    assert "did not answer within" in await here.failed("mcp__hub__echo")
    assert 1 < _opened(address) - before < 20
    await asyncio.sleep(0.4)
    after = _opened(address)
    await asyncio.sleep(0.3)
    assert _opened(address) == after


@pytest.mark.parametrize("length", [1_000, 500_000])
async def test_a_huge_name_of_an_event_is_not_repeated_to_the_server(
    stage: Staged, address: Address, length: int
) -> None:
    here = stage({"hub": McpServer(url=address.url, timeout=0.5)})
    await here.look()
    address.stream = _broken("x" * length)
    address.answer = on("tools/call", address.stream)
    before = _opened(address)
    await here.failed("mcp__hub__echo")
    assert (_opened(address) > before) == (length == 1_000)


async def test_unfinished_answers_are_bounded_together(stage: Staged, address: Address) -> None:
    patience = msgspec.structs.replace(PATIENCE, largest=300_000)
    here = stage({"hub": McpServer(url=address.url, timeout=3)}, patience=patience)
    await here.look()
    address.answer = on("tools/call", _stream(b"data: " + b"x" * 290_000))
    calls = [asyncio.create_task(here.failed("mcp__hub__echo")) for _ in range(6)]
    done, waiting = await asyncio.wait(calls, timeout=2)
    for each in waiting:
        each.cancel()
    assert any("unfinished answers" in each.result() for each in done), [d.result() for d in done]
    assert len(waiting) <= 4
