"""Answers that were made and wait to be taken: so many bytes for each person, whoever reads slowly or not at all."""

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable

from starlette.types import Message, Send

PIECE = 64 * 1024
"""Bytes of a long answer that go out at once; the next follow once these are on their way."""
MOST = 32_000_000
"""Bytes of large answers that wait for one person; one answer is always let out, whatever its size."""


class Unsent:
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._bytes: Counter[Hashable] = Counter()

    def is_full(self, key: Hashable) -> bool:
        return self._bytes[key] >= self._most

    def enter(self, key: Hashable, size: int) -> bool:
        if self._bytes[key] and self._bytes[key] + size > self._most:
            return False
        self._bytes[key] += size
        return True

    def leave(self, key: Hashable, size: int) -> None:
        self._bytes[key] -= size
        if self._bytes[key] <= 0:
            del self._bytes[key]


class Outgoing:
    """One answer: counted if it is large and there at once. What comes bit by bit, as it is taken, holds nothing."""

    def __init__(
        self, unsent: Unsent, key: Hashable, send: Send, refuse: Callable[[], Awaitable[None]]
    ) -> None:
        """Where there is no room for it, `refuse` is called to answer something else instead."""
        self._refuse = refuse
        self._is_refused = False
        self._unsent = unsent
        self._key = key
        self._send = send
        self._start: Message | None = None
        self._held = 0

    async def send(self, message: Message) -> None:
        if self._is_refused:
            return
        if message["type"] == "http.response.start" and _length(message) > PIECE:
            self._start = message  # until its body shows whether there is room for it
            return
        if self._start is not None:
            start, self._start = self._start, None
            size = len(message.get("body", b""))
            if size > PIECE:
                if not self._unsent.enter(self._key, size):
                    self._is_refused = True
                    await self._refuse()
                    return
                self._held = size
            await self._send(start)
        await self._send(message)

    def end(self) -> None:
        if self._held:
            self._unsent.leave(self._key, self._held)
            self._held = 0


def _length(start: Message) -> int:
    for name, value in start.get("headers", ()):
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def in_pieces(
    send: Send, message: Message, turn: Callable[[], Awaitable[bool]] | None = None
) -> None:
    """`turn` is waited for before each piece of a long answer; False: nobody is there to read it any more."""
    body = message.get("body", b"")
    if message["type"] != "http.response.body" or len(body) <= PIECE:
        await send(message)
        return
    more = message.get("more_body", False)
    whole = memoryview(body)
    for start in range(0, len(whole), PIECE):
        last = start + PIECE >= len(whole)
        if turn and not await turn():
            return
        piece = bytes(whole[start : start + PIECE])
        await send({**message, "body": piece, "more_body": more or not last})
