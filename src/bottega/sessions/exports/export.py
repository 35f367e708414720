"""A session as bytes for the world outside.

`jsonl` is everything, byte for byte as stored, and can be brought in again; `chat` is only what was said; `md` and
`html` are for reading. What the session's folder on this machine is called is in none of them.
"""

import base64
from collections.abc import Generator, Iterator
from typing import Annotated, Literal

import msgspec

from bottega.errors import BadUsage, Problem
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.printable import printable_json
from bottega.sessions.attach import Attachments
from bottega.sessions.exports.wording import clean
from bottega.sessions.feed import Row
from bottega.sessions.session import SessionRow
from bottega.sessions.told.transcript import transcript
from bottega.sessions.told.views import chat
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database

Format = Literal["jsonl", "chat", "md", "html"]
FORMATS: tuple[Format, ...] = ("jsonl", "chat", "md", "html")

Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]

PAGE = 1_000


class About(msgspec.Struct, frozen=True):
    """What the header of a `jsonl` export says of the session."""

    id: str
    title: str
    model: str
    agent: str
    created_at: Number
    updated_at: Number
    needs: Number
    last_index: Number


class Header(msgspec.Struct, frozen=True):
    bottega: Literal[1]
    """The version of this format."""
    session: About


class Blob(msgspec.Struct, frozen=True):
    blob: str
    """The sha256 of the bytes."""
    data: str | None
    """Base64; None where the bytes were lost before the export."""


def export(
    database: Database, blobs: Blobs, session: SessionRow, form: Format = "jsonl"
) -> Generator[bytes]:
    """The session up to its `last_index`, piece by piece. Reads as it goes, so run it off the event loop."""
    if form == "jsonl":
        return _lines(database, blobs, session)
    if form == "chat":
        return (
            printable_json(msgspec.json.encode(message)) + b"\n"
            for message in chat(_events(database, session))
        )
    if form == "md":
        from bottega.sessions.exports.markdown import document

        return _clean(document(session, transcript(_events(database, session))))
    if form == "html":
        from bottega.sessions.exports.page import page

        return _clean(page(session, transcript(_events(database, session))))
    raise BadUsage(f"There is no export format {form!r}.", hint=f"Use one of {', '.join(FORMATS)}.")


def _clean(pieces: Iterator[bytes]) -> Generator[bytes]:
    """For reading, in whatever is at hand: nothing in it commands a terminal, wherever it came from."""
    return (clean(piece.decode("utf-8", "replace")).encode() for piece in pieces)


def _lines(database: Database, blobs: Blobs, session: SessionRow) -> Generator[bytes]:
    about = msgspec.convert(msgspec.to_builtins(session), About)
    yield msgspec.json.encode(Header(1, about)) + b"\n"
    for index, body in _rows(database, session):
        yield b"[%d,%b]\n" % (index, body)
    attachments = Attachments(database, blobs)
    for name in attachments.names(session.n):
        try:
            content = base64.b64encode(attachments.read(session.n, name)).decode()
        except Problem:
            content = None
        yield msgspec.json.encode(Blob(name, content)) + b"\n"


def _events(database: Database, session: SessionRow) -> Iterator[Event]:
    for index, body in _rows(database, session):
        yield decode(index, body)


def _rows(database: Database, session: SessionRow) -> Iterator[Row]:
    cursor = 0
    while page := _page(database, session, cursor):
        yield from page
        cursor = page[-1][0]


def _page(database: Database, session: SessionRow, after: int) -> list[Row]:
    return database.read_now(
        lambda connection: connection.execute(
            "SELECT idx, body FROM events WHERE session = ? AND idx > ? AND idx <= ?"
            " ORDER BY idx LIMIT ?",
            (session.n, after, session.last_index, PAGE),
        ).fetchall()
    )
