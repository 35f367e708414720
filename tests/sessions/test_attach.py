"""Attachments: large ones are blobs, and only the session that has them can read them."""

import base64
import hashlib

import pytest

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.messages.block import Audio, Block, Document, Image, Text, ToolResult
from bottega.messages.message import Message
from bottega.sessions.attach import Attachments, keep, load
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.blobs import INLINE, Blobs
from bottega.storage.database import Database

LARGE = b"\x00\x01\x02" * INLINE
SMALL = b"tiny"


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_large_media_become_blobs_and_small_ones_stay(blobs: Blobs) -> None:
    content: tuple[Block, ...] = (
        Text("x" * 2 * INLINE),
        Image("image/png", data=encoded(LARGE), name="large.png"),
        Audio("audio/wav", data=encoded(SMALL)),
        Document("application/pdf", data=encoded(LARGE + b"!")),
        Image("image/png", data=encoded(LARGE)),
    )
    kept, names = keep(content, blobs)
    assert names == (name(LARGE), name(LARGE + b"!"))
    assert kept == (
        content[0],
        Image("image/png", blob=name(LARGE), name="large.png"),
        content[2],
        Document("application/pdf", blob=name(LARGE + b"!")),
        Image("image/png", blob=name(LARGE)),
    )
    assert blobs.read(name(LARGE)) == LARGE


def test_media_inside_results_are_kept_too(blobs: Blobs) -> None:
    shot = Image("image/png", data=encoded(LARGE))
    (result,), names = keep((ToolResult("c1", (Text("a"), shot)),), blobs)
    assert names == (name(LARGE),)
    assert result.content == (Text("a"), Image("image/png", blob=name(LARGE)))


def test_references_that_somebody_sent_are_not_named(blobs: Blobs) -> None:
    content = (Image("image/png", blob=name(LARGE)),)
    assert keep(content, blobs) == (content, ())


def test_what_is_no_base64_is_refused(blobs: Blobs) -> None:
    with pytest.raises(BadUsage, match=r"cat\.png") as refused:
        keep((Image("image/png", data="?" * 2 * INLINE, name="cat.png"),), blobs)
    assert refused.value.hint


def test_line_breaks_in_base64_are_taken(blobs: Blobs) -> None:
    wrapped = base64.encodebytes(LARGE).decode()
    (image,), _ = keep((Image("image/png", data=wrapped),), blobs)
    assert image.blob == name(LARGE)


def test_a_request_gets_the_bytes_back(blobs: Blobs) -> None:
    content: tuple[Block, ...] = (
        Text("see"),
        Image("image/png", data=encoded(LARGE)),
        Image("image/png", data=encoded(SMALL)),
    )
    kept, _ = keep(content, blobs)
    result = ToolResult("c1", (Image("image/png", blob=name(LARGE)),))
    plain = Message("assistant", (Text("ok"),), 1)
    asked: list[str] = []

    def read(wanted: str) -> bytes:
        asked.append(wanted)
        return blobs.read(wanted)

    first, second, third = load((Message("user", kept), plain, Message("tool", (result,))), read)
    assert first.content == content
    assert second is plain
    assert third.content == (ToolResult("c1", (Image("image/png", data=encoded(LARGE)),)),)
    assert asked == [name(LARGE)], "each blob is read once"


async def test_only_a_session_that_has_an_attachment_reads_it(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    attachments = Attachments(database, blobs)
    other = await Sessions(database).create(model="m", agent="a", folder="/")
    kept = await attachments.keep(session.n, LARGE)
    assert attachments.read(session.n, kept) == LARGE
    assert attachments.names(session.n) == [kept]
    with pytest.raises(NotFound):
        attachments.read(other.n, kept)
    with pytest.raises(NotFound):
        attachments.read(session.n, "../../bottega.db")


async def test_a_blob_that_was_removed_cannot_be_attached(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    attachments = Attachments(database, blobs)
    kept = blobs.keep(LARGE)
    blobs.drop(kept)
    with pytest.raises(Conflict, match="no longer here"):
        await database.write(lambda c: attachments.add(c, session.n, [kept]))
    assert attachments.names(session.n) == []
