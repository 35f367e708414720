"""One small interface to a running server, over HTTP with SSE and over the socket: behaviour is tested over both.

A driver begins sessions, says things, answers and cancels; a following is one connection that collects the stored bytes
of a session from a cursor on. To reconnect is to leave one following and to begin another at its cursor.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp
import msgspec

from tests.server.hub.wire import PATIENCE, Wire, fresh, wired
from tests.server.serving import Client

Body = dict[str, Any]


class Following:
    """What came over one connection: `[(index, stored bytes)]`, from just past the cursor on."""

    def __init__(self, after: int) -> None:
        self.events: list[tuple[int, bytes]] = []
        self.after = after

    @property
    def cursor(self) -> int:
        return self.events[-1][0] if self.events else self.after

    @property
    def is_over(self) -> bool:
        """Whether the last event that came is the end of an exchange."""
        return bool(self.events) and self.events[-1][1].startswith(b'{"type":"exchange_response"')

    def bodies(self) -> list[Body]:
        return [msgspec.json.decode(body) for _, body in self.events]

    async def more(self) -> None:
        """Wait until at least one more event is here."""
        raise NotImplementedError

    async def until(self, kind: str, message_id: str = "") -> Body:
        """The first event of that type, whether it is here already or not."""
        looked = 0
        async with asyncio.timeout(PATIENCE):
            while True:
                for _, raw in self.events[looked:]:
                    looked += 1
                    body: Body = msgspec.json.decode(raw)
                    if body["type"] == kind and message_id in ("", body.get("message_id", "")):
                        return body
                await self.more()

    async def end(self, message_id: str) -> Body:
        """What the exchange ended with."""
        return (await self.until("exchange_response", message_id))["data"]

    async def collect(self, count: int) -> None:
        """Wait until so many events are here."""
        async with asyncio.timeout(PATIENCE):
            while len(self.events) < count:
                await self.more()


class Driver(ABC):
    @abstractmethod
    async def begin(self, **options: str) -> str:
        """A new session; its id."""

    @abstractmethod
    async def say(self, session: str, text: str, message_id: str = "", **more: Any) -> Body:
        """Admit a prompt: `message_id`, `index`, `repeated`; or a problem, with its `code`."""

    @abstractmethod
    async def cancel(self, session: str, message_id: str) -> bool: ...

    @abstractmethod
    async def answer(self, session: str, asked: Body, word: str, **more: Any) -> Body:
        """Answer what an `approval_required` asks; a problem has a `code`."""

    @abstractmethod
    def follow(self, session: str, after: int = 0) -> "AbstractAsyncContextManager[Following]": ...


class OverHttp(Driver):
    def __init__(self, client: Client) -> None:
        self._client = client

    async def begin(self, **options: str) -> str:
        return (await self._client.post("/api/sessions", options))["id"]

    async def say(self, session: str, text: str, message_id: str = "", **more: Any) -> Body:
        body = {"message_id": message_id or fresh(), "content": text, **more}
        _, answer = await self._client.call("POST", f"/api/sessions/{session}/prompts", body)
        return answer

    async def cancel(self, session: str, message_id: str) -> bool:
        path = f"/api/sessions/{session}/prompts/{message_id}"
        status, answer = await self._client.call("DELETE", path)
        assert status == 200, answer
        return answer["stopped"]

    async def answer(self, session: str, asked: Body, word: str, **more: Any) -> Body:
        body = {"word": word, "hash": asked["hash"], **more}
        return (await self._client.call("POST", f"/api/asks/{asked['approval_id']}", body))[1]

    @asynccontextmanager
    async def follow(self, session: str, after: int = 0) -> AsyncGenerator[Following]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        path = f"/api/sessions/{session}/events"
        async with self._client.session.get(
            path, headers=headers, timeout=aiohttp.ClientTimeout(total=None)
        ) as response:
            assert response.status == 200, await response.text()
            yield _Streamed(after, response)


class _Streamed(Following):
    def __init__(self, after: int, response: aiohttp.ClientResponse) -> None:
        super().__init__(after)
        self._response = response
        self._rest = b""

    async def more(self) -> None:
        before = len(self.events)
        while len(self.events) == before:
            chunk = await self._response.content.readany()
            if not chunk:
                raise ConnectionError("the stream ended")
            *messages, self._rest = (self._rest + chunk).split(b"\n\n")
            for message in messages:
                self._take(message)

    def _take(self, message: bytes) -> None:
        found = re.fullmatch(rb"id: (\d+)\ndata: (.*)", message, re.DOTALL)
        if found:
            self.events.append((int(found[1]), found[2].replace(b"\ndata: ", b"\n")))


class OverSocket(Driver):
    def __init__(self, client: Client, wire: Wire) -> None:
        self._client = client
        self._wire = wire
        self._tabs: dict[str, str] = {}

    async def begin(self, **options: str) -> str:
        tab = fresh()
        made = await self._wire.ask(type="new-tab", tab_id=tab, **options)
        assert made["type"] == "session-created", made
        self._tabs[made["session_id"]] = tab
        await self._wire.ask(type="hidden", tab_id=tab)
        return made["session_id"]

    async def say(self, session: str, text: str, message_id: str = "", **more: Any) -> Body:
        return await self._wire.ask(
            type="prompt",
            tab_id=self._tabs[session],
            message_id=message_id or fresh(),
            text=text,
            **more,
        )

    async def cancel(self, session: str, message_id: str) -> bool:
        tab = self._tabs[session]
        answer = await self._wire.ask(type="cancel", tab_id=tab, message_id=message_id)
        assert answer["type"] == "cancelled", answer
        return answer["found"]

    async def answer(self, session: str, asked: Body, word: str, **more: Any) -> Body:
        return await self._wire.ask(
            type="answer",
            tab_id=self._tabs[session],
            ask_id=asked["approval_id"],
            hash=asked["hash"],
            word=word,
            **more,
        )

    @asynccontextmanager
    async def follow(self, session: str, after: int = 0) -> AsyncGenerator[Following]:
        tab = fresh()
        async with wired(self._client) as wire:
            made = await wire.ask(type="new-tab", tab_id=tab, session_id=session, after=after)
            assert made["type"] == "session-created", made
            yield _Framed(after, wire, tab)


class _Framed(Following):
    def __init__(self, after: int, wire: Wire, tab: str) -> None:
        super().__init__(after)
        self._wire = wire
        self._tab = tab
        self.events = wire.raw.setdefault(tab, [])

    async def more(self) -> None:
        before = len(self.events)
        while len(self.events) == before:
            await self._wire.a("events", tab_id=self._tab)


WAYS = ("http", "socket")


@asynccontextmanager
async def driven(client: Client, way: str) -> AsyncGenerator[Driver]:
    """A driver over HTTP and SSE, or over the socket."""
    if way == "http":
        yield OverHttp(client)
    else:
        async with wired(client) as wire:
            yield OverSocket(client, wire)
