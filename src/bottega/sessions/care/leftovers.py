"""Removes what deletions and crashes left over: what no session has, and what nobody writes to any more.

It may run at any time beside anything: every step is small, reads before it writes, and waits for the disk in a thread.
What is young is left alone, as whoever made it may be about to name it.
"""

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from bottega.sessions.attach import drop_unnamed
from bottega.sessions.care.retention import BATCH, delete_events
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import is_dead
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.watch.gone import forget_gone

GRACE = 3600.0
"""Seconds for which what nobody has is left alone."""
SHARED = ("shells", "terminals")
"""Folders among the outputs that belong to no session: each output in them is its writer's alone."""


class Swept(msgspec.Struct, frozen=True):
    rows: int
    blobs: int
    folders: int = 0
    """Of outputs."""


async def sweep(database: Database, blobs: Blobs, grace: float = GRACE) -> Swept:
    rows = 0
    for n in await database.read(_orphans):
        rows += await delete_events(database, n)
    rows += await _lost_words(database)
    before = time.time() - grace
    dropped = 0
    names = await asyncio.to_thread(lambda: list(blobs.names(before)))
    for some in _in_batches(names):
        if unnamed := await database.read(lambda c, s=some: _without(c, _UNNAMED, s)):
            dropped += await database.write(lambda c, u=unnamed: drop_unnamed(c, blobs, u))
    folders = await _outputs(database, before)
    await asyncio.to_thread(_files, database, blobs, before)
    return Swept(rows, dropped, folders)


def _files(database: Database, blobs: Blobs, before: float) -> None:
    for part in blobs.parts(before):
        part.unlink(missing_ok=True)
    for life in _older(database.home.workers, before):
        is_dead(database.home, life)  # which removes the lock of one that is
    forget_gone(database.home.workspaces)


async def _outputs(database: Database, before: float) -> int:
    """Remove what was printed in sessions that are gone, and in shells whose process is."""
    place = database.home.outputs
    found = await asyncio.to_thread(_older, place, before)
    own = [each for each in found if each not in SHARED]
    gone: list[Path] = []
    for some in _in_batches(own):
        unknown = await database.read(lambda c, s=some: _without(c, _UNKNOWN, s))
        gone += [place / each for each in unknown]
    gone += await asyncio.to_thread(_silent, place, before)
    for each in gone:
        await asyncio.to_thread(shutil.rmtree, each, ignore_errors=True)
    return len(gone)


def _silent(place: Path, before: float) -> list[Path]:
    """Outputs of shells to which nobody writes any more."""
    return [
        place / kind / name
        for kind in SHARED
        for name in _older(place / kind, before)
        if not Outputs(place / kind).running(name)
    ]


def _older(place: Path, before: float) -> list[str]:
    """What is in there and was not changed since."""
    found: list[str] = []
    with suppress(FileNotFoundError):
        for each in place.iterdir():
            with suppress(OSError):
                if each.name in SHARED or each.stat().st_mtime < before:
                    found.append(each.name)
    return found


async def _lost_words(database: Database) -> int:
    """Words that lead to no event, looked for a few at a time."""
    removed, after = 0, -1
    while page := await database.read(lambda c, a=after: c.execute(_WORDS, (a, BATCH)).fetchall()):
        after = page[-1][0]
        lost = [(number,) for number, is_lost in page if is_lost]
        if lost:
            removed += await database.write(lambda c, m=lost: _forget(c, m))
    return removed


def _forget(connection: sqlite3.Connection, lost: list[tuple[int]]) -> int:
    return connection.executemany("DELETE FROM words WHERE rowid = ?", lost).rowcount


def _without(connection: sqlite3.Connection, query: str, names: Iterable[str]) -> list[str]:
    named = msgspec.json.encode(list(names)).decode()
    return [name for (name,) in connection.execute(query, (named,))]


def _orphans(connection: sqlite3.Connection) -> list[int]:
    return [n for (n,) in connection.execute(_GONE)]


_UNNAMED = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT blob FROM attachments)"
_UNKNOWN = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM sessions)"
_WORDS = (
    "SELECT rowid, NOT EXISTS (SELECT 1 FROM events WHERE n = words.rowid) FROM words"
    " WHERE rowid > ? ORDER BY rowid LIMIT ?"
)
_GONE = (
    "WITH RECURSIVE told (n) AS (SELECT MIN(session) FROM events UNION ALL"
    " SELECT (SELECT MIN(session) FROM events WHERE session > told.n) FROM told WHERE n IS NOT NULL)"
    " SELECT n FROM told WHERE n IS NOT NULL AND n NOT IN (SELECT n FROM sessions)"
)
"""From one session to the next: as many steps as there are sessions, however many events they have."""


def _in_batches(names: list[str]) -> Iterable[tuple[str, ...]]:
    return (tuple(names[at : at + BATCH]) for at in range(0, len(names), BATCH))
