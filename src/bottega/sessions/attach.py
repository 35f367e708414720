"""Pictures, sounds and documents of a session: kept as blobs, and read only through a session that has them.

A blob's row in `attachments` is committed with the event that names it. Both that commit and the removal of blobs
happen inside the writer's transactions, so a blob that a session has is never one that a deletion just removed.
"""

import asyncio
import base64
import binascii
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from typing import Any, BinaryIO, TypeVar, cast

import msgspec

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.messages.block import Block, Media, Text, ToolResult
from bottega.messages.message import Message
from bottega.sessions.bounds.keeping import Keeping, PersonsBlobs
from bottega.sessions.session import HOST
from bottega.storage.blobs import INLINE, Blobs
from bottega.storage.database import Database

B = TypeVar("B", bound=Block)


def keep(content: Sequence[B], blobs: Blobs) -> tuple[tuple[B, ...], tuple[str, ...]]:
    """Turn media larger than `INLINE` into references to blobs, durable on return; also name those blobs.

    References that were there already are not named: who sends one must prove that the session has it. Waits for the
    disk, so call it off the event loop.
    """
    names: list[str] = []

    def stored(media: Media) -> Media:
        if len(media.data) <= INLINE:
            return media
        names.append(blobs.keep(_bytes_of(media)))
        return msgspec.structs.replace(media, data="", blob=names[-1])

    return _each_media(content, stored), tuple(dict.fromkeys(names))


def load(messages: tuple[Message, ...], read: Callable[[str], bytes]) -> tuple[Message, ...]:
    """The messages with the bytes of their blobs put back, as a request needs them."""
    if not _show_media(messages):
        return messages
    known: dict[str, str] = {}

    def loaded(media: Media) -> Media | Text:
        if media.data or not media.blob:
            return media
        if media.blob not in known:
            try:
                known[media.blob] = base64.b64encode(read(media.blob)).decode()
            except NotFound:  # it came from another Bottega, which has it
                return Text(f"[{media.name or media.media_type}: kept elsewhere]")
        return msgspec.structs.replace(media, data=known[media.blob], blob="")

    return tuple(_with_media(message, loaded) for message in messages)


class Attachments:
    def __init__(self, database: Database, blobs: Blobs, keeping: Keeping | None = None) -> None:
        """`keeping` bounds what is kept for each person."""
        self.database = database
        self.blobs = blobs
        self._keeping = keeping

    def store(self, person: int) -> Blobs:
        """Where blobs are kept for that person."""
        if self._keeping is None:
            return self.blobs
        return PersonsBlobs(self.database.home.blobs, self._keeping, person)

    def read(self, n: int, name: str) -> bytes:
        """The bytes of a blob that this session has; any other is not found, wherever it lies."""
        found = self.database.read_now(
            lambda connection: connection.execute(
                "SELECT 1 FROM attachments WHERE session = ? AND blob = ?", (n, name)
            ).fetchone()
        )
        if not found:
            raise NotFound(f"This session has no attachment {name!r}.")
        return self.blobs.read(name)

    def open(self, n: int, name: str) -> BinaryIO:
        """The bytes of a blob that this session or one beneath it has; any other is not found, wherever it lies."""
        found = self.database.read_now(
            lambda connection: connection.execute(
                "WITH RECURSIVE tree (n) AS (SELECT ?1 UNION"
                " SELECT s.n FROM sessions s JOIN tree ON s.parent = tree.n)"
                " SELECT 1 FROM attachments WHERE session IN tree AND blob = ?2",
                (n, name),
            ).fetchone()
        )
        if not found:
            raise NotFound(f"This session has no attachment {name!r}.")
        return self.blobs.open(name)

    def names(self, n: int) -> list[str]:
        rows = self.database.read_now(
            lambda connection: connection.execute(
                "SELECT blob FROM attachments WHERE session = ? ORDER BY blob", (n,)
            ).fetchall()
        )
        return [row[0] for row in rows]

    async def keep(self, n: int, content: bytes, person: int = HOST) -> str:
        """Keep the bytes as a blob of this session, which is that person's; return its name once all is durable."""
        name = await asyncio.to_thread(self.store(person).keep, content)
        await self.database.write(lambda connection: self.add(connection, n, [name]))
        return name

    def add(self, connection: sqlite3.Connection, n: int, names: Iterable[str]) -> None:
        """In the transaction of the event that names these blobs: let the session read them."""
        attach(connection, self.blobs, n, names)


def attach(connection: sqlite3.Connection, blobs: Blobs, n: int, names: Iterable[str]) -> None:
    """Inside a transaction: let the session read these blobs; refuse one that was removed since it was kept."""
    for name in names:
        if not blobs.has(name):
            raise Conflict(f"The attachment {name!r} is no longer here.", hint="Send it again.")
        connection.execute(
            "INSERT OR IGNORE INTO attachments (session, blob) VALUES (?, ?)", (n, name)
        )


def drop_unnamed(connection: sqlite3.Connection, blobs: Blobs, names: Iterable[str]) -> int:
    """Inside a transaction, so that nobody attaches one meanwhile: remove those blobs that no session has."""
    dropped = 0
    for name in names:
        if not connection.execute("SELECT 1 FROM attachments WHERE blob = ?", (name,)).fetchone():
            blobs.drop(name)
            dropped += 1
    return dropped


def _bytes_of(media: Media) -> bytes:
    try:
        return base64.b64decode("".join(media.data.split()), validate=True)
    except binascii.Error as error:
        raise BadUsage(
            f"The attachment {media.name or media.media_type!r} is not base64: {error}.",
            hint="Send its bytes as standard base64.",
        ) from error


def _show_media(messages: tuple[Message, ...]) -> bool:
    """Most histories show none, however long they are, so this looks at as little as it can."""
    for message in messages:
        for block in message.content:
            if type(block) is Text:
                continue
            if isinstance(block, Media):
                return True
            if isinstance(block, ToolResult):
                for part in block.content:
                    if type(part) is not Text:
                        return True
    return False


def _with_media(message: Message, change: Callable[[Media], Media | Text]) -> Message:
    content = _each_media(message.content, change)
    if content is message.content:
        return message
    return msgspec.structs.replace(message, content=content)


def _each_media(content: Sequence[B], change: Callable[[Media], Media | Text]) -> tuple[B, ...]:
    """The blocks with their media changed; the same tuple where nothing did."""
    changed = tuple(_changed(block, change) for block in content)
    if isinstance(content, tuple) and all(map(is_, changed, content)):
        return content
    return changed


def _changed(block: B, change: Callable[[Media], Media | Text]) -> B:
    if isinstance(block, Media):
        return cast(B, change(block))
    if isinstance(block, ToolResult):
        inner: Any = _each_media(block.content, change)
        return block if inner is block.content else msgspec.structs.replace(block, content=inner)
    return block
