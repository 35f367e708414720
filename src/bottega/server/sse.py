"""Events as a stream of text that a browser reads by itself (server-sent events).

A reader is a cursor, never a queue: the next bytes are made when the last ones have gone out, so a slow one costs
nothing. Whoever goes away is forgotten at once, and whoever comes back says by `Last-Event-ID` what they have.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bottega.errors import NotFound
from bottega.sessions.feed import Feed, Frame
from bottega.sessions.log import Log

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = 5.0
"""Seconds without an event after which a comment shows that the stream lives."""
CHUNK = 64 * 1024
"""Bytes after which a write ends: what waits to go out stays small."""
LAST = 1.0
"""Seconds that the end of a stream may take to go out."""
RETRY = b"retry: 1000\n\n"
BEAT = b":\n\n"

Write = Callable[[bytes], Awaitable[None]]
SignedIn = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""While what it gives lasts, calls the function once whoever reads is signed in no longer."""
Shown = Callable[[Frame], Iterator[bytes]]
"""A frame as messages."""

_BREAK = re.compile(rb"\r\n|\r|\n")


def message(told: bytes, *, index: int = 0, event: str = "") -> bytes:
    """One message: `told` as it is, under its index."""
    if b"\n" in told or b"\r" in told:  # a body that came in from outside may be laid out in lines
        told = b"\ndata: ".join(_BREAK.split(told))
    name = b"event: %b\n" % event.encode() if event else b""
    number = b"id: %d\n" % index if index else b""
    return b"%b%bdata: %b\n\n" % (name, number, told)


def stored(frame: Frame) -> Iterator[bytes]:
    """Each event of a frame, its body as it is stored; before them what is no longer kept."""
    if frame.trimmed:
        yield message(b"[%d,%d]" % frame.trimmed, event="trimmed")
    for index, body in frame.events:
        yield message(body, index=index)


async def follow(
    log: Log,
    n: int,
    after: int,
    write: Write,
    shown: Shown = stored,
    is_over: Callable[[], bool] = lambda: False,
) -> bool:
    """Write everything past the cursor and then what comes, until it is over; False: the session was deleted."""
    cursor = after
    with suppress(NotFound), log.following(n) as feed:
        while not feed.gone:
            for frame in await log.ahead(n, cursor):
                cursor = frame.events[-1][0]
                for chunk in chunks(shown(frame)):
                    await write(chunk)
                if is_over():
                    return True
            if feed.last_index <= cursor:
                await _beating(feed, cursor, write)
    return False


async def _beating(feed: Feed, cursor: int, write: Write) -> None:
    try:
        async with asyncio.timeout(HEARTBEAT):
            await feed.wait(cursor)
    except TimeoutError:
        await write(BEAT)


def chunks(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Many messages in one write."""
    waiting: list[bytes] = []
    size = 0
    for each in messages:
        waiting.append(each)
        size += len(each)
        if size >= CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def ended(session_id: str) -> bytes:
    """The last word of a stream whose session was deleted."""
    return message(msgspec.json.encode({"session_id": session_id}), event="session-ended")


class Stream(Response):
    """What `speak` writes, until it returns, the client goes away or is signed out, or the server ends."""

    media_type = MEDIA_TYPE
    charset = "utf-8"

    def __init__(
        self,
        speak: Callable[[Write], Awaitable[None]],
        stopping: asyncio.Event,
        signed_in: SignedIn = lambda gone: nullcontext(),
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._speak = speak
        self._stopping = stopping
        self._signed_in = signed_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tasks = [
            asyncio.create_task(self._write(send)),
            asyncio.create_task(_gone(receive)),
            asyncio.create_task(self._stopping.wait()),
        ]
        try:
            with self._signed_in(partial(_cancel, tasks[2])):
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        writing, gone, _ = tasks
        if not writing.cancelled():
            writing.result()
        if gone.cancelled():  # somebody is still there, and most likely reads
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send) -> None:
        started = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(started)

        async def write(chunk: bytes) -> None:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

        await write(RETRY)
        await self._speak(write)


def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
