"""How long a body may be, and how slowly it may come. It is counted as it comes, whatever it says of itself.

A large one is handed over when it is its sender's turn: it is read and judged on the event loop, and of one person's no
more than one in each of its rounds.
"""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.types import Message, Receive

from bottega.server.guard.parts import Parts, keys_of
from bottega.server.problems import Halt

MOST_BODY = 1_000_000
MOST_SIGNING_IN = 4000
LARGE = 8000
"""Bytes of a body from which on it waits for its turn."""
MOST_UPLOAD = 100_000_000
"""For routes that end with `/upload`; they read the body piece by piece, never whole."""

PATIENCE, SLOWEST = 20.0, 10_000
"""A body has so many seconds, and one more for each so many bytes that have come."""


def most_of(path: str) -> int:
    """The bytes that a body sent to this path may have."""
    if path.endswith("/api/sign-in"):
        return MOST_SIGNING_IN
    return MOST_UPLOAD if path.endswith("/upload") else MOST_BODY


async def _at_once() -> None:
    pass


def bounded(
    receive: Receive,
    headers: dict[bytes, bytes],
    path: str,
    turn: Callable[[], Awaitable[None]] = _at_once,
) -> Receive:
    """The same body, but no more of it than may come; refuse at once what says that it is longer."""
    length, most = headers.get(b"content-length", b""), most_of(path)
    if length.isdigit() and int(length) > most:
        raise _too_large(most)
    if not length.strip(b"0") and b"transfer-encoding" not in headers:
        return receive
    received, is_whole = 0, False
    parts = Parts(keys_of(path)) if _is_json(headers) else None
    begun = asyncio.get_running_loop().time()

    async def counted() -> Message:
        nonlocal received, is_whole
        if is_whole:
            return await receive()  # nothing but the news that the client is gone
        try:
            async with asyncio.timeout_at(begun + PATIENCE + received / SLOWEST):
                message = await receive()
        except TimeoutError:
            raise Halt(
                408, "too_slow", "The body of this request came too slowly.", "Send it again."
            ) from None
        received += len(message.get("body", b""))
        if received > most:
            raise _too_large(most)
        if parts and not parts.add(message.get("body", b"")):
            raise _too_many_parts()
        is_whole = not message.get("more_body", False)
        if is_whole and received > LARGE:
            await turn()
        return message

    return counted


def _is_json(headers: dict[bytes, bytes]) -> bool:
    kind = headers.get(b"content-type", b"")
    return not kind or b"json" in kind.lower()


def _too_large(most: int) -> Halt:
    size = f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most // 1000} KB"
    said = f"The body of this request is longer than {size}."
    return Halt(413, "too_large", said, "Send less at once.")


def _too_many_parts() -> Halt:
    said = "The JSON of this request has too many fields or values."
    return Halt(413, "too_large", said, "Send less at once.")
