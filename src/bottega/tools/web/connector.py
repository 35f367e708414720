"""Lets aiohttp speak HTTP over connections that the way out has made.

aiohttp looks nothing up and connects to nothing: whatever it reads in a URL, it is given a
connection to the place that was parsed and checked before.
"""

import ssl

from aiohttp import BaseConnector, ClientRequest, ClientTimeout
from aiohttp.client_proto import ResponseHandler
from aiohttp.tracing import Trace

from bottega.workspaces.network.guard import Unreachable
from bottega.workspaces.network.url import Url
from bottega.workspaces.network.way import CONNECT, WayOut, told

_FAREWELL = 0.1
"""Seconds for the end of a TLS connection; nobody waits for what comes then."""


class Untrusted(Unreachable):
    """The other end could not show that it is the host of the URL."""

    code = "untrusted"


class Connector(BaseConnector):
    """For one URL; a second request opens a second connection, checked anew."""

    def __init__(self, way: WayOut, url: Url, trust: ssl.SSLContext | None) -> None:
        """With `trust`, TLS, and the other end must show that it is the URL's host."""
        super().__init__(force_close=True)
        self._way = way
        self._url = url
        self._trust = trust

    async def _create_connection(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: ClientTimeout,  # noqa: ASYNC109
    ) -> ResponseHandler:
        opened = await self._way.reach(self._url.place)
        secure = self._trust is not None
        try:
            _, protocol = await self._loop.create_connection(
                self._factory,
                sock=opened,
                ssl=self._trust,
                server_hostname=self._url.place.host if secure else None,
                ssl_handshake_timeout=CONNECT if secure else None,
                ssl_shutdown_timeout=_FAREWELL if secure else None,
            )
        except ssl.SSLCertVerificationError as problem:
            opened.close()
            why = problem.verify_message.rstrip(".")
            raise Untrusted(f"{self._url.place} has no valid certificate: {why}.") from None
        except OSError as problem:
            opened.close()
            why = problem.reason if isinstance(problem, ssl.SSLError) else told(problem)
            raise Unreachable(f"{self._url.place} did not begin to speak TLS: {why}.") from None
        except BaseException:
            opened.close()
            raise
        return protocol
