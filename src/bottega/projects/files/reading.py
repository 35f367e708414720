"""A file as a person reads it: its text with its version, or a piece of a large one.

A file of any size takes no more memory than `limits` says.
"""

import os
from typing import Literal

import msgspec

from bottega.errors import Problem
from bottega.projects.files.limits import PIECE, WHOLE, WRITTEN_OUT
from bottega.projects.files.version import digest, version_of
from bottega.tools.editing.written import written
from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.characters import torn, whole

_HEAD = 8192
_AT_ONCE = 64 * 1024
"""Characters that are encoded by one call."""
_LONG = bytes(set(range(32)) - set(b"\b\t\n\f\r"))
_TWO = b'"\\\b\t\n\f\r'
"""Characters that take six bytes in JSON, and two."""

Ends = Literal["", "lf", "crlf", "mixed"]


class Page(msgspec.Struct, frozen=True):
    path: str
    """Canonical."""
    content: str
    """Empty of a binary file."""
    version: str
    size: int
    """Bytes of the whole file."""
    modified_at: int
    offset: int
    """The byte that the content begins at."""
    next: int
    """The byte that the next piece begins at; the size: there is none."""
    binary: bool = False
    encoding: str = ""
    lines: int | None = None
    """Of the whole file; None: it was not read whole."""
    ends: Ends = ""


def read(root: Root, path: str, offset: int = 0, limit: int = 0) -> Page:
    """The file that the path leads to; from `offset` on, or larger than `WHOLE`, a piece. Waits for the disk."""
    canonical = root.canonical(path)
    opened = root.open_file(canonical, follow=False)
    try:
        found = os.fstat(opened)
        page = Page(
            canonical, "", "", found.st_size, found.st_mtime_ns // 1_000_000, offset, found.st_size
        )
        if offset or limit or found.st_size > WHOLE:
            return _piece(opened, page, min(limit or PIECE, PIECE))
        return _all(opened, page) or _piece(opened, page, PIECE)
    finally:
        os.close(opened)


def as_json(page: Page) -> bytes:
    """A little of the text at a time: one call for all of it would keep other threads waiting."""
    rest = msgspec.json.encode(msgspec.structs.replace(page, content=""))
    before, named, after = rest.partition(b'"content":"')
    text = page.content
    pieces = (text[at : at + _AT_ONCE] for at in range(0, len(text), _AT_ONCE))
    said = (msgspec.json.encode(piece)[1:-1] for piece in pieces)
    return b"".join((before, named, *said, after))


def _all(opened: int, page: Page) -> Page | None:
    """None: it is too large as JSON."""
    with os.fdopen(opened, "rb", closefd=False) as file:
        body = file.read(WHOLE)
    version = digest(body)
    page = msgspec.structs.replace(page, version=version, size=len(body), next=len(body))
    try:
        text = written(body, page.path)
    except Problem:
        return msgspec.structs.replace(page, binary=True)
    content = body[len(text.mark) :].decode(text.codec)
    if _written_out(content) > WRITTEN_OUT:
        return None
    return msgspec.structs.replace(
        page,
        content=content,
        encoding=f"{text.codec}, marked" if text.mark else text.codec,
        lines=text.text.count("\n") + (text.text != "" and not text.text.endswith("\n")),
        ends=_ends(text.crlf),
    )


def _piece(opened: int, page: Page, limit: int) -> Page:
    version = version_of(opened)
    binary = b"\0" in os.pread(opened, _HEAD, 0)
    if binary:
        return msgspec.structs.replace(page, version=version, binary=True)
    chunk = os.pread(opened, limit + 4, page.offset)
    skipped = torn(chunk) if page.offset else 0
    last = page.offset + len(chunk) >= page.size
    chunk = chunk[skipped : None if last else max(limit, skipped + 4)]
    chunk = chunk[: whole(chunk, last=last)]
    start = min(page.offset + skipped, page.size)
    return msgspec.structs.replace(
        page,
        version=version,
        content=chunk.decode("utf-8", "replace"),
        encoding="utf-8",
        offset=start,
        next=start + len(chunk) if chunk else page.size,
    )


def _written_out(text: str) -> int:
    """Bytes of it as JSON."""
    body = text.encode("utf-8", "surrogatepass")
    size = len(body)
    long, two = (size - len(body.translate(None, each)) for each in (_LONG, _TWO))
    return size + 5 * long + two


def _ends(crlf: bytes) -> Ends:
    if not crlf:
        return ""
    return "crlf" if all(crlf) else "mixed" if any(crlf) else "lf"
