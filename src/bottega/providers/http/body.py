"""The body of an answer in small pieces, unpacked as it comes: a few packed bytes may be very many."""

import asyncio
import zlib
from typing import TYPE_CHECKING, Any

from bottega.errors import Problem

if TYPE_CHECKING:
    import aiohttp

AT_ONCE = 8 * 1024
"""Bytes that are made events of at once: others on the event loop have their turn in between."""
_PACKED = 4 * 1024
"""Packed bytes that are taken at once: what is left of them is copied with each piece."""
_TURN = 8
"""Pieces after which others have their turn, though more has come already."""


class Body:
    def __init__(self, response: "aiohttp.ClientResponse") -> None:
        self._stream = response.content
        self._came = b""
        self._at = 0
        self._pieces = 0
        self._inflate = _unpacker(response)

    async def read(self) -> bytes:
        """At most `AT_ONCE` bytes, as they are when they are unpacked; empty: this was all."""
        self._pieces += 1
        if self._pieces % _TURN == 0:
            await asyncio.sleep(0)
        if self._inflate is None:
            return await self._take(AT_ONCE)
        try:
            return await self._unpacked(self._inflate)
        except zlib.error as error:
            raise _broken("It is not packed as it says.") from error

    async def _take(self, most: int) -> bytes:
        if self._at >= len(self._came):
            self._came, self._at = await self._stream.readany(), 0
        piece = self._came[self._at : self._at + most]
        self._at += most
        return piece

    async def _unpacked(self, inflate: Any) -> bytes:
        while not inflate.eof:
            packed = inflate.unconsumed_tail or await self._take(_PACKED)
            if not packed:
                raise _broken("It ended before its end.")
            if piece := inflate.decompress(packed, AT_ONCE):
                return piece
        return b""


def _unpacker(response: "aiohttp.ClientResponse") -> Any:
    match response.headers.get("Content-Encoding", "identity").strip().lower():
        case "identity" | "":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(zlib.MAX_WBITS | 32)  # it tells the two apart by itself
        case other:
            raise Problem(
                f"{response.url.host} packs its answers as {other[:20]!r}, which was not asked for.",
                hint="Look at the address that is set for this provider, and any proxy in between.",
            )


def _broken(why: str) -> "aiohttp.ClientPayloadError":
    import aiohttp

    return aiohttp.ClientPayloadError(why)


async def read_up_to(limit: int, body: Body, first: bytes = b"") -> bytes:
    """The body from `first` on, but not much more than `limit` bytes of it."""
    parts, size = [first], len(first)
    while size < limit and (piece := await body.read()):
        parts.append(piece)
        size += len(piece)
    return b"".join(parts)
