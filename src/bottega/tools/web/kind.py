"""What a body is, and its text. Its bytes have more say than what a server calls it."""

import asyncio
import codecs
import re
from functools import cache
from typing import Any, Literal, cast

import msgspec

from bottega.tools.pictures import image_type

Kind = Literal["page", "text", "image", "binary"]

AT_ONCE = 32 * 1024
"""Bytes that are decoded at once: others on the event loop have their turn in between."""
_HEAD = 8192
_PAGES = ("text/html", "application/xhtml+xml")
_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})""", re.I)
_KNOWN = re.compile(r"utf|iso8859|cp\d|koi8|gb|big5|euc|shift|mac|ascii|iso2022|tis|hz")


class Sort(msgspec.Struct, frozen=True):
    kind: Kind
    media_type: str


def sort(told: str, body: bytes) -> Sort:
    """What the body is, given the media type that it came with."""
    image = image_type(body)
    if image:
        return Sort("image", image)
    if body.startswith(b"%PDF-"):
        return Sort("binary", "application/pdf")
    start = body[:512].lstrip().lower()
    if told in _PAGES or (not told and start.startswith((b"<!doctype html", b"<html"))):
        return Sort("page", told or "text/html")
    if _bom(body) or _is_text(told, body):
        return Sort("text", told or "text/plain")
    return Sort("binary", told or "application/octet-stream")


def _is_text(told: str, body: bytes) -> bool:
    if b"\0" in body[:_HEAD]:
        return False
    if told.startswith("text/") or told.endswith(("json", "xml", "javascript")):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)  # its last letter may be cut
    except UnicodeDecodeError:
        return False
    return True


async def text(body: bytes, charset: str, *, page: bool = False, most: int | None = None) -> str:
    """The body's text by its own mark, else as it was told, else as the page declares it; its first `most` letters."""
    bom = _bom(body)
    declared = _DECLARED.search(body[:2048]) if page else None
    name = bom or _codec(charset) or _codec(declared[1].decode() if declared else "") or "utf-8"
    found = await _decode(body, name, len(body) if most is None else most)
    return found.removeprefix("\ufeff").replace("\0", "\ufffd")


async def _decode(body: bytes, name: str, most: int) -> str:
    if table := _table(name):
        return codecs.charmap_decode(body[:most], "strict", cast("Any", table))[0]
    decoder = codecs.getincrementaldecoder(name)("replace")
    pieces: list[str] = []
    length = 0
    for start in range(0, len(body), AT_ONCE):
        end = start + AT_ONCE
        piece = decoder.decode(body[start:end], end >= len(body))
        pieces.append(piece)
        length += len(piece)
        if length >= most:
            break
        await asyncio.sleep(0)
    return "".join(pieces)[:most]


@cache
def _table(name: str) -> str:
    """The characters of a charset with a byte for each; empty: it has others.

    A byte that means nothing costs Python's own decoder a hundred times as much as one that does, and here no more.
    """
    found = [codecs.getincrementaldecoder(name)("replace").decode(bytes((n,))) for n in range(256)]
    return "".join(found) if all(len(each) == 1 for each in found) else ""


def _bom(body: bytes) -> str:
    return next((name for mark, name in _BOMS.items() if body.startswith(mark)), "")


def _codec(charset: str) -> str:
    """Python's name for a charset of text; empty: there is none. The web means cp1252 by latin-1."""
    try:
        name = codecs.lookup(charset).name if charset.isascii() and "\0" not in charset else ""
    except LookupError:
        return ""
    if name in ("utf-7", "ascii", "iso8859-1"):
        return "" if name == "utf-7" else "cp1252"
    return name if _KNOWN.match(name) else ""
