"""One GET through the way out: each hop parsed and checked anew, all within one time and size.

Nothing of the studio goes along: no cookies, no referrer, no login, no word of the environment.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from bottega.errors import Problem, Refused
from bottega.providers.http.connect import trusting
from bottega.tools.web.body import MOST, read, unpacker
from bottega.workspaces.network.guard import AddressRefused, Guard
from bottega.workspaces.network.url import BadUrl, Url, follow, parse
from bottega.workspaces.network.way import WayOut

if TYPE_CHECKING:
    import ssl

    import aiohttp

HOPS = 5
TOTAL = 30.0
"""Seconds for the whole fetch with all its hops."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "User-Agent": "bottega",
    "Accept": "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}


class FetchFailed(Problem):
    """The server gave no answer that can be used."""

    code = "fetch_failed"


class RedirectRefused(Refused):
    """A server sends on to an address that this fetch may not go to."""

    code = "redirect_refused"


Refusal = Callable[[str], str]
"""Why an address may not be fetched; empty: it may."""


class Fetched(msgspec.Struct, frozen=True):
    url: Url
    """Where it was found in the end."""
    status: int
    media_type: str
    """As the server calls it, in lower case; empty: it does not say."""
    charset: str
    body: bytes
    whole: bool = True
    notes: tuple[str, ...] = ()
    """What is not as one would expect, as sentences."""


class Fetcher:
    """Fetches for all sessions; keeps nothing between two fetches."""

    def __init__(
        self,
        way: WayOut | None = None,
        *,
        ca_file: str = "",
        total: float = TOTAL,
        most: int = MOST,
    ) -> None:
        """Trust the authorities in `ca_file` too; read `most` bytes of a body, unpacked."""
        self._way = way or WayOut(Guard())
        self._ca_file = ca_file
        self._total = total
        self._most = most

    async def fetch(self, text: str, refusal: Refusal | None = None) -> Fetched:
        """What stands at a URL; raises a `Problem` where nothing could be had.

        `refusal` judges each address that it is sent on to.
        """
        url = parse(text)
        deadline = asyncio.get_running_loop().time() + self._total
        hop = _Hop(url)
        try:
            for _ in range(HOPS + 1):
                found = await self._hop(hop, deadline)
                if isinstance(found, Fetched):
                    return found
                if refusal and (why := refusal(str(found.url))):
                    raise RedirectRefused(
                        f"{hop.url} leads on to {found.url}, which was not fetched: {why}.",
                        hint="If it is needed, call web_fetch with that address: it is judged by itself.",
                    )
                hop = found
        except TimeoutError:
            raise FetchFailed(f"{hop.url} did not answer within {self._total:g} s.") from None
        raise FetchFailed(f"{url} leads on and on: more than {HOPS} redirects.")

    @cached_property
    def _trust(self) -> "ssl.SSLContext":
        return trusting(self._ca_file)

    async def _hop(self, hop: "_Hop", deadline: float) -> "Fetched | _Hop":
        import aiohttp
        from yarl import URL

        from bottega.tools.web.connector import Connector

        secure = hop.url.scheme == "https"
        async with aiohttp.ClientSession(
            connector=Connector(self._way, hop.url, self._trust if secure else None),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(),
            auto_decompress=False,
            headers=_HEADERS,
        ) as session:
            try:
                async with asyncio.timeout_at(deadline):
                    address = URL(str(hop.url), encoded=True)
                    response = await session.get(address, allow_redirects=False)
            except (aiohttp.ClientError, ValueError) as problem:
                why = type(problem).__name__
                raise FetchFailed(f"{hop.url} gave no clear HTTP answer ({why}).") from None
            except (AddressRefused, BadUrl) as problem:
                raise hop.told(problem) from None
            try:
                location = response.headers.get("Location", "")
                if response.status in _REDIRECTS and location:
                    return hop.onward(location)
                return await self._read(response, hop, deadline)
            finally:
                response.close()

    async def _read(
        self, response: "aiohttp.ClientResponse", hop: "_Hop", deadline: float
    ) -> Fetched:
        encoding = ", ".join(response.headers.getall("Content-Encoding", []))
        unpack = unpacker(encoding)
        if unpack is None:
            raise FetchFailed(f"{hop.url} sent a body that is packed as {encoding[:40]!r}.")
        body = await read(response.content, unpack, deadline, self._most)
        media_type, charset = _content_type(response.headers.get("Content-Type", ""))
        notes = (*hop.notes, body.cut) if body.cut else hop.notes
        return Fetched(
            url=hop.url,
            status=response.status,
            media_type=media_type,
            charset=charset,
            body=body.content,
            whole=not body.cut,
            notes=notes,
        )


class _Hop(msgspec.Struct, frozen=True):
    url: Url
    notes: tuple[str, ...] = ()
    before: Url | None = None

    def onward(self, location: str) -> "_Hop":
        try:
            url = follow(self.url, location)
        except BadUrl as problem:
            raise BadUrl(f"{self.url} leads on to what may not be fetched. {problem}") from None
        open_now = self.url.scheme == "https" and url.scheme == "http"
        note = f"{self.url} leads on to {url.authority} without encryption."
        return _Hop(url, (*self.notes, note) if open_now else self.notes, self.url)

    def told(self, problem: Problem) -> Problem:
        """The problem, with the hop that led to it."""
        if self.before is None:
            return problem
        return type(problem)(f"{self.before} leads on to what may not be reached. {problem}")


def _content_type(header: str) -> tuple[str, str]:
    media_type, *parameters = header.lower().split(";")
    for each in parameters:
        name, _, value = each.partition("=")
        if name.strip() == "charset":
            return media_type.strip(), value.strip().strip("\"'")
    return media_type.strip(), ""
