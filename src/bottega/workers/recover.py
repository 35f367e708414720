"""What a dead worker left: read how far it came from the log, then go on or close the exchange as interrupted."""

import sqlite3
from collections.abc import Iterable

from bottega.events import facts
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.messages.block import Text, ToolUse
from bottega.sessions.feed import Row
from bottega.sessions.log import Log
from bottega.tools.registry import Registry
from bottega.workers.track import Track

MAX_TAKEOVERS = 3
"""An exchange that has taken this many workers down is not tried again."""


async def track_of(log: Log, n: int, message_id: str) -> Track:
    """How far that exchange came, deltas included."""

    def read(connection: sqlite3.Connection) -> list[Row]:
        first = connection.execute(
            "SELECT idx FROM inbox WHERE session = ? AND message_id = ?", (n, message_id)
        ).fetchone()
        return connection.execute(
            "SELECT idx, body FROM events WHERE session = ? AND idx >= ? ORDER BY idx",
            (n, first[0]),
        ).fetchall()

    rows = await log.database.read(read)
    return _tracked(message_id, (decode(index, body) for index, body in rows))


def _tracked(message_id: str, events: Iterable[Event]) -> Track:
    track = Track()
    for event in events:
        if event.message_id == message_id:
            track.note(event)
    return track


def may_run_again(track: Track, registry: Registry) -> list[ToolUse]:
    """Open calls that never began, and those that only read; any other may have had its effect already."""
    return [
        use
        for use in track.calls.values()
        if use.id not in track.intents or _only_reads(use, registry)
    ]


def _only_reads(use: ToolUse, registry: Registry) -> bool:
    tool = registry.find(use.name)
    return tool is not None and tool.only_reads


def unknown_outcomes(track: Track, again: list[ToolUse]) -> list[facts.ToolResultFact]:
    """Results for the calls that are not run again."""
    kept = {use.id for use in again}
    said = (Text("Interrupted: outcome unknown. Look before you repeat it."),)
    return [
        facts.ToolResultFact(use.id, use.name, said, is_error=True)
        for use in track.calls.values()
        if use.id not in kept
    ]
