"""Clients that lose their connection all the time, and write down what they were sent, byte for byte.

A record takes only the event that follows its last one: a gap or a double is seen where it happens. A connection may
break because its client broke it, or because the server was killed; one that breaks otherwise is a failure.
"""

import asyncio
import random
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import aiohttp
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

BROKEN = (aiohttp.ClientError, OSError, EOFError, WebSocketException)
"""What a client sees of a connection that breaks."""

END = b'{"type":"exchange_response"'
ASKED = b'{"type":"approval_required"'
HALF_A_FRAME = b"\x81\xfe\x01\x00mask{"
"""A frame's head that promises 256 bytes, and few of them."""


class Stage:
    """What all clients of one server share: where it is, whether it lives, and the dice."""

    def __init__(self, address: str, token: str, dice: random.Random, stay: int) -> None:
        self.address = address
        self.dice = dice
        self.stay = stay
        """So many events at most until a client does something."""
        self.counts: Counter[str] = Counter()
        self.up = asyncio.Event()
        self.lives = 0
        """Which life of the server this is; raised before a kill."""
        self.strike: Callable[[], None] | None = None
        """Set while a kill waits for the next prompt: whoever sends one calls it before the answer can be there."""
        self.heard = asyncio.Event()
        self.http = aiohttp.ClientSession(
            address,
            headers={"Authorization": f"Bearer {token}"},
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=20),
            read_bufsize=2**20,
        )

    def note(self, what: str) -> None:
        self.counts[what] += 1
        if what == "event":
            self.heard.set()
            self.heard = asyncio.Event()

    def prompted(self) -> None:
        """A prompt has just been written to the wire."""
        strike, self.strike = self.strike, None
        if strike:
            strike()

    async def again(self, attempt: Callable[[], Awaitable[bool]]) -> None:
        """Try until it says that it is through, over all deaths of the server."""
        while True:
            while not self.up.is_set():  # it may be down again before a waiter wakes
                await self.up.wait()
            life = self.lives
            try:
                if await attempt():
                    return
            except BROKEN as error:
                if life == self.lives:
                    raise AssertionError(
                        f"a connection broke and nobody was killed: {error!r}"
                    ) from error
                self.note("torn by a kill")

    async def call(self, method: str, path: str, body: Any = None, *fine: int) -> Any:
        """A call that succeeds in the end; the same body is sent each time."""
        answers: list[Any] = []

        async def attempt() -> bool:
            async with self.http.request(method, path, json=body) as response:
                if await obeyed(response):
                    return False
                answers.append(await response.json())
                assert response.status < 300 or response.status in fine, answers
                return True

        await self.again(attempt)
        return answers[-1]


async def obeyed(response: aiohttp.ClientResponse) -> bool:
    """Whether the server said "later", and it is later now."""
    if response.status not in (429, 503):
        return False
    await asyncio.sleep(float(response.headers["Retry-After"]))
    return True


class Record:
    """What one tab, or one follower, was sent of one session."""

    def __init__(self, stage: Stage, session_id: str) -> None:
        self.session_id = session_id
        self.bodies: list[bytes] = []
        self.ends: Counter[str] = Counter()
        self.asks: list[dict[str, Any]] = []
        """What was asked and not yet looked at."""
        self._stage = stage
        self._grown = asyncio.Event()

    @property
    def last_seen(self) -> int:
        return len(self.bodies)

    def take(self, index: int, body: bytes) -> None:
        assert index == self.last_seen + 1, f"{index} came after {self.last_seen}"
        self.bodies.append(body)
        if body.startswith(END):
            self.ends[msgspec.json.decode(body)["message_id"]] += 1
        elif body.startswith(ASKED):
            self.asks.append(msgspec.json.decode(body)["data"])
        self._stage.note("event")
        self._grown.set()
        self._grown = asyncio.Event()

    async def asked(self, message_id: str) -> dict[str, Any] | None:
        """The next ask, or None once that exchange has ended."""
        while message_id not in self.ends:
            if self.asks:
                return self.asks.pop()
            await self._grown.wait()
        return None


class Watcher:
    """Follows one session over SSE and prompts over HTTP."""

    def __init__(self, stage: Stage, session_id: str) -> None:
        self.record = Record(stage, session_id)
        self._stage = stage

    async def live(self) -> None:
        await self._stage.again(self._visit)

    async def prompt(self, message_id: str, text: str) -> None:
        path = f"/api/sessions/{self.record.session_id}/prompts"
        body = {"message_id": message_id, "content": text}
        calling = asyncio.create_task(self._stage.call("POST", path, body))
        for _ in range(
            self._stage.dice.randrange(12)
        ):  # from before it is sent to after it is answered
            await asyncio.sleep(0)
        self._stage.prompted()
        assert (await calling)["message_id"] == message_id

    async def answer(self, asked: dict[str, Any]) -> None:
        """Go on with what was given up after too many deaths."""
        body = {"word": "continue", "hash": asked.get("hash", "")}
        await self._stage.call("POST", f"/api/asks/{asked['approval_id']}", body, 409)

    async def _visit(self) -> bool:
        """Follow from the last event that is here, then leave somehow."""
        stage = self._stage
        seen, left = self.record.last_seen, stage.dice.randrange(1, stage.stay)
        by_header = stage.dice.random() < 0.5
        async with stage.http.get(
            f"/api/sessions/{self.record.session_id}/events",
            params={} if by_header else {"after": seen},
            headers={"Accept": "text/event-stream"}
            | ({"Last-Event-ID": str(seen)} if by_header else {}),
        ) as response:
            if await obeyed(response):
                return False
            assert response.status == 200, await response.text()
            async for index, body in told(response.content):
                self.record.take(index, body)
                left -= 1
                if not left:
                    break
            assert not left, "the stream ended by itself"
            stage.note("disconnect")
            if stage.dice.random() < 0.5 and response.connection and response.connection.transport:
                response.connection.transport.abort()
            response.close()
        return False


async def told(stream: aiohttp.StreamReader) -> AsyncGenerator[tuple[int, bytes]]:
    """The events of an SSE stream. What is not whole was not sent."""
    index, body = 0, b""
    while (line := await stream.readline()).endswith(b"\n"):
        name, _, value = line.rstrip(b"\r\n").partition(b":")
        if name == b"id":
            index = int(value)
        elif name == b"data":
            body += value.removeprefix(b" ")
        elif not line.strip() and body:
            yield index, body
            body = b""
    raise EOFError


class Tab:
    def __init__(self, stage: Stage, session_id: str) -> None:
        self.id = str(uuid.uuid4())
        self.record = Record(stage, session_id)
        self.is_there = False
        self.is_hidden = False
        """The server knows that nobody looks."""


class Head(msgspec.Struct):
    type: str
    ref: str = ""


class Events(msgspec.Struct):
    """Bodies stay the bytes that came."""

    tab_id: str
    session_id: str
    events: list[tuple[int, msgspec.Raw]]


class Browser:
    """One socket at a time with some tabs; those of `looks_at` are closed and opened anew now and then."""

    def __init__(self, stage: Stage, drives: list[str], looks_at: list[str]) -> None:
        self.driven = [Tab(stage, each) for each in drives]
        self.others = [Tab(stage, each) for each in looks_at]
        self.closed: list[Tab] = []
        self._stage = stage
        self._waiting: dict[str, tuple[dict[str, Any], asyncio.Event]] = {}
        """What was said and not yet answered, by its `ref`."""
        self._socket: ClientConnection | None = None

    @property
    def tabs(self) -> list[Tab]:
        return [*self.driven, *self.others]

    async def live(self) -> None:
        await self._stage.again(self._visit)

    async def prompt(self, message_id: str, text: str, tab: Tab) -> None:
        await self._say("prompt", message_id, tab, message_id=message_id, text=text)

    async def answer(self, asked: dict[str, Any], tab: Tab) -> None:
        """Go on with what was given up after too many deaths."""
        ask_id, shown = asked["approval_id"], asked.get("hash", "")
        await self._say("answer", ask_id, tab, ask_id=ask_id, word="continue", hash=shown)

    async def _say(self, kind: str, ref: str, tab: Tab, **said: Any) -> None:
        """Send it, over one socket after the other, until it is answered."""
        frame = {"type": kind, "ref": ref, "tab_id": tab.id, **said}
        self._waiting[ref] = frame, asyncio.Event()
        answered = self._waiting[ref][1]
        if self._socket:
            with suppress(*BROKEN):  # it is sent again over the next socket
                await send(self._socket, frame)
                self._stage.prompted()
        await answered.wait()

    async def _visit(self) -> bool:
        """Stay for some events, do something, stay again; until the dice say that the socket goes."""
        dice = self._stage.dice
        socket = await self._open()
        try:
            while True:
                await self._until(socket, events=dice.randrange(1, self._stage.stay))
                act = dice.choice(["hide", "hide", "replace", "refresh", "close", "abort", "half"])
                if act == "hide":
                    await self._hide(socket)
                elif act == "replace":
                    await self._replace(socket)
                elif act == "refresh":
                    old, socket = socket, await self._open()
                    await self._leave(old, dice.choice(["close", "abort"]))
                else:
                    await self._leave(socket, act)
                    return False
        finally:
            self._socket = None
            socket.transport.abort()

    async def _leave(self, socket: ClientConnection, way: str) -> None:
        if self._socket is socket:
            self._socket = None
        self._stage.note("disconnect")
        if way == "half":
            socket.transport.write(HALF_A_FRAME)
        if way != "close":
            socket.transport.abort()
        await socket.close()

    async def _open(self) -> ClientConnection:
        """A new socket that goes on where the last one ended."""
        ticket = (await self._stage.call("POST", "/api/tickets"))["ticket"]
        url = self._stage.address.replace("http", "ws", 1) + f"/ws/{ticket}"
        socket = await connect(url, max_size=None, compression=None, ping_interval=None)
        there = [tab for tab in self.tabs if tab.is_there]
        if there:
            seen = [{"tab_id": tab.id, "last_seen": tab.record.last_seen} for tab in there]
            await send(socket, {"type": "restore", "tabs": seen})
        for tab in self.tabs:
            tab.is_hidden = False
            if not tab.is_there:
                await send(socket, opening(tab))
        self._socket = socket
        for frame, _ in list(self._waiting.values()):
            await send(socket, frame)
            self._stage.prompted()
        return socket

    async def _until(self, socket: ClientConnection, events: int = 0, ref: str = "") -> None:
        """Read until so many events came, or the answer to the frame with that `ref`."""
        while events > 0 or ref:
            frame = await socket.recv(decode=False)
            head = msgspec.json.decode(frame, type=Head)
            if head.type == "events":
                events -= self._take(msgspec.json.decode(frame, type=Events))
            else:
                self._hear(head.type, msgspec.json.decode(frame))
            if ref and head.ref == ref:
                return

    def _take(self, frame: Events) -> int:
        tab = next(tab for tab in self.tabs if tab.id == frame.tab_id)
        assert tab.record.session_id == frame.session_id, "in the wrong tab"
        assert not tab.is_hidden, "sent to a tab that nobody looks at"
        for index, body in frame.events:
            tab.record.take(index, bytes(body))
        return len(frame.events)

    def _hear(self, kind: str, frame: dict[str, Any]) -> None:
        is_late = frame.get("code") == "conflict"  # the answer before the kill was heard
        assert kind != "error" or is_late, frame
        if kind == "session-created":
            tab = next(tab for tab in self.tabs if tab.id == frame["tab_id"])
            assert tab.record.session_id == frame["session_id"]
            tab.is_there = True
        elif frame.get("ref") in self._waiting:
            self._waiting.pop(frame["ref"])[1].set()

    async def _hide(self, socket: ClientConnection) -> None:
        """Look away for some round trips: nothing comes meanwhile, and then what was missed."""
        tab = self._stage.dice.choice(self.tabs)
        if not tab.is_there:
            return
        await send(socket, {"type": "hidden", "tab_id": tab.id, "ref": tab.id})
        await self._until(socket, ref=tab.id)
        tab.is_hidden = True
        for number in range(self._stage.dice.randrange(2, 9)):
            ref = f"{tab.id}-{number}"
            await send(socket, {"type": "ping", "ref": ref})
            await self._until(socket, ref=ref)
        tab.is_hidden = False
        last_seen = tab.record.last_seen
        await send(socket, {"type": "visible", "tab_id": tab.id, "last_seen": last_seen})
        self._stage.note("hide")

    async def _replace(self, socket: ClientConnection) -> None:
        """Close a tab and open another one on its session, which is told everything from the beginning."""
        old = self._stage.dice.choice(self.others)
        if not old.is_there:
            return
        await send(socket, {"type": "close-tab", "tab_id": old.id, "ref": old.id})
        try:
            await self._until(socket, ref=old.id)
        finally:  # if it breaks here nobody knows whether the tab is closed: it is not used again
            new = Tab(self._stage, old.record.session_id)
            self.others[self.others.index(old)] = new
            self.closed.append(old)
        await send(socket, opening(new))
        self._stage.note("replaced tab")


def opening(tab: Tab) -> dict[str, Any]:
    named = {"tab_id": tab.id, "session_id": tab.record.session_id}
    return {"type": "new-tab", **named, "after": tab.record.last_seen}


async def send(socket: ClientConnection, frame: dict[str, Any]) -> None:
    await socket.send(msgspec.json.encode(frame).decode())
