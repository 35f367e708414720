"""The way out: one pool of connections an event loop, with the proxies and roots of trust set.

aiohttp is imported when the first request is made, so that commands that make none start quickly.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import msgspec

from bottega.errors import Misconfigured
from bottega.providers.http.address import proxy_for

if TYPE_CHECKING:
    import ssl

    import aiohttp

MAX_IDLE = 30.0
"""Seconds that an unused connection is kept: many servers close theirs after 60, some sooner."""


class Timeouts(msgspec.Struct, frozen=True):
    """How long a request may take, in seconds."""

    connect: float = 15.0
    """Until the connection stands, with the name look-up, the proxy and TLS."""
    idle: float = 120.0
    """Without a single byte from the provider."""
    total: float = 1800.0
    """For the whole request with all its tries and waits."""
    slowest_upload: float = 50_000.0
    """Bytes a second; a body that goes out more slowly for long is given up like a silent provider."""


class Transport:
    """The connections of one process: shared by all providers, closed in the loop that used it."""

    def __init__(self, *, ca_file: str = "", proxies: Mapping[str, str] | None = None) -> None:
        """Trust the authorities in `ca_file` too; go through `proxies`, or those of the system."""
        self._ca_file = ca_file
        self._proxies = proxies
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = (
            WeakKeyDictionary()
        )

    def session(self) -> "aiohttp.ClientSession":
        """The running loop's session; raises `Misconfigured` if `ca_file` is of no use."""
        loop = asyncio.get_running_loop()
        found = self._sessions.get(loop)
        if found is None or found.closed:
            found = self._sessions[loop] = self._open()
        return found

    def proxy(self, url: str) -> str:
        """The proxy that requests to this address go through, or ""."""
        if self._proxies is None:
            from urllib.request import getproxies

            self._proxies = getproxies()
        return proxy_for(url, self._proxies)

    async def close(self) -> None:
        """Close the running loop's connections; the transport may be used again."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.close()

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        # Neither netrc nor cookies: a key goes only to its provider, and no state is kept.
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,
                keepalive_timeout=MAX_IDLE,
                ssl=trusting(self._ca_file) if self._ca_file else True,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "bottega", "Accept-Encoding": "identity"},
            auto_decompress=False,  # see `body`
            trace_configs=[_noting_reuse()],
        )


class Use:
    """How one request got its connection."""

    def __init__(self) -> None:
        self.again = False
        """It had served another request before, so the other side may just be closing it."""


def _noting_reuse() -> "aiohttp.TraceConfig":
    import aiohttp

    async def reused(_: object, context: Any, __: object) -> None:
        if isinstance(context.trace_request_ctx, Use):
            context.trace_request_ctx.again = True

    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(reused)
    return trace


def trusting(ca_file: str) -> "ssl.SSLContext":
    """What a TLS connection is judged by: the system's authorities, and those in `ca_file`, if any."""
    import ssl

    context = ssl.create_default_context()
    if not ca_file:
        return context
    try:
        context.load_verify_locations(cafile=ca_file)
    except OSError as error:
        why = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise Misconfigured(
            f"The file of certificates {ca_file!r} cannot be used: {why}.",
            hint="Correct `ca_file` (bottega config set ca_file /path/to/cert.pem), or SSL_CERT_FILE.",
        ) from error
    return context
