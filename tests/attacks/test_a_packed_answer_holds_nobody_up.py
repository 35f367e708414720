"""Severity: high (H5, its kind). A model's provider, or a remote Bottega, says very much of nothing, or packs it."""

import asyncio
import gzip
import json
from contextlib import suppress

import pytest
from aiohttp import web

from bottega.client import Remote
from bottega.errors import Problem
from bottega.providers.http.connect import Transport
from bottega.reach.stream import bursts
from tests.attacks.turns import turns_beside
from tests.providers.loopback import Reply, serving
from tests.providers.plain import Caller, line, text_of

STREAM = "text/event-stream"
NOTHING = {"comments": b":\n", "empty lines": b"\n", "empty data": b"data:\n"}


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "as it is"])
@pytest.mark.parametrize("kind", NOTHING)
async def test_others_have_their_turns_while_a_provider_says_nothing(
    kind: str, packed: bool
) -> None:
    body = NOTHING[kind] * 3_000_000
    headers = {"Content-Type": STREAM} | ({"Content-Encoding": "gzip"} if packed else {})
    reply = Reply([gzip.compress(body, 1) if packed else body], headers=headers)
    transport = Transport()
    async with serving(reply) as server:
        reading = asyncio.create_task(Caller(transport, server.url, attempts=1).ask())
        assert await turns_beside(reading) > 30
    await transport.close()


async def test_a_packed_answer_is_read_as_another() -> None:
    body = b"".join([line(text="Hel"), line(text="lo"), line(end="done")])
    headers = {"Content-Type": STREAM, "Content-Encoding": "gzip"}
    transport = Transport()
    async with serving(Reply([gzip.compress(body)], headers=headers)) as server:
        assert text_of(await Caller(transport, server.url).ask()) == "Hello"
    await transport.close()


async def test_a_way_of_packing_that_nobody_asked_for_is_told() -> None:
    headers = {"Content-Type": STREAM, "Content-Encoding": "br"}
    transport = Transport()
    async with serving(Reply([b"what?"], headers=headers)) as server:
        failed = await Caller(transport, server.url, attempts=1).fail()
    assert "'br'" in failed.message
    await transport.close()


@pytest.mark.parametrize("part", ["start", "end"])
async def test_no_name_in_an_answer_is_longer_than_names_are(part: str) -> None:
    lines = [line(**{"start": "m", "text": "Hello"} | {part: "x" * 5_000})]
    transport = Transport()
    async with serving(Reply([*lines, line(end="done")])) as server:
        events = await Caller(transport, server.url, attempts=1).ask()
    assert "x" * 1_000 not in repr(events)
    await transport.close()


@pytest.mark.parametrize("kind", [*NOTHING, "packed"])
async def test_others_have_their_turns_while_a_remote_bottega_says_nothing(kind: str) -> None:
    async def events(request: web.Request) -> web.StreamResponse:
        packed = {"Content-Encoding": "gzip"} if kind == "packed" else {}
        response = web.StreamResponse(headers={"Content-Type": STREAM, **packed})
        await response.prepare(request)
        body = gzip.compress(b":\n" * 3_000_000) if packed else NOTHING[kind] * 100_000
        with suppress(ConnectionError):
            for _ in range(100):
                await response.write(body)
        return response

    async def refused(_: web.Request) -> web.Response:
        return web.json_response(json.loads("{}"), headers={"Content-Encoding": "gzip"})

    app = web.Application()
    app.router.add_get("/api/sessions/ses_1/events", events)
    app.router.add_get("/api/agents", refused)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()

    async def read(remote: Remote) -> None:
        async for _ in bursts(remote.reach, "ses_1"):
            pass

    async with Remote(f"http://127.0.0.1:{runner.addresses[0][1]}", "token") as remote:
        with pytest.raises(Problem, match="packs what it says"):
            await remote.agents()
        if kind == "packed":
            with pytest.raises(Problem, match="packs what it says"):
                await read(remote)
        else:
            assert await turns_beside(asyncio.create_task(read(remote))) > 30
    await runner.cleanup()
