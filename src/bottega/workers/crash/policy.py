"""What becomes of an exchange whose process died or let go of it: it goes on, it is asked about, or it is closed.

Nobody's tokens are spent behind their back: a server goes on by itself only where the session's owner was there a
moment ago.
"""

import sqlite3
from collections.abc import Callable
from typing import Literal

import msgspec

from bottega.sessions.session import SessionRow, now
from bottega.storage.database import Database

OnCrash = Literal["resume", "park", "close"]
Setting = Literal["auto", "resume", "park", "fail"]

MAX_TAKEOVERS = 3
"""An exchange that has taken this many workers down is not tried again unasked."""
RECENT = 600_000
"""Milliseconds for which somebody who was there counts as being there."""


class Crash(msgspec.Struct, frozen=True):
    """An exchange that was left in the middle."""

    session: SessionRow
    takeovers: int
    """How many processes in a row died with it."""
    heard_at: int = 0
    """When a person last answered something in it, in milliseconds."""
    handed: bool = False
    """Nothing died: its worker left, and let go of it."""


Decide = Callable[[Crash], OnCrash]


def always(on_crash: OnCrash) -> Decide:
    """The same for every session, but for an exchange that takes one process after the other down.

    What was handed over goes on: whoever takes it up here waits for it.
    """

    def decide(crash: Crash) -> OnCrash:
        if crash.handed:
            return "resume"
        return "close" if crash.takeovers >= MAX_TAKEOVERS else on_crash

    return decide


def for_server(setting: Setting, database: Database) -> Decide:
    """As the setting `on_crash` says; `auto` looks whether the session's owner is there."""

    def decide(crash: Crash) -> OnCrash:
        if setting == "fail":
            return "close"
        if crash.takeovers >= MAX_TAKEOVERS or setting == "park":
            return "park"
        if setting == "resume":
            return "resume"
        there = max(crash.heard_at, database.read_now(lambda c: _last_there(c, crash.session)))
        return "resume" if now() - there <= RECENT else "park"

    return decide


def _last_there(connection: sqlite3.Connection, session: SessionRow) -> int:
    """When the session's owner was last seen, or last said something in it."""
    seen = connection.execute("SELECT seen_at FROM people WHERE n = ?", (session.owner,)).fetchone()
    said = connection.execute(
        "SELECT MAX(created_at) FROM inbox WHERE session = ?", (session.n,)
    ).fetchone()
    return max(seen[0] if seen else 0, said[0] or 0)
