"""What a dead worker left: read how far it came from the log, then go on or close the exchange as interrupted."""

import asyncio
import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from bottega.errors import Problem
from bottega.events import facts
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.messages.block import ToolUse
from bottega.sessions.feed import Row
from bottega.sessions.log import Log
from bottega.tools.registry import Registry
from bottega.tools.tool import Outcome, failure, success
from bottega.workers.track import Track
from bottega.workspaces.changes.reconcile import reconcile, settle
from bottega.workspaces.confine import Root
from bottega.workspaces.git.proposed import refuse_plant

if TYPE_CHECKING:
    from bottega.workers.exchange import Exchange


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


async def settled(exchange: "Exchange", registry: Registry) -> list[ToolUse]:
    """Answer what the dead one may have done; return the calls that may run now.

    A call that never began may run, and so may one that only reads or waits. Edits are compared with the files: those
    that were made are told as made, those that were not may run, half-made ones are taken back first. Any other call
    may have had its effect already: its outcome is unknown.
    """
    again: list[ToolUse] = []
    unknown = await _unknown(exchange)
    for use in list(exchange.track.calls.values()):
        intent = exchange.track.intents.get(use.id)
        tool = registry.find(use.name)
        if intent is None or (tool and tool.repeatable and not intent.writes):
            again.append(use)
        elif not intent.writes:
            exchange.emit(_result(use, unknown))
        elif told := await _compared(exchange, intent):
            exchange.emit(_result(use, told))
        else:
            del exchange.track.intents[use.id]
            again.append(use)
    return again


async def tell_edits(exchange: "Exchange") -> None:
    """Before an exchange is closed: edits that were made are told as made."""
    for use in list(exchange.track.calls.values()):
        intent = exchange.track.intents.get(use.id)
        if intent and intent.writes and (told := await _compared(exchange, intent)):
            exchange.emit(_result(use, told))


_INTERRUPTED = "Interrupted: outcome unknown. Look before you repeat it."
UNKNOWN = failure(_INTERRUPTED, "INTERRUPTED")


async def _unknown(exchange: "Exchange") -> Outcome:
    """What is said of a call that may have had its effect, with what had to be undone of it."""
    if not exchange.track.intents:
        return UNKNOWN
    try:
        with await exchange.hands.folders.opened(exchange.session) as root:
            undone = await exchange.hands.sandboxes.recover(root)
    except (Problem, OSError):  # the folder is gone
        return UNKNOWN
    return failure(" ".join((_INTERRUPTED, *undone[:10])), "INTERRUPTED")


async def _compared(exchange: "Exchange", intent: facts.ToolIntent) -> Outcome | None:
    """What became of edits that were about to be made; None: nothing, or what there was is taken back."""
    try:
        with await exchange.hands.folders.opened(exchange.session) as root:
            return await asyncio.to_thread(_settled, exchange, root, intent)
    except Problem as problem:
        return failure(f"Interrupted: {problem}", "INTERRUPTED")


def _settled(exchange: "Exchange", root: Root, intent: facts.ToolIntent) -> Outcome | None:
    found = reconcile(root, intent.writes)
    if found.state == "none":
        return None
    if found.state == "all":
        note = "Made before an interruption, and compared with the files since."
        return success({"files": list(found.made), "note": note})
    refuse = partial(refuse_plant, root)
    left = settle(root, intent.writes, exchange.store.read, exchange.fence, refuse).refused
    if not left:
        return None
    files = "; ".join(f"{path}: {why}" for path, why in left.items())
    return failure(f"Interrupted in the middle. Look at these files: {files}", "INTERRUPTED")


def _result(use: ToolUse, outcome: Outcome) -> facts.ToolResultFact:
    failed = outcome.status == "error"
    return facts.ToolResultFact(use.id, use.name, outcome.to_content(), is_error=failed)
