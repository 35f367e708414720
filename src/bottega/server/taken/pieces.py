"""Stored bytes as an answer: a piece of them, and what they are, told by how they begin.

Nothing that a browser might run keeps its own type: it is text, or mere bytes.
"""

import os
from collections.abc import Generator
from typing import Any, BinaryIO

import msgspec

from bottega.tools.pictures import image_type
from bottega.workspaces.outputs.source import Source

TEXT = "text/plain; charset=utf-8"
_MEDIA = (
    (b"%PDF-", "application/pdf", "pdf"),
    (b"ID3", "audio/mpeg", "mp3"),
    (b"OggS", "audio/ogg", "ogg"),
    (b"fLaC", "audio/flac", "flac"),
)
_HEAD = 8192
_CHUNK = 256 * 1024

BYTES = {"schema": {"type": "string", "format": "binary"}}
_KINDS = ("text/plain", "image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav")
BLOB: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The bytes, or a piece of them: `X-Size` is how many there are, `X-Next` where the next begin.",
        "content": {
            kind: BYTES
            for kind in (*_KINDS, *(kind for _, kind, _ in _MEDIA), "application/octet-stream")
        },
    }
}


OUTPUT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A piece of it: `X-Start` is where it begins (past what was not kept), `X-Next` where the next"
        " does, `X-Size` how much has been printed.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}
LARGEST = 4 * 1024 * 1024
"""Bytes of an output in one piece."""


class Piece(msgspec.Struct, frozen=True):
    kind: str
    """The media type."""
    ending: str
    """What the name of a file of this kind ends with."""
    start: int
    end: int
    size: int
    """Of the whole."""
    chunks: Generator[bytes]
    """To be closed, even where nothing was taken. Waits for the disk."""

    def headers(self, name: str, *, download: bool) -> dict[str, str]:
        shown = not download and (self.kind == TEXT or self.kind.startswith(("image/", "audio/")))
        where = "inline" if shown else "attachment"
        return {
            "Content-Disposition": f'{where}; filename="{name[:12]}.{self.ending}"',
            "Content-Length": str(self.end - self.start),
            "X-Size": str(self.size),
            "X-Next": str(self.end),
        }


def piece_of(file: BinaryIO, offset: int = 0, limit: int = 0) -> Piece:
    """What lies from there on, at most so many bytes (0: all); a piece of a text ends with a whole letter."""
    size = os.fstat(file.fileno()).st_size
    kind, ending = kind_of(os.pread(file.fileno(), _HEAD, 0))
    start = min(offset, size)
    end = min(start + limit, size) if limit else size
    if kind == TEXT and start < end < size:
        end = _whole(file.fileno(), start, end)
    chunks = _chunks(file, start, end)
    next(chunks)
    return Piece(kind, ending, start, end, size, chunks)


def kind_of(head: bytes) -> tuple[str, str]:
    """The media type of bytes that begin so, and the ending of a file that holds them."""
    if picture := image_type(head):
        return picture, picture.removeprefix("image/")
    for begin, kind, ending in _MEDIA:
        if head.startswith(begin):
            return kind, ending
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio/wav", "wav"
    return ("application/octet-stream", "bin") if b"\0" in head else (TEXT, "txt")


def _whole(file: int, start: int, end: int) -> int:
    """The last place up to there at which a letter begins; of what is no UTF-8, the place itself."""
    first = max(start + 1, end - 3)
    near = os.pread(file, end - first + 1, first)
    for place in range(end, first - 1, -1):
        if near[place - first] & 0xC0 != 0x80:
            return place
    return end


def printed_of(source: Source, offset: int, limit: int) -> tuple[int, bytes, int]:
    """Where the piece begins, its bytes up to a gap, and how many were printed in all. Waits for the disk."""
    pieces = source.pieces()
    size = 0
    for piece in pieces[-1:]:
        size = piece.start + sum(map(len, piece.chunks()))
    start, found = -1, bytearray()
    for at, chunk in source.read(offset):
        if start < 0:
            start = at
        if at != start + len(found) or len(found) >= limit:
            break
        found += chunk
    taken = bytes(found[:limit])
    if start + len(taken) < size:
        taken = taken[: _letters(taken)]
    return (start if start >= 0 else size), taken, size


def all_printed(source: Source) -> Generator[bytes]:
    """Every byte that was kept, from the first to the last."""
    for _, chunk in source.read(0):
        yield chunk


def _letters(taken: bytes) -> int:
    """How many of these bytes are whole letters; where they are no UTF-8, all."""
    for back in range(1, min(4, len(taken)) + 1):
        begin = taken[-back]
        if begin & 0xC0 == 0xC0:
            whole = 2 if begin < 0xE0 else 3 if begin < 0xF0 else 4
            return len(taken) if back >= whole or back == len(taken) else len(taken) - back
        if begin & 0xC0 != 0x80:
            break
    return len(taken)


def _chunks(file: BinaryIO, start: int, end: int) -> Generator[bytes]:
    with file:
        yield b""
        file.seek(start)
        while start < end and (chunk := file.read(min(_CHUNK, end - start))):
            start += len(chunk)
            yield chunk
