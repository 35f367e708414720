"""How long a body may be, and how slowly it may come. It is counted as it comes, whatever it says of itself."""

import asyncio
import re
from collections.abc import Awaitable, Callable

from starlette.types import Message, Receive

from bottega.server.problems import Halt

MOST_BODY = 1_000_000
MOST_UPLOAD = 100_000_000
"""For routes that end with `/upload`; they read the body piece by piece, never whole."""

MOST_SIGN_IN = 16_000
"""What somebody sends whom nobody knows yet."""

FEW = 64_000
"""Bytes of a body that may hold whatever fits into it; …"""
VALUES = 10_000
"""… a longer one holds texts, and no more values than these: each costs far more to read than its bytes."""

PATIENCE, SLOWEST = 20.0, 10_000
"""A body has so many seconds, and one more for each so many bytes that have come."""

# A text that does not end takes in all that follows: nothing of it is looked at twice.
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def most_of(path: str) -> int:
    """The bytes that a body sent to this path may have."""
    if path.endswith("/api/sign-in"):
        return MOST_SIGN_IN
    return MOST_UPLOAD if path.endswith("/upload") else MOST_BODY


def in_turn(receive: Receive, turn: Callable[[], Awaitable[None]]) -> Receive:
    """The same body; what is done with it, once it is whole, waits for its turn."""

    async def heard() -> Message:
        message = await receive()
        whole = message["type"] == "http.request" and not message.get("more_body", False)
        if whole and message.get("body"):
            await turn()
        return message

    return heard


def bounded(receive: Receive, headers: dict[bytes, bytes], most: int) -> Receive:
    """The same body, but no more of it than `most`; refuse at once what says that it is longer."""
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > most:
        raise _too_large(most)
    if not length.strip(b"0") and b"transfer-encoding" not in headers:
        return receive
    received, is_whole = 0, False
    kept: list[bytes] = []
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
        is_whole = not message.get("more_body", False)
        if most <= MOST_BODY:
            kept.append(message.get("body", b""))
            if is_whole and received > FEW:
                _refuse_crowded(b"".join(kept))
        return message

    return counted


def _refuse_crowded(body: bytes) -> None:
    """Refuse JSON of very many values. Commas inside of texts are none between values."""
    if body.count(b",") > VALUES and _TEXT.sub(b"", body).count(b",") > VALUES:
        raise Halt(
            413,
            "too_large",
            f"The body of this request has more than {VALUES} values.",
            "Send less at once.",
        )


def _too_large(most: int) -> Halt:
    return Halt(
        413,
        "too_large",
        f"The body of this request is longer than {most // 1_000_000} MB.",
        "Send less at once.",
    )
