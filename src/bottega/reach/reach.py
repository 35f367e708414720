"""The way to one server: its address, the token, and calls that are repeated where that cannot do anything twice.

A call that never left is always repeated. One whose answer was lost is repeated only where it may be done `again`: it
reads, or the server knows a repetition when it sees one. Nothing goes anywhere but to that address: a redirect is
an error, as it would take the token and what is said to a place that nobody chose.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import aiohttp
import msgspec

from bottega.errors import BadUsage, Problem
from bottega.messages.json_size import check_size
from bottega.origin import is_exposed, origin_of
from bottega.reach.address import checked_address
from bottega.reach.backoff import MOST, Backoff
from bottega.reach.problems import Unreachable, problem, why

T = TypeVar("T")
Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
Watch = Callable[[Literal["lost", "back"]], None]
"""Is told when the server is not reached any more, and when it is again."""


class Try(msgspec.Struct, frozen=True):
    """The server was not reached, and is tried again."""

    number: int
    """Which try comes next, from 2."""
    of: int
    delay: float
    reason: str


PATIENCE = 60.0
"""Seconds for which a server that is gone is tried again."""
SLOW = 60.0
"""Seconds that one answer may take."""
LARGEST = 256 * 1024 * 1024
"""Bytes of one answer, or of one event, that are taken from a server: far more than any Bottega sends."""
MOST_TOLD = 1_000_000
"""Fields and elements of one answer."""
LARGEST_PROBLEM = 1024 * 1024
"""Bytes of what a server says went wrong."""

LOST = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError, OSError)
LATER = (429, 503)
"""Not now: nothing was done, and the same call may succeed later."""
UNSURE = (502, 504)
"""Somebody on the way had no answer: it may have been done."""


class Reach:
    def __init__(  # noqa: PLR0913 - each is a word of its own
        self,
        address: str,
        token: str,
        patience: float = PATIENCE,
        watch: Watch | None = None,
        *,
        most: float = MOST,
        trying: Callable[[Try], None] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`most`: seconds between any two tries. `trying` is told of each. `tls`: what certificates are judged by."""
        self.address = checked_address(address)
        if token and is_exposed(address):
            raise BadUsage(
                f"The address {address} is plain http: the token would be read on its way.",
                hint="Give one that begins with https://, or come by a tunnel to this machine.",
            )
        self.patience = patience
        self._token = token
        self.watch = watch
        self._most = most
        self._trying = trying
        self._tls = tls
        self._lost = False
        self._http: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        self._http = aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {self._token}", "Accept-Encoding": "identity"},
            auto_decompress=False,  # a few packed bytes may be very many
            timeout=aiohttp.ClientTimeout(total=SLOW),
            read_bufsize=1 << 18,
            connector=aiohttp.TCPConnector(ssl=self._tls) if self._tls else None,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def close(self) -> None:
        if self._http:
            await self._http.close()
            self._http = None

    @property
    def http(self) -> aiohttp.ClientSession:
        if self._http is None:
            raise BadUsage(
                "This connection is not open.", hint="Use `async with Remote(address, token)`."
            )
        return self._http

    def url(self, path: str) -> str:
        return f"{self.address}/api/{path}"

    async def call(  # noqa: PLR0913 - each is a word of its own
        self,
        method: Method,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str | int] | None = None,
        again: bool | None = None,
        unsure: Callable[[], None] | None = None,
        largest: int = 0,
    ) -> bytes:
        """The body of the answer; raises the problem that the server tells. `unsure` is called before a repetition of
        what may have been done already. `largest`: bytes of the answer, unpacked, that are taken; 0: `LARGEST`.
        """
        backoff = self.backoff()
        again = method != "POST" if again is None else again
        while True:
            at_least = 0.0
            try:
                status, answer, at_least = await self._once(
                    method, path, body, query, largest or LARGEST
                )
            except aiohttp.ClientConnectorError as error:
                failure, is_sure = error, True
            except LOST as error:
                failure, is_sure = error, False
            else:
                if status < 300:
                    self.told("back")
                    return answer
                failure, is_sure = problem(status, answer), status in LATER
                if not is_sure and status not in UNSURE:
                    raise failure
            if not is_sure and not again:
                raise self.unreachable(failure) from failure
            if not is_sure and unsure:
                unsure()
            await self.pause(backoff, failure, at_least)

    def backoff(self) -> Backoff:
        return Backoff(self.patience, self._most)

    async def pause(self, backoff: Backoff, failure: Exception, at_least: float = 0.0) -> None:
        """Wait before the next try, or raise if that was the last."""
        delay = backoff.next(at_least)
        if delay is None:
            raise self.unreachable(failure) from failure
        if not isinstance(failure, Problem):
            self.told("lost")
        if self._trying:
            reason = self.unreachable(failure).message
            self._trying(Try(backoff.number, backoff.of, delay, reason))
        await asyncio.sleep(delay)

    def told(self, word: Literal["lost", "back"]) -> None:
        """Say it to whoever watches, once each time it changes."""
        if self.watch and self._lost != (word == "lost"):
            self.watch(word)
        self._lost = word == "lost"

    def unreachable(self, error: Exception) -> Unreachable:
        said, hint = why(error)
        return Unreachable(f"The server at {self.address} cannot be reached: {said}.", hint=hint)

    async def _once(
        self,
        method: str,
        path: str,
        body: Any,
        query: Mapping[str, str | int] | None,
        largest: int,
    ) -> tuple[int, bytes, float]:
        payload = body if body is None or isinstance(body, bytes) else msgspec.json.encode(body)
        headers = {} if payload is None else {"Content-Type": "application/json"}
        async with self.http.request(
            method,
            self.url(path),
            data=payload,
            headers=headers,
            params=query,
            allow_redirects=False,
        ) as response:
            self.check_plain(response)
            most = largest if response.status < 300 else min(largest, LARGEST_PROBLEM)
            return response.status, await self.whole(response, most), retry_after(response)

    def check_plain(self, response: aiohttp.ClientResponse) -> None:
        """Refuse to be sent elsewhere, and what is packed: it was not asked for."""
        packed = response.headers.get("Content-Encoding", "identity")
        if packed.strip().lower() not in ("", "identity"):
            raise Problem(
                f"The server at {self.address} packs what it says, which was not asked for.",
                hint="Look at that server, and at any proxy in between.",
            )
        if 300 <= response.status < 400:
            there = origin_of(response.headers.get("Location", "")) or "another path"
            raise Problem(
                f"The server at {self.address} sends requests on to {there}, which is not followed.",
                hint="If it has moved, use its new address, with a token that was made for there.",
            )

    async def whole(self, response: aiohttp.ClientResponse, most: int) -> bytes:
        """The body of an answer, unless it is larger than what may be held of it."""
        body = bytearray()
        async for piece in response.content.iter_any():
            body += piece
            await asyncio.sleep(0)
            if len(body) > most:
                raise self.too_large(most)
        return bytes(body)

    def read(self, answer: bytes, shape: type[T], most: int = MOST_TOLD) -> T:
        """What an answer tells, as whoever asked needs it; refuse one that holds too much, or something else."""
        try:
            check_size(answer, most)
            return msgspec.json.decode(answer, type=shape)
        except (ValueError, RecursionError) as error:
            raise Problem(
                f"The server at {self.address} gave an answer that makes no sense.",
                hint="Is it another version of Bottega?",
            ) from error

    def no_event(self) -> Problem:
        return Problem(
            f"The server at {self.address} sent something that is no event.",
            hint="Is it another version of Bottega?",
        )

    def too_large(self, most: int) -> Problem:
        return Problem(
            f"The server at {self.address} sends more than {most >> 20} MB at once, and is not listened to.",
            hint="Is it a Bottega? Look at what is at that address.",
        )


def retry_after(response: aiohttp.ClientResponse) -> float:
    """Seconds that the server asks to wait."""
    said = response.headers.get("Retry-After", "")
    return min(float(said), 60.0) if said.isascii() and said.isdigit() else 0.0
