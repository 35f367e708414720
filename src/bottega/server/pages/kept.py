"""Answers that are the same for everybody and made once: bytes with their tag, so that asking again costs nothing."""

import asyncio
import hashlib
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response


class Kept:
    """One body, its type, and what else is said of it."""

    def __init__(self, body: bytes, media_type: str, headers: dict[str, str] | None = None) -> None:
        self.body = body
        self._type = media_type
        digest = hashlib.sha256(body).hexdigest()[:32]
        self._headers = {"ETag": f'"{digest}"', **(headers or {})}

    def answer(self, request: Request) -> Response:
        """All of it, or that nothing has changed since."""
        known = request.headers.get("if-none-match", "")
        tags = {each.strip().removeprefix("W/") for each in known.split(",")}
        if self._headers["ETag"] in tags:
            return Response(status_code=304, headers=self._headers)
        return Response(self.body, media_type=self._type, headers=self._headers)


class Later:
    """What is made when it is first asked for, in a thread, once."""

    def __init__(self, make: Callable[[], Kept]) -> None:
        self._make = make
        self._making: asyncio.Task[Kept] | None = None

    async def get(self) -> Kept:
        if self._making is None:
            self._making = asyncio.create_task(asyncio.to_thread(self._make))
        return await asyncio.shield(self._making)
