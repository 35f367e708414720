"""Made-up answers, and a server that gives them to whoever asks: us, or a vendor's own SDK."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from aiohttp import web
from pydantic import TypeAdapter

from bottega.providers.provider import Failed, Finished, Request, StreamEvent
from bottega.providers.wires import wire
from tests.providers.recordings import check_shape, play


def sse(*events: Any, named: bool = False) -> bytes:
    """A body of server-sent events; strings stand as they are."""
    lines: list[str] = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        lines.append(f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
    return "".join(lines).encode()


def chat(delta: dict[str, Any], stop: str | None = None, **more: Any) -> dict[str, Any]:
    """One event of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": stop}
    frame = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**frame, "choices": [choice], **more}


def calling(*entries: dict[str, Any]) -> dict[str, Any]:
    """An event of a chat completion with these entries of `tool_calls`."""
    return chat({"tool_calls": list(entries)})


def piece(text: str = "", name: str = "", **more: Any) -> dict[str, Any]:
    """A piece of a call, with its index and its id if they are given."""
    function = {"arguments": text, **({"name": name} if name else {})}
    return {"type": "function", "function": function, **more}


def nested(depth: int) -> dict[str, Any]:
    """An object in an object in an object."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"message": value}
    return value


def finished(kind: str, body: bytes) -> Finished:
    end = check_shape(play(kind, body))
    assert isinstance(end, Finished), end
    return end


def failed(kind: str, body: bytes) -> Failed:
    end = check_shape(play(kind, body))
    assert isinstance(end, Failed), end
    return end


def whole(kind: str, body: Any) -> list[StreamEvent]:
    """What an adapter makes of a body that is no stream."""
    decoder = wire(kind).decoder(Request(model="m", messages=()))  # type: ignore[arg-type]
    given = body if isinstance(body, bytes) else json.dumps(body).encode()
    events = [*decoder.whole(given), *decoder.end()]
    check_shape(events)
    return events


@asynccontextmanager
async def serving(body: bytes) -> AsyncIterator[str]:
    """The address of a server that answers every request with this stream."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def fits(shape: Any, body: dict[str, Any]) -> None:
    """Check a request's body against the parameters of the vendor's SDK."""
    exhaust(_adapter(shape).validate_python(body))


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    """Slow to build, and the walk needs it to the end."""
    return TypeAdapter(shape)


def exhaust(value: Any) -> None:
    """Walk through it all: what the SDK types as an iterable is checked only when it is read."""
    if isinstance(value, dict):
        for entry in value.values():
            exhaust(entry)
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for entry in value:
            exhaust(entry)
