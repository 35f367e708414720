"""How long a body may be, and how slowly it may come. It is counted as it comes, whatever it says of itself."""

import asyncio

from starlette.types import Message, Receive

from bottega.server.problems import Halt

MOST_BODY = 1_000_000
MOST_UPLOAD = 100_000_000
"""For routes that end with `/upload`; they read the body piece by piece, never whole."""

PATIENCE, SLOWEST = 20.0, 10_000
"""A body has so many seconds, and one more for each so many bytes that have come."""


def most_of(path: str) -> int:
    """The bytes that a body sent to this path may have."""
    return MOST_UPLOAD if path.endswith("/upload") else MOST_BODY


def bounded(receive: Receive, headers: dict[bytes, bytes], most: int) -> Receive:
    """The same body, but no more of it than `most`; refuse at once what says that it is longer."""
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > most:
        raise _too_large(most)
    if not length.strip(b"0") and b"transfer-encoding" not in headers:
        return receive
    received, is_whole = 0, False
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
        return message

    return counted


def _too_large(most: int) -> Halt:
    return Halt(
        413,
        "too_large",
        f"The body of this request is longer than {most // 1_000_000} MB.",
        "Send less at once.",
    )
