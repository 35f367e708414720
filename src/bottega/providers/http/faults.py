"""What a failed connection means: one sentence and the next step, for every way a network fails.

No secret passes: of an address only scheme, host and port are said, and no exception's own words.
"""

import errno
from collections.abc import Iterable
from os import strerror
from ssl import SSLCertVerificationError, SSLError

import msgspec

from bottega.providers.http.address import host_of, login_of, origin
from bottega.providers.http.connect import Timeouts
from bottega.providers.http.redaction import redact
from bottega.providers.provider import Failed, Target

HIDDEN = "[hidden]"

_CHECK_NETWORK = "Try again; if it stays so, check the network, or a proxy in between."

# Said by TLS libraries when the other side answers in plain text.
_PLAIN_TEXT = {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"}


class Where(msgspec.Struct, frozen=True):
    """Where a request was going, for the messages."""

    provider: str
    url: str
    proxy: str
    timeouts: Timeouts

    @property
    def place(self) -> str:
        return origin(self.url)


def secrets(target: Target, proxy: str) -> set[str]:
    """What must not be said, should a provider or a proxy repeat it."""
    logins = (login_of(target.base_url), login_of(proxy))
    return {target.key, *target.headers.values(), *(password for _, password in logins)}


def hide(failed: Failed, secrets: Iterable[str]) -> Failed:
    """The same failure without these secrets, should the other side have repeated one."""
    message, hint = (without(text, secrets) for text in (failed.message, failed.hint))
    return msgspec.structs.replace(failed, message=message, hint=hint)


def without(text: str, secrets: Iterable[str]) -> str:
    """The text with each of these secrets blotted out, however it is spelled."""
    return redact(text, (each for each in secrets if len(each) >= 4), HIDDEN)


def describe(error: Exception, where: Where) -> Failed | None:
    """What this failure of the network means; None if it is none."""
    import aiohttp

    match error:
        case TimeoutError():
            failed = _too_slow(error, where)
        case aiohttp.ClientHttpProxyError():
            failed = proxy_refused(where, error.status)
        case aiohttp.ClientConnectorError() | aiohttp.ClientConnectorCertificateError():
            failed = _not_connected(error, where)
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            failed = no_address(where)
        case aiohttp.ClientResponseError():
            failed = no_http(where)
        case aiohttp.ClientError() | OSError():
            failed = cut_off(where)
        case _:
            failed = None
    return failed


def proxy_refused(where: Where, status: int) -> Failed:
    """The proxy itself answered, not the provider."""
    proxy = f"The proxy {origin(where.proxy)}" if where.proxy else "A proxy"
    if status == 407:
        return Failed(
            f"{proxy} wants a login (HTTP status 407).",
            "unreachable",
            status=status,
            hint="Put the login into HTTPS_PROXY, as in http://user:password@host:port.",
        )
    return Failed(
        f"{proxy} did not let the request to {where.place} through (HTTP status {status}).",
        "unreachable",
        retryable=status >= 500,
        status=status,
        hint="Check HTTPS_PROXY, or name the host in NO_PROXY.",
    )


def no_address(where: Where) -> Failed:
    return Failed(
        f"{where.place!r} is no web address that a request could go to.",
        "unreachable",
        hint=f"Set the address of {where.provider!r} to one that starts with https://.",
    )


def no_http(where: Where) -> Failed:
    return Failed(
        f"What {where.place} answered is not HTTP.",
        "provider_error",
        hint="Check the address and its port.",
    )


def moved(where: Where, status: int, location: str) -> Failed:
    """The address points elsewhere; to follow it would carry the key there."""
    return Failed(
        f"{where.place} sends requests on to {origin(location)!r} (HTTP status {status}).",
        "bad_request",
        status=status,
        hint=f"If that is right, set the address of {where.provider!r} to it.",
    )


def not_an_answer(where: Where, status: int) -> Failed:
    """Somebody else answered: a login page, a proxy, the wrong server."""
    return Failed(
        f"{where.place} sent a web page instead of an answer (HTTP status {status}).",
        "not_sse",
        status=status,
        hint=f"Check the address that is set for {where.provider!r}, and any proxy in between.",
    )


def nothing_there(where: Where) -> Failed:
    """The server knows no such path: the address is probably not that of an API."""
    return Failed(
        f"{where.place} has no list of models at this address (HTTP status 404).",
        "bad_request",
        status=404,
        hint=f"Check the path of the address that is set for {where.provider!r}.",
    )


def cut_off(where: Where) -> Failed:
    return Failed(
        f"The connection to {where.place} broke off.",
        "cut_off",
        retryable=True,
        hint=_CHECK_NETWORK,
    )


def too_much(where: Where) -> Failed:
    return Failed(
        f"{where.place} sent more at once than any answer holds.",
        "provider_error",
        hint=f"Check the address that is set for {where.provider!r}.",
    )


def unreadable(where: Where) -> Failed:
    return Failed(
        f"The answer of {where.place} could not be read.",
        "provider_error",
        hint="Try again, or choose another model; the log has the details.",
    )


def unwritable(provider: str) -> Failed:
    return Failed(
        f"The request to {provider!r} could not be written.",
        "bad_request",
        hint="Choose another model; the log has the details.",
    )


def bad_header(provider: str) -> Failed:
    return Failed(
        f"The key or a header that is set for {provider!r} holds a line break or the like.",
        "bad_key",
        hint=f"Set it again: bottega keys set {provider}",
    )


def _too_slow(error: TimeoutError, where: Where) -> Failed:
    import aiohttp

    if isinstance(error, aiohttp.ConnectionTimeoutError):
        through = f" through the proxy {origin(where.proxy)}" if where.proxy else ""
        return Failed(
            f"No connection to {where.place}{through} in {where.timeouts.connect:g} seconds.",
            "unreachable",
            retryable=True,
            hint="Check the network, the address and the firewall.",
        )
    if isinstance(error, aiohttp.ServerTimeoutError):
        return Failed(
            f"{where.place} sent nothing for {where.timeouts.idle:g} seconds.",
            "timeout",
            retryable=True,
            hint="Try again; if the model is only slow, raise the idle time-out.",
        )
    return Failed(
        f"The request to {where.place} took longer than it may.",
        "timeout",
        hint="Ask for less at once, or raise the total time-out.",
    )


def _not_connected(error: OSError, where: Where) -> Failed:
    import aiohttp

    cause = error.__cause__
    if isinstance(cause, SSLError):
        return _no_tls(cause, where)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        message = f"The proxy {origin(where.proxy)} cannot be reached: {_reason(cause)}."
        hint = "Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY."
    elif isinstance(error, aiohttp.ClientConnectorDNSError):
        message = f"The name {host_of(where.proxy or where.url)!r} could not be looked up."
        hint = f"Check the network, and the address that is set for {where.provider!r}."
    else:
        message = f"{where.place} cannot be reached: {_reason(cause)}."
        hint = f"Check that the server runs, and the address that is set for {where.provider!r}."
    return Failed(message, "unreachable", retryable=True, hint=hint)


def _no_tls(cause: SSLError, where: Where) -> Failed:
    if isinstance(cause, SSLCertVerificationError):
        return Failed(
            f"The certificate of {where.place} is not trusted: {cause.verify_message}.",
            "unreachable",
            hint="If your network has its own authority, set SSL_CERT_FILE to its certificate.",
        )
    plain = cause.reason in _PLAIN_TEXT
    return Failed(
        f"No TLS connection to {where.place}: {cause.reason or 'the handshake failed'}.",
        "unreachable",
        retryable=not plain,
        hint="If the server speaks plain HTTP, start its address with http://."
        if plain
        else _CHECK_NETWORK,
    )


def _reason(cause: BaseException | None) -> str:
    number = cause.errno if isinstance(cause, OSError) else None
    if number == errno.ECONNREFUSED:
        return "nothing listens there"
    return strerror(number) if number and number > 0 else "the connection failed"
