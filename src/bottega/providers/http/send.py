"""One HTTP request: how it is sent, and what its refusal or failure means."""

import asyncio
import io
import logging
from typing import TYPE_CHECKING

from bottega.errors import Misconfigured, Problem
from bottega.providers.http import faults
from bottega.providers.http.address import origin
from bottega.providers.http.body import Body, read_up_to
from bottega.providers.http.connect import Transport, Use
from bottega.providers.http.faults import Where
from bottega.providers.protocol.tally import TooManyParts
from bottega.providers.provider import Failed, Wire

if TYPE_CHECKING:
    import aiohttp

log = logging.getLogger(__name__)

MAX_ERROR = 256 * 1024
"""Bytes that are read of an error's body."""
LARGE_BODY = 1024 * 1024
"""aiohttp sends a body above this in parts only if it comes as a file."""


def is_sendable(headers: dict[str, str]) -> bool:
    """Whether a request may hold these headers: a line break in one would forge another."""
    return all(value.isprintable() for value in headers.values())


async def send(
    transport: Transport, where: Where, headers: dict[str, str], body: bytes | None = None
) -> "aiohttp.ClientResponse":
    """Post the body, or get if there is none; returns when the answer's headers are there."""
    import aiohttp

    timeouts = where.timeouts
    # aiohttp's own limit on silence begins only when the whole body is out.
    upload = len(body or b"") / timeouts.slowest_upload
    patience = asyncio.timeout(timeouts.connect + upload + timeouts.idle)
    if where.proxy and not where.proxy.startswith(("http://", "https://")):
        raise Misconfigured(
            f"{origin(where.proxy)} is no HTTP proxy, so requests to {where.place} cannot use it.",
            hint="Set HTTPS_PROXY to an http:// address, or name the host in NO_PROXY.",
        )
    try:
        async with patience:
            while True:
                use = Use()
                try:
                    return await _request(transport, where, headers, body, use)
                except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                    # A kept connection that the server was closing is no failure; the pool has dropped it.
                    if not use.again:
                        raise
    except TimeoutError as error:
        if patience.expired():
            raise aiohttp.SocketTimeoutError from error
        raise


async def _request(
    transport: Transport, where: Where, headers: dict[str, str], body: bytes | None, use: Use
) -> "aiohttp.ClientResponse":
    import aiohttp

    timeouts = where.timeouts
    return await transport.session().request(
        "GET" if body is None else "POST",
        where.url,
        data=body if body is None or len(body) < LARGE_BODY else io.BytesIO(body),
        headers=headers,
        proxy=where.proxy or None,
        allow_redirects=False,  # it would carry the key to wherever it points
        timeout=aiohttp.ClientTimeout(
            total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.idle
        ),
        trace_request_ctx=use,
    )


async def refusal(response: "aiohttp.ClientResponse", wire: Wire, where: Where) -> Failed:
    """What an answer means whose status is not one of success."""
    status = response.status
    if status == 407:
        return faults.proxy_refused(where, status)
    if status < 400:
        return faults.moved(where, status, response.headers.get("location", ""))
    try:
        body = await read_up_to(MAX_ERROR, Body(response))
    except Exception:
        body = b""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return wire.explain(status, body, headers)


def failure(error: Exception, where: Where) -> Failed:
    """What an exception means that ended a request; one that nobody foresaw is logged."""
    if isinstance(error, Problem):
        return Failed(error.message, "unreachable", hint=error.hint)
    if isinstance(error, TooManyParts):
        return faults.too_much(where)
    known = faults.describe(error, where)
    if known is None:
        log.error("The answer of %s could not be read", where.place, exc_info=error)
        return faults.unreadable(where)
    return known
