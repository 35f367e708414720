"""What a person turns over in a session: undo a compaction, reset it, clear it. Each is one transaction with its fact.

Reset: the model begins anew, the log keeps all. Clear: what was said is deleted, the session stays. Both are refused
while an exchange is under way; an undone compaction is minded by whoever runs the session.
"""

import asyncio
import shutil
import sqlite3
from contextlib import suppress

import msgspec

from bottega.errors import Conflict
from bottega.events import facts
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.failpoint import failpoint
from bottega.messages.block import plain_text
from bottega.sessions.attach import drop_unnamed
from bottega.sessions.care.retention import BATCH, delete
from bottega.sessions.care.search import forget_words
from bottega.sessions.inbox import Prompt
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions, now, title_of
from bottega.storage.blobs import Blobs

_TURNED = ("session_reset", "session_cleared", "compaction_undone")
_COMPACTED = ("compaction", "compaction_undone", "session_reset", "session_cleared")


def turned_over(log: Log, n: int, after: int) -> bool:
    """Whether what the model sees was changed by somebody else than the session's worker since that index."""
    return log.database.read_now(lambda c: _newest(c, n, _TURNED, after)) is not None


async def undo_compaction(log: Log, session: SessionRow, compaction: int = 0) -> int:
    """Undo the last compaction, or the one at that index; return its index, or 0 if there is nothing to undo.

    The last one is undone once: to go further back, name the one that is meant.
    """
    found = log.database.read_now(lambda c: _undoable(c, session.n, compaction))
    if not found:
        return 0

    def also(connection: sqlite3.Connection) -> bool | None:
        return True if _undoable(connection, session.n, found) else None

    event = _event("compaction_undone", facts.CompactionUndone(found))
    return found if await log.append(session.n, [event], also) else 0


async def reset(log: Log, session: SessionRow) -> bool:
    """Let the model begin anew; what was allowed for the session ends with it. False if there is nothing to forget."""

    def also(connection: sqlite3.Connection) -> bool | None:
        _refuse_while_running(connection, session, "reset")
        connection.execute("UPDATE asks SET granted = '' WHERE session = ?", (session.n,))
        connection.execute("DELETE FROM remotes WHERE session = ?", (session.n,))
        last = _newest(connection, session.n, (*_SAID, "session_reset", "session_cleared"))
        return True if last and last[1] in _SAID else None

    return bool(await log.append(session.n, [_event("session_reset", facts.SessionReset())], also))


async def clear(log: Log, blobs: Blobs, session: SessionRow) -> None:
    """Delete all that was said in a session; the session itself, and its place in lists, stay.

    Its events, ended prompts, answered asks and attachments go in one transaction with the fact that says so. What
    nobody can see any more (words of the search, blobs, kept outputs) is removed after it, in small ones; if that is
    cut short, `leftovers.sweep` removes it. Its children go last.
    """
    names: list[str] = []
    events: list[int] = []

    def also(connection: sqlite3.Connection) -> bool:
        _refuse_while_running(connection, session, "cleared", "queued")
        blobs_of = "SELECT blob FROM attachments WHERE session = ?"
        names.extend(name for (name,) in connection.execute(blobs_of, (session.n,)))
        events_of = "SELECT n FROM events WHERE session = ?"
        events.extend(number for (number,) in connection.execute(events_of, (session.n,)))
        _delete(connection, session.n)
        failpoint("turning.after_clear")
        return True

    await log.append(session.n, [_event("session_cleared", facts.SessionCleared())], also)
    failpoint("turning.before_leftovers")
    log.feed(session.n).rest()
    for start in range(0, len(events), BATCH):
        some = events[start : start + BATCH]
        await log.database.write(lambda connection, s=some: forget_words(connection, s))
    await log.database.write(lambda connection: drop_unnamed(connection, blobs, names))
    outputs = log.database.home.outputs / session.id
    await asyncio.to_thread(shutil.rmtree, outputs, ignore_errors=True)
    for child in Sessions(log.database).children(session.n):
        with suppress(Conflict):  # somebody goes on with it by itself
            await delete(log.database, log, blobs, child)


_SAID = ("user_message", "assistant_message", "aside")


def _delete(connection: sqlite3.Connection, n: int) -> None:
    first = connection.execute(
        "SELECT body FROM inbox WHERE session = ? ORDER BY idx LIMIT 1", (n,)
    ).fetchone()
    made = title_of(plain_text(msgspec.json.decode(first[0], type=Prompt).content)) if first else ""
    for table in ("events", "inbox", "asks", "attachments", "remotes"):
        connection.execute(f"DELETE FROM {table} WHERE session = ?", (n,))  # noqa: S608
    # A title that was made of the first prompt goes with it; one that was given stays.
    connection.execute(
        "UPDATE sessions SET searched = last_index, status = 'idle', outcome = '',"
        " title = CASE title WHEN ? THEN '' ELSE title END WHERE n = ?",
        (made, n),
    )


def _refuse_while_running(
    connection: sqlite3.Connection, session: SessionRow, word: str, also: str = "running"
) -> None:
    row = connection.execute(
        "SELECT 1 FROM inbox WHERE session = ? AND status IN ('running', ?)", (session.n, also)
    ).fetchone()
    if row:
        raise Conflict(
            f"The session {session.id!r} cannot be {word} while something runs in it.",
            hint="Stop it first, or wait until it has ended.",
        )


def _undoable(connection: sqlite3.Connection, n: int, wanted: int) -> int:
    """The index of the compaction to undo; 0: none."""
    found = _newest(connection, n, _COMPACTED)
    if not wanted:
        return found[0] if found and found[1] == "compaction" else 0
    undone: set[int] = set()
    for index, body in _all(connection, n, _COMPACTED):
        what = decode(index, body).data
        if isinstance(what, facts.CompactionUndone):
            undone.add(what.compaction)
        elif isinstance(what, facts.SessionReset | facts.SessionCleared):
            return 0
        elif index == wanted:
            return 0 if wanted in undone else wanted
    return 0


def _newest(
    connection: sqlite3.Connection, n: int, types: tuple[str, ...], after: int = 0
) -> tuple[int, str] | None:
    """The last fact of one of these types past that index, and its type."""
    rows = _all(connection, n, types, after, 1)
    return (rows[0][0], decode(*rows[0]).type) if rows else None


def _all(
    connection: sqlite3.Connection, n: int, types: tuple[str, ...], after: int = 0, most: int = -1
) -> list[tuple[int, bytes]]:
    """Facts of these types past that index, newest first."""
    begins = [f'{{"type":"{each}"'.encode() for each in types]
    which = " OR ".join("substr(body, 1, length(?)) = ?" for _ in begins)
    return connection.execute(
        "SELECT idx, body FROM events WHERE session = ? AND kind = 0 AND idx > ?"  # noqa: S608
        f" AND ({which}) ORDER BY idx DESC LIMIT ?",
        (n, after, *(begin for each in begins for begin in (each, each)), most),
    ).fetchall()


def _event(name: str, payload: msgspec.Struct) -> Event:
    return Event(name, now(), payload, actor="user")
