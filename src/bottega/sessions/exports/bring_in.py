"""A `jsonl` export becomes a new session: every line is checked first, then all of it is stored, or nothing.

Nothing in the file is trusted. Grants, leases and waiting prompts are not carried; a blob is the session's only if the
file holds its bytes; a fact is stored as this program writes it, however the file spells it; an exchange that had not
ended is closed as interrupted. The session remembers how far it was imported: what its log says up to there was done
elsewhere, so it is shown, and nothing of it is undone on this disk.
"""

import asyncio
import base64
import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO

import msgspec

from bottega.errors import BadUsage
from bottega.events.codec import carried, encode
from bottega.events.facts import DELTAS
from bottega.ids import fresh_session
from bottega.messages.json_size import MOST_ARGUMENTS, MOST_LINE, check_size, members_of
from bottega.printable import UNPRINTABLE
from bottega.providers.vendors import SCRIPTED
from bottega.sessions.attach import attach, drop_unnamed
from bottega.sessions.exports.closing import Closing
from bottega.sessions.exports.export import About, Blob, Header
from bottega.sessions.exports.filling import Piece, fill, in_pieces
from bottega.sessions.session import SessionRow, Sessions, now
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database

LAST = 2**53


class Limits(msgspec.Struct, frozen=True):
    """How much of a file is read; sizes are in bytes."""

    line: int = 48 * 1024 * 1024
    """A blob of 36 MB."""
    events: int = 256 * 1024 * 1024
    blobs: int = 1024 * 1024 * 1024
    members: int = 5_000_000
    """Fields and elements of all events but the pieces of words: whoever reads the session decodes them all."""


LIMITS = Limits()

_AGAIN = (
    "It takes what `bottega export --format jsonl` wrote, whole; nothing of this file was stored."
)

_UNPRINTABLE = re.compile(f"[{UNPRINTABLE}]")

_header = msgspec.json.Decoder(Header).decode
_row = msgspec.json.Decoder(tuple[int, msgspec.Raw]).decode
_blob = msgspec.json.Decoder(Blob).decode


def lines_of(file: BinaryIO, limits: Limits = LIMITS) -> Iterator[bytes]:
    """The lines of a file; one that is too long comes in pieces that `bring_in` refuses."""
    while line := file.readline(limits.line + 1):
        yield line


async def bring_in(
    database: Database,
    blobs: Blobs,
    lines: Iterable[bytes],
    *,
    folder: str,
    project: int | None = None,
    container: str = "",
    limits: Limits = LIMITS,
) -> SessionRow:
    """Store the export as a new session and return it; a line that is wrong is named, and nothing is stored.

    It works in that container of the project from now on; without one it can only be read.
    """
    place = (folder, project, container)
    session_id = fresh_session()
    read = _Read(blobs, limits)
    try:
        await asyncio.to_thread(read.all, lines)
        rows = [*read.rows, *read.closed()]
        finish = partial(_store, blobs, read, session_id, place, rows[-1][0] if rows else 0)
        await fill(database, _pieces(rows), len(rows), finish)
    except Exception:
        await database.write(lambda connection: drop_unnamed(connection, blobs, read.blobs))
        raise
    return Sessions(database).get(session_id)


_Row = tuple[int, int, bytes]
"""(index, kind, body)"""


class _Read:
    """What a file holds, checked."""

    def __init__(self, blobs: Blobs, limits: Limits) -> None:
        self._blobs = blobs
        self._limits = limits
        self._about: About | None = None
        self._events_size = self._blobs_size = self._members = 0
        self.rows: list[_Row] = []
        self.blobs: list[str] = []
        self.last = 0
        self.closing = Closing()

    @property
    def about(self) -> About:
        assert self._about
        return self._about

    def closed(self) -> list[_Row]:
        """What is added, so that nothing is open at the end."""
        added = self.closing.facts(now())
        return [(self.last + place, 0, encode(event)) for place, event in enumerate(added, 1)]

    def all(self, lines: Iterable[bytes]) -> None:
        number = 0
        for number, line in enumerate(lines, 1):
            try:
                self._line(line)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise BadUsage(
                    f"Line {number} of the export is wrong: {error}.", hint=_AGAIN
                ) from error
        if self._about is None or self.last != self._about.last_index:
            raise BadUsage(f"The export breaks off after line {number}.", hint=_AGAIN)

    def _line(self, line: bytes) -> None:
        if len(line) > self._limits.line:
            raise ValueError(f"it is longer than {self._limits.line} bytes")
        if self._about is None:
            check_size(line, MOST_ARGUMENTS)
            self._about = _header(line).session
        elif line.startswith(b"["):
            self._event(line)
        elif line.strip():
            self._blob(line)

    def _event(self, line: bytes) -> None:
        check_size(line, MOST_LINE)
        index, raw = _row(line)
        event = carried(index, bytes(raw))
        self._members += 0 if event.type in DELTAS else members_of(line, MOST_LINE)
        if self._members > self._limits.members:
            raise ValueError(
                f"the events have more than {self._limits.members} fields and elements"
            )
        self._events_size += max(len(raw), len(event.body))
        if self._events_size > self._limits.events:
            raise ValueError(f"the events are larger than {self._limits.events} bytes")
        if not self.last < index < LAST:
            raise ValueError(f"index {index} does not follow {self.last}")
        self.last = index
        self.rows.append((index, int(event.type in DELTAS), event.body))
        self.closing.add(event)

    def _blob(self, line: bytes) -> None:
        check_size(line, MOST_ARGUMENTS)
        found = _blob(line)
        if found.data is None:
            return
        content = base64.b64decode(found.data, validate=True)
        self._blobs_size += len(content)
        if self._blobs_size > self._limits.blobs:
            raise ValueError(f"the blobs are larger than {self._limits.blobs} bytes")
        if hashlib.sha256(content).hexdigest() != found.blob:
            raise ValueError(f"the bytes of blob {found.blob!r} have another hash")
        self.blobs.append(self._blobs.keep(content))


def _pieces(rows: list[_Row]) -> Iterator[Piece]:
    begin = 0
    for count in in_pieces(len(body) for _, _, body in rows):
        yield partial(_add, rows[begin : begin + count])
        begin += count


def _add(rows: list[_Row], connection: sqlite3.Connection, n: int) -> None:
    connection.executemany(
        "INSERT INTO events (session, idx, kind, body) VALUES (?, ?, ?, ?)",
        [(n, index, kind, body) for index, kind, body in rows],
    )


def _store(
    blobs: Blobs,
    read: _Read,
    session_id: str,
    place: tuple[str, int | None, str],
    last: int,
    connection: sqlite3.Connection,
    n: int,
) -> None:
    about = read.about
    row: tuple[Any, ...] = (
        *(n, session_id, about.created_at, now()),
        *(_plain(about.title), _model(about.model), _plain(about.agent)),
        *(about.needs, last, last, *place),
    )
    connection.execute(
        "INSERT INTO sessions (n, id, created_at, updated_at, title, model, agent, needs, last_index,"
        " imported, folder, project, container)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    attach(connection, blobs, n, read.blobs)


def _plain(name: str) -> str:
    """A name as it may stand in a list: on one line, and without anything that hides in it."""
    return " ".join(_UNPRINTABLE.sub("", name).split())[:200]


def _model(name: str) -> str:
    """The model to go on with; a script is no model that somebody else may choose: the usual one then."""
    plain = _plain(name)
    return "" if plain.strip().partition("/")[0] == SCRIPTED else plain
