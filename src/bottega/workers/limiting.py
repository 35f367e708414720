"""The limits of one exchange, kept before each model call: a person who is there is asked, else it ends.

What was answered is found again by whoever goes on from the log, so that a raised limit stays raised.
"""

import asyncio
import hashlib
import time

import msgspec

from bottega.agents.limits import (
    NO_LIMITS,
    LimitName,
    Limits,
    Reached,
    Spent,
    Window,
    halved,
    raised,
    reached,
)
from bottega.agents.world import Ended
from bottega.events import facts
from bottega.sessions import spent as ledger
from bottega.sessions.session import now
from bottega.sessions.spent import Used
from bottega.storage.database import Database
from bottega.workers.acting.question import by_child
from bottega.workers.acting.scene import Scene

LOOK = 2.0
"""Seconds for which it is believed that a limit far away is still far away."""


class Limiting:
    def __init__(
        self,
        exchange: Scene,
        limits: Limits,
        window: Window,
        database: Database,
        *,
        attended: bool,
    ) -> None:
        self._exchange = exchange
        self._limits = limits
        self._window = window
        self._window_limits = window.limits
        self._database = database
        self._attended = attended
        self._parent: Limiting | None = None
        self._children: set[Limiting] = set()
        self._deciding = asyncio.Lock()
        self._last = Used()
        self._look_at = 0.0

    def hand_to(self, child: "Limiting") -> None:
        """What the child uses counts here too, from now on, and here it is limited too."""
        child._parent = self
        self._children.add(child)

    def take_back(self, child: "Limiting") -> None:
        """The child has ended: what it used stands in a result from now on."""
        self._children.discard(child)

    def spent(self, repeats: int = 0) -> Spent:
        track = self._exchange.track
        mine = Spent(
            track.answers,
            track.usage.input_tokens + track.usage.output_tokens,
            track.known_cost,
            (track.active_ms + (0 if track.waits else max(0, now() - track.last_at))) / 1000,
            repeats,
        )
        theirs = [child.spent() for child in self._children]
        return msgspec.structs.replace(
            mine,
            tokens=mine.tokens + sum(each.tokens for each in theirs),
            cost=mine.cost + sum(each.cost for each in theirs),
        )

    def used(self) -> dict[str, tuple[float, float]]:
        """What is used, and how much may be, of every limit there is."""
        spent = self.spent()
        names = ("iterations", "tokens", "cost", "seconds")
        limited = {name: getattr(self._limits, name) for name in names}
        return {name: (getattr(spent, name), most) for name, most in limited.items() if most}

    async def over(self, repeats: int) -> Ended | None:
        """The end, if a limit is reached and nobody raises it."""
        if self._parent and (above := await self._parent.over(0)):
            return above
        async with self._deciding:  # children may come to it at the same time
            while found := reached(self._limits, self.spent(repeats)) or self._in_window():
                if not self._attended:
                    return await self._ended(found)
                await self._raise(found)
        return None

    def _in_window(self) -> Reached | None:
        if self._window_limits == NO_LIMITS:
            return None
        used = self._used()
        found = reached(self._window_limits, Spent(tokens=used.tokens, cost=used.cost))
        return found and msgspec.structs.replace(found, window=self._window.words)

    def _used(self) -> Used:
        """What all exchanges used; far from a limit it is looked up every few seconds only."""
        clock = time.monotonic()
        near = reached(
            halved(self._window_limits), Spent(tokens=self._last.tokens, cost=self._last.cost)
        )
        if near or clock >= self._look_at:
            self._last = ledger.in_last(self._database, self._window.hours)
            self._look_at = clock + LOOK
        return self._last

    def seconds_left(self) -> float | None:
        """Where nobody can be asked, a step is ended in the middle when time is up."""
        limit = self._limits.seconds
        if limit is None or self._attended:
            return self._parent.seconds_left() if self._parent else None
        mine = max(0.0, limit - self.spent().seconds)
        above = self._parent.seconds_left() if self._parent else None
        return mine if above is None else min(mine, above)

    async def out_of_time(self) -> Ended:
        limit = self._limits.seconds or 0
        return await self._ended(Reached("seconds", limit, limit))

    async def _ended(self, found: Reached) -> Ended:
        said = facts.ErrorMessage(
            found.sentence,
            _CODES[found.name],
            hint="Say “go on” to continue from here, or raise the limit.",
        )
        await self._exchange.record(said)
        return Ended(False, "resource_limit_exceeded", "limit")

    async def _raise(self, found: Reached) -> None:
        """Ask for more. Who says stop cancels the exchange, and nothing more comes of this."""
        limits = self._window_limits if found.window else self._limits
        more = raised(limits, found)
        to = getattr(more, found.name)
        key = f"{self._exchange.session.id}/{found.window}/{found.name}/{found.limit}"
        asked = facts.ApprovalRequired(
            "",
            "limit",
            hash=hashlib.sha256(key.encode()).hexdigest(),
            question=f"{found.sentence} Go on?",
            choices=("raise", "stop"),
            detail={"limit": found.name, "from": found.limit, "to": to, "window": found.window},
        )
        asking = self._exchange.asking
        asked = by_child(asked, self._exchange)
        waiting = asking.ask(asked, {})
        # A child's work is its parent's call, which is counted already.
        answered = await (waiting if self._exchange.parent else asking.at_work(waiting))
        chosen = msgspec.structs.replace(limits, **{found.name: answered.asked.detail["to"]})
        if found.window:
            self._window_limits = chosen
        else:
            self._limits = chosen


_CODES: dict[LimitName, str] = {
    "iterations": "iteration_limit",
    "tokens": "token_limit",
    "cost": "cost_limit",
    "seconds": "time_limit",
    "repeats": "repeated_calls",
}
