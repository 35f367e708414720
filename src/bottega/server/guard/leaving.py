"""A client that goes away is no longer worked for: of a request that only looks, what has not begun never does."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.fairness import Caller, acting_for


async def while_there(
    app: ASGIApp, person: int, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer a person's request, on their share of the threads, for as long as somebody waits for it."""
    with acting_for(person, request=True) as caller:
        if scope["method"] not in ("GET", "HEAD") or _has_body(scope):
            await app(scope, receive, send)
            return
        await _Leaving(caller, receive, send).answer(app, scope)


def _has_body(scope: Scope) -> bool:
    names = {name for name, _ in scope["headers"]}
    return bool(names & {b"content-length", b"transfer-encoding"})


class _Leaving:
    """Watches the connection until the answer begins; from then on whoever sends it notices by itself."""

    def __init__(self, caller: Caller, receive: Receive, send: Send) -> None:
        self._caller = caller
        self._receive = receive
        self._send = send
        self._watching: asyncio.Task[None] | None = None
        self._body: Message | None = None

    async def answer(self, app: ASGIApp, scope: Scope) -> None:
        self._body = await self._receive()
        if self._body["type"] != "http.request" or self._body.get("more_body"):
            await app(scope, self._heard, self._send)
            return
        self._watching = asyncio.create_task(self._watch())
        try:
            await app(scope, self._heard, self._sent)
        except asyncio.CancelledError:
            if not self._caller.gone:
                raise
        finally:
            await self._stop()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._caller.leave()

    async def _heard(self) -> Message:
        if (body := self._body) is not None:
            self._body = None
            return body
        return await self._receive()

    async def _sent(self, message: Message) -> None:
        await self._stop()
        await self._send(message)

    async def _stop(self) -> None:
        if (watching := self._watching) is not None:
            self._watching = None
            watching.cancel()
            await asyncio.wait({watching})
