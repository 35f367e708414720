"""One client's request to the proxy: read, judged, connected, carried, closed.

Two kinds are known: CONNECT for a tunnel, and a plain HTTP request with a whole URL. A client
gets one answer on a connection, and every refusal names its reason: a model reads it.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Protocol

import msgspec

from bottega.errors import Problem
from bottega.workspaces.network import head as heads
from bottega.workspaces.network.guard import AddressRefused, Checked
from bottega.workspaces.network.head import BadHead, Head, TooMuch
from bottega.workspaces.network.plain import Cut, Sent, exchange
from bottega.workspaces.network.relay import End, Patience, Relay, Traffic
from bottega.workspaces.network.url import BadUrl, Place, Url, parse, parse_place
from bottega.workspaces.network.way import WayOut


class Contact(msgspec.Struct, frozen=True):
    """A place that somebody wanted to reach."""

    place: str
    refused: str = ""
    """Why it was not reached; empty: it was."""


class Judge(Protocol):
    """Says why a place may not be reached, whatever the guard says; empty: it may."""

    def __call__(self, place: Place, url: str = "") -> str:
        """`url` is the whole address, where it is known."""
        ...

    def address(self, host: str, port: int, path: str = "") -> str:
        """The same of an address that the place's name leads to; `path` is what is asked for there, if it is known."""
        ...


class Anywhere:
    """No rule denies any place."""

    def __call__(self, place: Place, url: str = "") -> str:
        return ""

    def address(self, host: str, port: int, path: str = "") -> str:
        return ""


class _Refusal(Exception):  # noqa: N818
    """Ends a request with an answer of the proxy's own."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Proxy:
    def __init__(
        self,
        way: WayOut,
        on_contact: Callable[[Contact], None],
        patience: Patience,
        judge: Judge,
    ) -> None:
        self.traffic = Traffic()
        self._judge = judge
        self._way = way
        self._on_contact = on_contact
        self._patience = patience

    async def serve(self, near: End) -> None:
        """Answer one client; returns once there is nothing more to carry."""
        try:
            async with asyncio.timeout(self._patience.half):
                head = await heads.read_head(near.reader)
            if head is not None:
                await self._answer(near, head)
        except _Refusal as refusal:
            await self._refuse(near, refusal.status, str(refusal))
        except BadHead as problem:
            status = 431 if isinstance(problem, TooMuch) else 400
            await self._refuse(near, status, f"The request cannot be read: {problem}.")
        except TimeoutError:
            await self._refuse(near, 408, "The request did not come in time.")
        except OSError:
            pass  # the client is gone

    async def _refuse(self, near: End, status: int, text: str) -> None:
        """Answer, and hear the client out: one that is cut off while it speaks reads no answer."""
        refuse(near, status, text)
        near.writer.write_eof()
        with suppress(OSError):
            async with asyncio.timeout(min(_HEARD_OUT, self._patience.half)):
                while await near.reader.read(heads.LARGEST):
                    pass

    async def _answer(self, near: End, head: Head) -> None:
        asked = heads.asked(head)
        try:
            if asked.method == "CONNECT":
                await self._tunnel(near, parse_place(asked.target))
            elif not asked.target.lower().startswith("http://"):
                raise _Refusal(400, "This is a proxy: send CONNECT host:port or a whole http URL.")
            else:
                await self._plain(near, head, asked)
        except BadUrl as problem:
            self._on_contact(Contact(asked.target[:_SHOWN], str(problem)))
            raise _Refusal(403, str(problem)) from None

    async def _tunnel(self, near: End, place: Place) -> None:
        async with self._reached(place) as far:
            near.writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            try:
                async with Relay(near, far, self._patience, self.traffic) as relay:
                    await relay.both_ways()
            except* OSError:
                pass  # one end is gone or silent: so is the tunnel

    async def _plain(self, near: End, head: Head, asked: heads.Asked) -> None:
        if head.chunked():
            raise _Refusal(411, "A plain HTTP request through this proxy must tell its length.")
        url = parse(asked.target)
        whole = heads.onward(head, asked.method, url)
        sent = Sent(whole, head.length() or 0, bodiless=asked.method == "HEAD")
        async with self._reached(url.place, url) as far:
            try:
                await exchange(sent, Relay(near, far, self._patience, self.traffic))
            except Cut as cut:
                raise _Refusal(502, f"{url.place} gave no answer: {cut}.") from None

    @asynccontextmanager
    async def _reached(self, place: Place, url: Url | None = None) -> AsyncGenerator[End]:
        """The far end, closed afterwards."""
        try:
            self._refuse_denied(place, self._judge(place, str(url) if url else ""))
            check = partial(self._check_addresses, url.path if url else "")
            opened = await self._way.reach(place, check)
        except Problem as problem:
            self._on_contact(Contact(str(place), str(problem)))
            status = 403 if isinstance(problem, AddressRefused) else 502
            raise _Refusal(status, str(problem)) from None
        self._on_contact(Contact(str(place)))
        far = End(*await asyncio.open_connection(sock=opened, limit=heads.LARGEST))
        try:
            yield far
        except asyncio.CancelledError:
            far.abort()
            raise
        finally:
            await far.close(self._patience.half)

    def _check_addresses(self, path: str, checked: Checked) -> None:
        for address in checked.addresses:
            why = self._judge.address(str(address), checked.place.port, path)
            self._refuse_denied(checked.place, why)

    def _refuse_denied(self, place: Place, why: str) -> None:
        if why:
            raise AddressRefused(f"{place} may not be reached: {why}.")


_SHOWN = 200
_HEARD_OUT = 2.0
"""Seconds."""


def refuse(near: End, status: int, text: str) -> None:
    """Answer in the proxy's own name."""
    near.writer.write(heads.answer(status, text, f"The studio's proxy refused this: {text}"))
