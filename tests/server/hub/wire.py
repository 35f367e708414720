"""A client of the socket, for tests: it sends frames, and waits for those that it wants to see."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec

from tests.server.serving import Client, Serving

PATIENCE = 15
Frame = dict[str, Any]


def fresh() -> str:
    return str(uuid.uuid4())


class Wire:
    """One socket. `seen` holds every event of each tab, as `[index, body]`, and fails on one that is out of order."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.frames: list[Frame] = []
        self.seen: dict[str, list[tuple[int, Any]]] = {}
        self.raw: dict[str, list[tuple[int, bytes]]] = {}
        self._read = 0

    async def send(self, **frame: Any) -> None:
        await self.socket.send_json(frame)

    async def ask(self, **frame: Any) -> Frame:
        """Send a frame; its answer."""
        ref = fresh()
        await self.send(**frame, ref=ref)
        return await self.until(lambda answer: answer.get("ref") == ref)

    async def until(self, wanted: Callable[[Frame], bool]) -> Frame:
        """The next frame that is wanted, among those that were not looked at yet."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self._next()
                if wanted(frame):
                    return frame

    async def a(self, kind: str, **fields: Any) -> Frame:
        """The next frame of that type, with these fields."""
        return await self.until(
            lambda f: f["type"] == kind and all(f.get(key) == fields[key] for key in fields)
        )

    async def event(self, tab: str, kind: str, message_id: str = "") -> Any:
        """The body of the first event of that type in that tab, whether it came already or not."""

        def found() -> Any:
            for _, body in self.seen.get(tab, []):
                if body["type"] == kind and message_id in ("", body.get("message_id", "")):
                    return body
            return None

        async with asyncio.timeout(PATIENCE):
            while not (body := found()):
                await self._next()
        return body

    async def ends(self, tab: str, message_id: str = "") -> Any:
        """What the exchange ended with."""
        return (await self.event(tab, "exchange_response", message_id))["data"]

    async def _next(self) -> Frame:
        if self._read == len(self.frames):
            message = await self.socket.receive()
            if message.type != aiohttp.WSMsgType.TEXT:
                raise Gone(self.socket.close_code, message)
            self._take(message.data)
        self._read += 1
        return self.frames[self._read - 1]

    def _take(self, text: str) -> None:
        frame = msgspec.json.decode(text)
        self.frames.append(frame)
        if frame["type"] == "events":
            tab = frame["tab_id"]
            raw = msgspec.json.decode(text, type=_Raw).events
            self.seen.setdefault(tab, []).extend(map(tuple, frame["events"]))
            self.raw.setdefault(tab, []).extend((index, bytes(body)) for index, body in raw)

    def indexes(self, tab: str) -> list[int]:
        return [index for index, _ in self.seen.get(tab, [])]

    def words(self, tab: str) -> str:
        """The text that was streamed."""
        return "".join(b["data"]["text"] for _, b in self.seen[tab] if b["type"] == "text_delta")


class _Raw(msgspec.Struct):
    events: list[tuple[int, msgspec.Raw]]


class Gone(Exception):
    """The server closed the socket."""

    def __init__(self, code: int | None, message: Any) -> None:
        super().__init__(code, message)
        self.code = code


@asynccontextmanager
async def wired(client: Client, **options: Any) -> AsyncGenerator[Wire]:
    """A socket of that client's."""
    ticket = (await client.post("/api/tickets"))["ticket"]
    async with client.session.ws_connect(f"/ws/{ticket}", **options) as socket:
        yield Wire(socket)


@asynccontextmanager
async def wire_to(serving: Serving, token: str = "") -> AsyncGenerator[Wire]:
    async with serving.client(token) as client, wired(client) as wire:
        yield wire
