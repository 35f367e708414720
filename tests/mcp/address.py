"""An MCP server over HTTP on this machine that answers as the test says."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request, dict[str, Any]], Any]

ECHO = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}


class Address:
    """Keeps what it was asked; `answer` may take a request over, by returning a response."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.sessions = 0
        self.known: set[str] = set()
        self.answer: Callable[[web.Request, dict[str, Any]], Any] | None = None
        self.stream: Callable[[web.Request], Any] | None = None
        """What opens a stream is answered by, if it is."""
        self.url = ""
        self.called_off = asyncio.Event()

    @property
    def methods(self) -> list[str]:
        return [message.get("method", "") for _, _, message in self.heard]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        message: dict[str, Any] = await request.json() if request.method == "POST" else {}
        self.heard.append((request.method, dict(request.headers), message))
        if message.get("method") == "notifications/cancelled":
            self.called_off.set()
        if request.method == "GET" and self.stream:
            return await self.stream(request)
        if request.method != "POST":
            return web.Response(status=405 if request.method == "GET" else 200)
        if self.answer and (own := self.answer(request, message)) is not None:
            return await own if not isinstance(own, web.StreamResponse) else own
        if "id" not in message:
            return web.Response(status=202)
        session = request.headers.get("mcp-session-id", "")
        if message["method"] != "initialize" and session not in self.known:
            return web.Response(status=404)
        return self._plain(message)

    def _plain(self, message: dict[str, Any]) -> web.Response:
        headers: dict[str, str] = {}
        match message["method"]:
            case "initialize":
                self.sessions += 1
                session = f"session-{self.sessions}"
                self.known.add(session)
                headers["mcp-session-id"] = session
                found: Any = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "address", "version": "1"},
                }
            case "tools/list":
                found = {"tools": [ECHO]}
            case "tools/call":
                said = json.dumps(message["params"]["arguments"])
                found = {"content": [{"type": "text", "text": said}]}
            case _:
                found = {}
        body = {"jsonrpc": "2.0", "id": message["id"], "result": found}
        return web.json_response(body, headers=headers)


@asynccontextmanager
async def serving() -> AsyncIterator[Address]:
    address = Address()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", address.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1, max_field_size=2_000_000)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    address.url = f"http://{host}:{port}/mcp"
    try:
        yield address
    finally:
        await runner.cleanup()


def on(method: str, response: Callable[[web.Request, dict[str, Any]], Any]) -> Answer:
    """Answer one method in a way of one's own."""
    return lambda request, message: (
        response(request, message) if message.get("method") == method else None
    )


def events(*messages: dict[str, Any]) -> bytes:
    return b"".join(f"event: message\ndata: {json.dumps(each)}\n\n".encode() for each in messages)


def packed(body: bytes) -> web.Response:
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    return web.Response(body=gzip.compress(body), headers=headers)
