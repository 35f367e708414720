"""Reads text out of a file in the workspace, whole or some lines, whatever the file is.

Memory stays bounded: a large file is read in pieces, and only for lines that were asked for.
"""

import hashlib
import os
from typing import BinaryIO

import msgspec

from bottega.errors import Problem
from bottega.messages.block import Image
from bottega.tools.pictures import image_type
from bottega.workspaces.confine import Root

WHOLE_MAX = 10 * 1024 * 1024
IMAGE_MAX = 5 * 1024 * 1024
SCAN_MAX = 256 * 1024 * 1024
_PIECE = 256 * 1024
_PART_MAX = 1024 * 1024
_HEAD = 8192


class TooLarge(Problem):
    """The file is larger than can be read at once."""

    code = "too_large"


class Binary(Problem):
    """The file holds no text."""

    code = "binary"


class OutOfRange(Problem):
    """The file has no such lines."""

    code = "out_of_range"


class Span(msgspec.Struct, frozen=True):
    """Lines from `start` to `end`, both included, counted from 1; `end` 0 means to the last."""

    start: int = 1
    end: int = 0


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    path: str
    content: str
    size: int
    """Bytes of the whole file."""
    lines: int | None
    """Lines of the whole file; None where a large file was not read to its end."""
    start_line: int = 0
    end_line: int = 0
    note: str = ""
    source: str = ""
    """`log` where the file is gone and the session's log still holds it; else it is the file's own."""


class Asked(msgspec.Struct, frozen=True):
    """What is wanted of one file."""

    path: str
    """As it was asked for; what is read is the canonical path that it leads to."""
    spans: tuple[Span, ...] = ()
    numbered: bool = False
    """With the number of each line before it."""


def read(root: Root, canonical: str, asked: Asked) -> tuple[Reading | Image, str]:
    """The text of a file, or of some lines, or an image as itself; and the sha256 of the whole.

    Of a large file the digest is empty. Raises a `Problem` for whatever cannot be read.
    """
    with os.fdopen(root.open_file(canonical, follow=False), "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        head = os.pread(file.fileno(), _HEAD, 0)
        media_type = image_type(head)
        if size > WHOLE_MAX and not media_type:
            return _large(file, asked, head), ""
        body = _up_to(file, (IMAGE_MAX if media_type else WHOLE_MAX) + 1, size)
    digest = hashlib.sha256(body).hexdigest()
    if media_type:
        return _as_image(body, asked.path, media_type), digest
    return shown(body, asked), digest


def shown(body: bytes, asked: Asked) -> Reading:
    """What was asked for of these bytes."""
    if len(body) > WHOLE_MAX:
        raise _too_large(asked.path, len(body))
    text, note = _decoded(body, asked.path)
    return _chosen(asked, text, len(body), note)


def numbered(text: str, first: int) -> str:
    """Each line with its number before it."""
    lines = text.split("\n")
    last = [] if lines[-1] else [lines.pop()]
    return "\n".join([f"{n:>6}\t{line}" for n, line in enumerate(lines, first)] + last)


def _up_to(file: BinaryIO, most: int, size: int) -> bytes:
    """What the file holds, in one piece where its size is what the system says: every copy is felt."""
    body = file.read(min(most, size + 1)) or b""
    if len(body) == size:
        return body
    pieces = [body]
    most -= len(body)
    while most > 0 and (piece := file.read(min(most, _PIECE))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _as_image(body: bytes, path: str, media_type: str) -> Image:
    import base64

    if len(body) > IMAGE_MAX:
        raise TooLarge(f"The image {path!r} is larger than {IMAGE_MAX // 1024 // 1024} MB.")
    return Image(media_type, base64.b64encode(body).decode(), name=path)


def _decoded(body: bytes, path: str) -> tuple[str, str]:
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace"), "The file is UTF-16; it is shown as text."
    if b"\0" in body[:_HEAD]:
        raise _binary(path, len(body))
    try:
        return body.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return body.decode("utf-8-sig", "replace"), _REPLACED


_REPLACED = "Some bytes are no UTF-8; they are shown as �."


def _binary(path: str, size: int) -> Binary:
    return Binary(f"The file {path!r} is binary ({size:,} bytes); it has no text to read.")


def _too_large(path: str, size: int) -> TooLarge:
    return TooLarge(
        f"The file {path!r} is too large to be read whole ({size:,} bytes).",
        hint="Ask for a part of it with start_line and end_line.",
    )


def _chosen(asked: Asked, text: str, size: int, note: str) -> Reading:
    path = asked.path
    if not asked.spans:
        ended = text.endswith("\n") or not text
        content = numbered(text, 1) if asked.numbered else text
        return Reading(path, content, size, text.count("\n") + (not ended), note=note)
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines] + ([last] if last else [])
    parts: list[tuple[str, int, int]] = []
    for span in asked.spans:
        _check(path, span)
        if span.start > max(len(lines), 1):
            raise OutOfRange(
                f"The file {path!r} has {len(lines)} lines; line {span.start} is past it."
            )
        end = min(span.end or len(lines), len(lines))
        parts.append(("".join(lines[span.start - 1 : end]), span.start, end))
    return _joined(asked, size, len(lines), parts, note)


def _check(path: str, span: Span) -> None:
    if span.end and span.end < span.start:
        raise OutOfRange(f"Lines {span.start} to {span.end} of {path!r} end before they start.")


def _joined(
    asked: Asked, size: int, lines: int | None, parts: list[tuple[str, int, int]], note: str
) -> Reading:
    first, last = parts[0][1], parts[-1][2]
    if asked.numbered:
        parts = [(numbered(content, start), start, end) for content, start, end in parts]
    if len(parts) == 1:
        return Reading(asked.path, parts[0][0], size, lines, first, last, note)
    text = "".join(
        f"[lines {start}-{end}]\n{content}" + ("" if content.endswith("\n") else "\n")
        for content, start, end in parts
    )
    return Reading(asked.path, text, size, lines, note=note)


def _large(file: BinaryIO, asked: Asked, head: bytes) -> Reading:
    path, size = asked.path, os.fstat(file.fileno()).st_size
    if b"\0" in head:
        raise _binary(path, size)
    if not asked.spans:
        raise _too_large(path, size)
    parts: list[tuple[str, int, int]] = []
    notes: list[str] = []
    for span in asked.spans:
        _check(path, span)
        file.seek(0)
        body = _streamed(file, path, span)
        if len(body) > _PART_MAX:
            body = body[:_PART_MAX]
            notes.append(f"Only the first {_PART_MAX:,} bytes from line {span.start} on are shown.")
        end = span.start + body.count(b"\n") - body.endswith(b"\n")
        parts.append((body.decode("utf-8", "replace"), span.start, end))
    return _joined(asked, size, None, parts, " ".join(notes))


def _streamed(file: BinaryIO, path: str, span: Span) -> bytes:
    """The bytes of the span, or a little more than the most of it that is shown."""
    line, scanned, room = 1, 0, _PART_MAX
    kept: list[bytes] = []
    while room >= 0 and (piece := file.read(_PIECE)):
        scanned += len(piece)
        line, wanted = _skipped(piece, line, span.start)
        if line < span.start and scanned > SCAN_MAX:
            raise TooLarge(f"Line {span.start} of {path!r} is past its first {scanned:,} bytes.")
        if span.end:
            line, after = _skipped(wanted, line, span.end + 1)
            wanted = wanted[: len(wanted) - len(after)]
        else:
            line += wanted.count(b"\n")
        kept.append(wanted)
        if span.end and line > span.end:
            break
        room -= len(wanted)
    body = b"".join(kept)
    if not body:
        raise OutOfRange(f"The file {path!r} ends before line {span.start}.")
    return body


def _skipped(piece: bytes, line: int, wanted: int) -> tuple[int, bytes]:
    """Go forward to the start of the wanted line, or as far as the piece goes."""
    if line >= wanted:
        return line, piece
    found = piece.count(b"\n")
    if line + found < wanted:
        return line + found, b""
    at = 0
    for _ in range(wanted - line):
        at = piece.index(b"\n", at) + 1
    return wanted, piece[at:]
