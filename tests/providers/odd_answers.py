"""Made-up answers: streams as the providers write them, from plain dictionaries."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

from bottega.providers.provider import Failed, Finished, Request, StreamEvent
from bottega.providers.wires import WireName, wire
from tests.providers.recordings import check_shape, play


def sse(events: Iterable[dict[str, Any] | bytes], *, named: bool = True) -> bytes:
    """A body of server-sent events; bytes are data as they stand."""
    out = b""
    for event in events:
        data = event if isinstance(event, bytes) else msgspec.json.encode(event)
        if named and isinstance(event, dict):
            out += b"event: %b\n" % event["type"].encode()
        out += b"data: %b\n\n" % data
    return out


def finished(events: Sequence[StreamEvent]) -> Finished:
    end = check_shape(list(events))
    assert isinstance(end, Finished), end
    msgspec.json.encode(end)  # whatever leaves an adapter can be stored
    return end


def failed(events: Sequence[StreamEvent]) -> Failed:
    end = check_shape(list(events))
    assert isinstance(end, Failed), end
    return end


def in_any_pieces(kind: WireName, body: bytes) -> list[StreamEvent]:
    """The events of a body, which must be the same whatever the size of its pieces."""
    events = play(kind, body)
    for size in (1, 7, 4096):
        assert unnamed(play(kind, body, size)) == unnamed(events)
    return events


def unnamed(events: Sequence[StreamEvent]) -> Any:
    """The events without the ids that we made up ourselves."""
    plain: Any = msgspec.to_builtins([*events], str_keys=True)
    text = msgspec.json.encode(plain).decode()
    made: dict[str, str] = {}
    for part in text.split('"'):
        if part.startswith("call_") and len(part) == 37:
            made.setdefault(part, f"call {len(made)}")
    for name, plain_name in made.items():
        text = text.replace(name, plain_name)
    return msgspec.json.decode(text)


def whole(kind: WireName, body: Any) -> Sequence[StreamEvent]:
    """What an adapter makes of a non-streaming answer."""
    data = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return wire(kind).decoder(Request(model="m", messages=())).whole(data)


Answerer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(answer: Answerer) -> AsyncIterator[str]:
    """A server on loopback that answers every request so; yields its address."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def streamed(body: bytes) -> Answerer:
    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=body, content_type="text/event-stream")

    return answer


def plainly(body: bytes) -> Answerer:
    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=body, content_type="application/json")

    return answer
