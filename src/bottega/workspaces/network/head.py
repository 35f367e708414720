"""The heads of HTTP messages as the proxy reads and writes them: strict, small, latin-1.

What two servers could read in two ways (a folded line, two lengths) is refused, so that nothing
can be smuggled past the proxy inside something else.
"""

import asyncio
import re
from collections.abc import Iterable

import msgspec

from bottega.workspaces.network.url import Url

LARGEST = 64 * 1024
"""Bytes of one head."""
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}):([^\0\r\n]*)")
_REQUEST = re.compile(r"([A-Z]{1,32}) ([!-~]{1,8192}) HTTP/1\.[01]")
_STATUS = re.compile(r"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\0\r\n]*)?")
_LENGTH = re.compile(r"[0-9]{1,15}")
_REASON = 300
_HOP = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "upgrade"),
        *("proxy-connection", "te", "trailer", "proxy-authentication-info"),
    }
)
"""What concerns two neighbours only, and is never passed on."""


class BadHead(ValueError):
    """What came is no head of an HTTP message."""


class TooMuch(BadHead):
    """The head does not end within `LARGEST`."""


class Head(msgspec.Struct, frozen=True):
    first: str
    fields: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field.lower() == name]

    def length(self) -> int | None:
        """Bytes of the body that follows; None: not told."""
        lengths = self.all("content-length")
        if not lengths:
            return None
        if len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
            raise BadHead("its length is not clear")
        if self.chunked():
            raise BadHead("it has two lengths")
        return int(lengths[0])

    def chunked(self) -> bool:
        return bool(self.all("transfer-encoding"))

    def passed_on(self) -> Iterable[tuple[str, str]]:
        """The fields that are for the other end."""
        named = {
            each.strip().lower() for value in self.all("connection") for each in value.split(",")
        }
        drop = _HOP | (named - {"content-length", "transfer-encoding", "host"})
        return ((name, value) for name, value in self.fields if name.lower() not in drop)


class Asked(msgspec.Struct, frozen=True):
    """The first line of a request."""

    method: str
    target: str


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next head; None where the other end has nothing more to say."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as problem:
        if not problem.partial:
            return None
        raise BadHead("it is not finished") from None
    except asyncio.LimitOverrunError:
        raise TooMuch(f"it is longer than {LARGEST:,} bytes") from None
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    fields: list[tuple[str, str]] = []
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise BadHead("one of its lines is no field")
        fields.append((found[1], found[2].strip(" \t")))
    return Head(first, tuple(fields))


def asked(head: Head) -> Asked:
    found = _REQUEST.fullmatch(head.first)
    if found is None:
        raise BadHead("its first line is no request")
    return Asked(found[1], found[2])


def status(head: Head) -> int:
    found = _STATUS.fullmatch(head.first)
    if found is None:
        raise BadHead("its first line is no status")
    return int(found[1])


def onward(head: Head, method: str, url: Url) -> bytes:
    """A request as the server itself gets it: nothing of the proxy, one answer, then the end."""
    fields = [(name, value) for name, value in head.passed_on() if name.lower() != "host"]
    return _written(f"{method} {url.path} HTTP/1.1", [("Host", url.authority), *fields])


def back(head: Head) -> bytes:
    """An answer as the client gets it."""
    return _written(head.first, head.passed_on())


def _written(first: str, fields: Iterable[tuple[str, str]]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in fields), "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


def answer(status: int, reason: str, text: str) -> bytes:
    """An answer of the proxy's own. The reason says it too: some clients show nothing else."""
    body = f"{text}\n".encode()
    lines = [
        f"HTTP/1.1 {status} {reason[:_REASON].encode('ascii', 'replace').decode()}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join((*lines, "", "")).encode() + body
