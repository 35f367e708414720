"""Reads the body of an answer up to a limit, unpacking as it comes.

No more than the limit is ever held, however small the packed form of a huge body is.
"""

import asyncio
import zlib
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    import aiohttp

MOST = 5 * 1024 * 1024
_PIECE = 64 * 1024


class Body(msgspec.Struct, frozen=True):
    content: bytes
    cut: str = ""
    """Why it is not whole, as a sentence; empty: it is."""


class Unpacker(Protocol):
    @property
    def ended(self) -> bool:
        """What comes now is no more of it."""
        ...

    def unpack(self, piece: bytes, room: int) -> bytes:
        """What the piece holds, at most `room` bytes of it."""
        ...


def unpacker(encoding: str) -> Unpacker | None:
    """How to unpack a body of this `Content-Encoding`; None: nobody here can."""
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Inflated(16 + zlib.MAX_WBITS)
        case "deflate":
            return _Inflated(0)
        case _:
            return None


class _Plain:
    ended = False

    def unpack(self, piece: bytes, room: int) -> bytes:
        return piece[:room]


class _Inflated:
    def __init__(self, bits: int) -> None:
        self._inner = zlib.decompressobj(bits) if bits else None

    @property
    def ended(self) -> bool:
        return self._inner is not None and self._inner.eof

    def unpack(self, piece: bytes, room: int) -> bytes:
        if self._inner is None:
            # Two forms go by one name: with zlib's own head, and without.
            self._inner = zlib.decompressobj(
                zlib.MAX_WBITS if piece[0] & 0x0F == 8 else -zlib.MAX_WBITS
            )
        return self._inner.decompress(piece, room)


async def read(
    stream: "aiohttp.StreamReader", unpacker: Unpacker, deadline: float, most: int = MOST
) -> Body:
    """The body; what ends early is given as far as it came."""
    import aiohttp

    pieces: list[bytes] = []
    room = packed = most
    cut = ""
    try:
        async with asyncio.timeout_at(deadline):
            while not unpacker.ended and (piece := await stream.read(_PIECE)):
                unpacked = unpacker.unpack(piece, room + 1)
                pieces.append(unpacked[:room])
                room -= len(unpacked)
                packed -= len(piece)
                if room < 0 or packed < 0:
                    cut = f"Only its first {most / 1024 / 1024:g} MB were read."
                    break
    except TimeoutError:
        cut = "It was still coming when the time was up; this is what had come."
    except (aiohttp.ClientError, OSError):
        cut = "It broke off before its end."
    except zlib.error:
        cut = "It could not be unpacked to its end."
    return Body(b"".join(pieces), cut)
