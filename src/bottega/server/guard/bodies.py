"""How long a body may be, by its route, and how slowly it may come. It is counted as it comes, whatever it says."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import msgspec
from starlette.types import Message, Receive

from bottega.messages.json_size import fault_of
from bottega.server.problems import Halt

MOST_BODY = 1_000_000
MOST_UPLOAD = 100_000_000
"""For routes that end with `/upload`; they read the body piece by piece, never whole."""
USUAL = 64_000
"""Bytes of a body where no route says otherwise."""

PATIENCE, SLOWEST = 20.0, 10_000
"""A body has so many seconds, and one more for each so many bytes that have come."""


class Limit(msgspec.Struct, frozen=True):
    """What a body may hold."""

    size: int = USUAL
    """Bytes."""
    members: int = 1000
    """Fields and elements of its JSON, of all levels together. 0: it is no JSON."""
    patience: float = 0
    """Seconds for it to come, but for those that its length gives it. 0: as usual."""


SIGN_IN = "POST /api/sign-in"
"""The only request of a stranger's that has a body."""

_LONG_TEXT = Limit(MOST_BODY)
_FREE_JSON = Limit(MOST_BODY, 20_000)

_LIMITS = {
    SIGN_IN: Limit(2000, 20, patience=3.0),
    "POST /api/sessions/*/prompts": _FREE_JSON,
    "PATCH /api/sessions/*/prompts/*": _LONG_TEXT,
    "PUT /api/sessions/*/tools": _FREE_JSON,
    "POST /api/sessions/*/revert": _LONG_TEXT,
    "POST /api/asks/*": _FREE_JSON,
    "POST /api/chat/agent/stream": _LONG_TEXT,
    "PUT /api/projects/*/file": _LONG_TEXT,
    "POST /api/projects/*/diff": _LONG_TEXT,
    "POST /api/projects/*/upload": Limit(MOST_UPLOAD, 0),
    "POST /api/agents/validate": _FREE_JSON,
    "PUT /api/agents/*": _FREE_JSON,
    "PUT /api/rules": _FREE_JSON,
    "PUT /api/instructions": _LONG_TEXT,
}
"""The routes whose bodies are not as usual; `*` is a name in the path."""

_USUAL = Limit()
_PATTERNS = tuple(
    (re.compile(re.escape(route).replace(r"\*", "[^/]+")), limit)
    for route, limit in _LIMITS.items()
)


_BODILESS = frozenset({"GET", "HEAD"})


def refuse_of_stranger(method: str, headers: dict[bytes, bytes]) -> None:
    """Nobody who is not signed in sends us anything but a sign-in: what they begin to send is not waited for."""
    if method not in _BODILESS:
        raise Halt(
            405,
            "method_not_allowed",
            f"What is at this address is not reached with {method[:20]}.",
            "GET /api/openapi.json has every route; most of them are for people who are signed in.",
            headers={"allow": "GET, HEAD"},
        )
    if has_body(headers):
        raise Halt(
            413,
            "too_large",
            "A request of somebody who is not signed in has no body.",
            "Leave the body out, or sign in.",
        )


def limit_of(method: str, path: str) -> Limit:
    """What a body of this request may hold; the path is the one below the server's own."""
    asked = f"{method} {path}"
    for pattern, limit in _PATTERNS:
        if pattern.fullmatch(asked):
            return limit
    return _USUAL


def has_body(headers: dict[bytes, bytes]) -> bool:
    return bool(headers.get(b"content-length", b"").strip(b"0")) or b"transfer-encoding" in headers


def bounded(
    receive: Receive, headers: dict[bytes, bytes], most: int, patience: float = 0
) -> Receive:
    """The same body, but no more of it than `most`; refuse at once what says that it is longer.

    It has `patience` seconds, 0: `PATIENCE`, and some for its length.
    """
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > most:
        raise _too_large(most)
    if not has_body(headers):
        return receive
    received, is_whole = 0, False
    ends = asyncio.get_running_loop().time() + (patience or PATIENCE)

    async def counted() -> Message:
        nonlocal received, is_whole
        if is_whole:
            return await receive()  # nothing but the news that the client is gone
        try:
            async with asyncio.timeout_at(ends + received / SLOWEST):
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


async def read_whole(
    receive: Receive, members: int, enter: Callable[[], Awaitable[None]]
) -> Receive:
    """Read a body of JSON and look at it before anybody decodes it.

    A short one is read before `enter` is called, so that nobody who sends slowly keeps a place; of a long one no more
    than that is held while its sender waits for a place.
    """
    body, entered, more = bytearray(), False, True
    while more:
        if len(body) > USUAL and not entered:
            await enter()
            entered = True
        message = await receive()
        if message["type"] == "http.disconnect":
            return _once(message, receive)
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if not entered:
        await enter()
    _refuse_crowded(bytes(body), members)
    return _once({"type": "http.request", "body": bytes(body), "more_body": False}, receive)


def _refuse_crowded(body: bytes, members: int) -> None:
    match fault_of(body, members):
        case "encoding":
            raise Halt(422, "bad_usage", "The body is not UTF-8.", "Send it as JSON in UTF-8.")
        case "members":
            raise Halt(
                413,
                "too_large",
                f"The JSON of this request has more than {members} fields and elements.",
                "Send less at once; GET /api/openapi.json says which fields there are.",
            )
        case "depth":
            raise Halt(422, "bad_usage", "The JSON is nested too deeply.", "Send it flatter.")
        case _:
            pass


def _once(first: Message, receive: Receive) -> Receive:
    """That message, then what comes."""
    waiting = [first]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


def _too_large(most: int) -> Halt:
    said = f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most // 1000} KB"
    return Halt(
        413,
        "too_large",
        f"The body of this request is longer than {said}.",
        "Send less at once.",
    )
