"""The limits of one exchange, judged before each model call: a person who is there is asked, else it ends.

What was answered is found again by whoever goes on from the log, so that a raised limit stays raised.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable
from contextlib import nullcontext

import msgspec

from bottega.agents.limits import (
    NO_LIMITS,
    LimitReached,
    Limits,
    Reached,
    Spent,
    Window,
    halved,
    raised,
    reached,
)
from bottega.agents.world import LIMITED, Ended
from bottega.events import facts
from bottega.sessions import spent as ledger
from bottega.sessions.session import HOST, now
from bottega.sessions.spent import Used
from bottega.storage.database import Database
from bottega.workers.acting.question import by_child
from bottega.workers.acting.scene import Scene
from bottega.workers.acting.under_way import UnderWay

LOOK = 2.0
"""Seconds for which it is believed that a limit far away is still far away."""


_WIDE = 4
"""So many times what the calls under way may use, and a limit is not believed to be far away."""


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
        self._person = exchange.session.owner
        self._calls = exchange.hands.calls_under_way
        self._parent: Limiting | None = None
        self._children: set[Limiting] = set()
        self._deciding = asyncio.Lock()
        self._last, self._mine = Used(), Spent()
        self._look_at = 0.0
        self._is_away = False
        """Another Bottega answers, and its next model call counts as under way."""
        self._under_way = 0
        """Model calls of this exchange and of all beneath it."""
        self._largest = Spent()
        """The most that one of them has used so far."""
        self._unsaid = Spent()
        """What of it is only estimated, and stands in no fact: of calls that were cancelled or cut."""
        self._news = asyncio.Event()
        """Set once one of them has ended, and replaced by another."""

    def hand_to(self, child: "Limiting") -> None:
        """What the child uses counts here too, from now on, and here it is limited too."""
        child._parent = self
        self._children.add(child)

    def resulted(self, tool_id: str) -> None:
        """The result of a call is noted, and with it what its child used."""
        for child in [each for each in self._children if each._carries_out(tool_id)]:
            self._children.discard(child)
            self._unsaid = _sum(self._unsaid, child._unsaid)

    def _carries_out(self, tool_id: str) -> bool:
        return self._exchange.session.parent_call.split("/", 2)[-1] == tool_id

    async def begin(self, about: Used) -> UnderWay:
        """Return when a model call that may use so much can be made; it is under way until `ended`.

        Raises `LimitReached` where it cannot. How often the exchange asks its model is judged by `over` alone.
        """
        await self._admit(None, about)
        self._enter()
        return self._calls.add(self._person, about)

    def ended(self, call: UnderWay, used: Used, unsaid: Used, stored: Awaitable[None]) -> None:
        """A model call has ended, and used this much, some of which no fact says; it counts until that is stored."""
        for each in [self, *self._above()]:
            known = each._largest
            each._largest = Spent(
                tokens=max(known.tokens, used.tokens), cost=max(known.cost, used.cost)
            )
        self._unsaid = _sum(self._unsaid, Spent(tokens=unsaid.tokens, cost=unsaid.cost))
        self._calls.discard_after(self._person, call, stored)
        self._leave()

    def grown(self, call: UnderWay, so_far: Used) -> LimitReached | None:
        """A guest's call has used so much by now: why it ends, if that and all else they use passes their limit."""
        call.grow(so_far)
        top = self._levels[0]
        if top._window_limits == NO_LIMITS:
            return None
        more = self._calls.so_far(self._person)
        if top._is_near(_both(top._used(), more)):
            top._look_at = 0.0
        used = _both(top._used(), more)
        found = reached(top._window_limits, Spent(tokens=used.tokens, cost=used.cost))
        if found is None:
            return None
        found = msgspec.structs.replace(found, window=top._window.words)
        return self._refusal(found, above=top is not self)

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
            tokens=mine.tokens + self._unsaid.tokens + sum(each.tokens for each in theirs),
            cost=mine.cost + self._unsaid.cost + sum(each.cost for each in theirs),
        )

    def used(self) -> dict[str, tuple[float, float]]:
        """What is used, and how much may be, of every limit there is."""
        spent = self.spent()
        names = ("iterations", "tokens", "cost", "seconds")
        limited = {name: getattr(self._limits, name) for name in names}
        return {name: (getattr(spent, name), most) for name, most in limited.items() if most}

    async def over(self, repeats: int) -> Ended | None:
        """The end, if a limit is reached, here or above, and nobody raises it; else the next step may begin."""
        self.come_back()
        try:
            if self._exchange.plan.elsewhere:
                await self._admit(repeats, Used())
                self._is_away = True
                self._enter()
            else:
                await self._judge(repeats, Used())
        except LimitReached as found:
            return await self._told(found)
        return None

    async def _admit(self, repeats: int | None, about: Used) -> None:
        """Return when there is room for one more call beside those that are under way."""
        top = self._levels[0]
        while True:
            await self._judge(repeats, about)
            crowded = next((each for each in self._levels if each._is_crowded()), None)
            if crowded is not None:
                await crowded._news.wait()
            elif top._is_window_crowded(about):
                await self._calls.wait(self._person)
                top._look_at = 0.0
            else:
                return

    async def _judge(self, repeats: int | None, about: Used) -> None:
        self._levels[0]._look_again(about)
        for each in self._levels:
            if found := await each._reached(repeats, asker=self):
                raise self._refusal(found, above=each is not self)

    @property
    def _levels(self) -> "list[Limiting]":
        """All whose limits count here, from the top down."""
        return [*reversed(self._above()), self]

    def _is_crowded(self) -> bool:
        """So little is left that the calls under way may use it up: who comes now waits for one of them to end."""
        spent, calls = self.spent(), self._under_way
        return calls > 0 and any(
            limit is not None and limit - getattr(spent, name) < (calls + 1) * largest
            for name, limit, largest in (
                ("tokens", self._limits.tokens, self._largest.tokens),
                ("cost", self._limits.cost, self._largest.cost),
            )
        )

    def _look_again(self, about: Used) -> None:
        """Where the calls under way may come near the limit on all exchanges, what was used is looked up anew."""
        if self._window_limits != NO_LIMITS and self._is_window_crowded(about, _WIDE):
            self._look_at = 0.0

    def _is_window_crowded(self, about: Used, times: int = 1) -> bool:
        """As above, of the limit on all exchanges of this person, and of all calls that are under way for them.

        Each counts as what it is estimated to use, or as the largest one was, whichever is more.
        """
        limits, calls = self._window_limits, self._calls.about(self._person)
        if limits == NO_LIMITS or (not calls and times == 1):
            return False  # who is alone goes on as far as the limit itself
        used, largest = self._used(), self._calls.largest(self._person, self._largest_known)
        tokens = sum(max(each.tokens, largest.tokens) for each in (*calls, about))
        cost = sum(max(each.cost, largest.cost) for each in (*calls, about))
        return any(
            limit is not None and limit - spent < times * more
            for limit, spent, more in (
                (limits.tokens, used.tokens, tokens),
                (limits.cost, used.cost, cost),
            )
        )

    def _largest_known(self) -> Used:
        return ledger.largest(self._database, self._window.hours, self._person)

    def _is_near(self, used: Used) -> bool:
        spent = Spent(tokens=used.tokens, cost=used.cost)
        return reached(halved(self._window_limits), spent) is not None

    def come_back(self) -> None:
        """Of what another Bottega answers, no model call is under way any more."""
        if self._is_away:
            self._is_away = False
            self._leave()

    def _enter(self) -> None:
        for each in self._levels:
            each._under_way += 1

    def _leave(self) -> None:
        for each in self._levels:
            each._under_way -= 1
            each._news.set()
            each._news = asyncio.Event()

    def _above(self) -> "list[Limiting]":
        return [self._parent, *self._parent._above()] if self._parent else []

    async def _reached(self, repeats: int | None, asker: "Limiting") -> Reached | None:
        """What is reached and was not raised; children may come to it at the same time, and it is asked once."""
        if not self._found(repeats, asker):
            return None
        asking = self._exchange.asking
        # A child's work is its parent's call, which is counted already: it rests while it waits for its turn.
        with asking.resting() if asker._exchange.parent else nullcontext():
            await self._deciding.acquire()
        try:
            while found := self._found(repeats, asker):
                if not self._attended or (found.window and self._person != HOST):
                    return found  # the limit on all exchanges is the owner's to raise
                await self._raise(found, asker)
        finally:
            self._deciding.release()
        return None

    def _found(self, repeats: int | None, asker: "Limiting") -> Reached | None:
        limits = self._limits
        if asker is not self or repeats is None:
            # How often a parent calls its model is no matter of its children.
            limits = msgspec.structs.replace(limits, iterations=None, repeats=None)
        return reached(limits, self.spent(repeats or 0)) or self._in_window()

    def _in_window(self) -> Reached | None:
        if self._parent or self._window_limits == NO_LIMITS:
            return None  # it is looked at once, at the top
        used = self._used()
        found = reached(self._window_limits, Spent(tokens=used.tokens, cost=used.cost))
        return found and msgspec.structs.replace(found, window=self._window.words)

    def _used(self) -> Used:
        """What all exchanges used: what others did is looked up every few seconds only, far from a limit."""
        clock, mine = time.monotonic(), self.spent()
        used = Used(
            tokens=self._last.tokens + mine.tokens - self._mine.tokens,
            cost=self._last.cost + mine.cost - self._mine.cost,
        )
        if not self._is_near(used) and clock < self._look_at:
            return used
        self._last = ledger.in_last(self._database, self._window.hours, self._person)
        self._mine = mine
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
        """The end, where time was up in the middle of a step: here, or above."""
        late = next((each for each in (self, *self._above()) if each.is_late), self)
        limit = late._limits.seconds or 0
        found = Reached("seconds", limit, limit)
        return await self._told(self._refusal(found, above=late is not self))

    @property
    def is_late(self) -> bool:
        limit = self._limits.seconds
        return limit is not None and self.spent().seconds >= limit

    async def _told(self, found: LimitReached) -> Ended:
        said = facts.ErrorMessage(found.message, found.code, hint=found.hint)
        await self._exchange.record(said)
        return LIMITED

    def _refusal(self, found: Reached, *, above: bool) -> LimitReached:
        hint = "Say “go on” to continue from here, or raise the limit."
        if found.window and self._person != HOST:
            hint = (
                "Wait until less was used in that time, or ask the owner of this Bottega for more."
            )
        name = self._exchange.plan.model.name
        if found.name == "cost" and self._exchange.plan.model.is_assumed():
            hint += (
                f" Nobody knows the price of {name}, and that of a dear model is assumed:"
                f' the owner sets [models."{name}"] input_usd and output_usd.'
            )
        if above:
            hint = "It is the limit of the session that handed this task on."
        return LimitReached(found, hint)

    async def _raise(self, found: Reached, asker: "Limiting") -> None:
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
        answered = await (waiting if asker._exchange.parent else asking.at_work(waiting))
        chosen = msgspec.structs.replace(limits, **{found.name: answered.asked.detail["to"]})
        if found.window:
            self._window_limits = chosen
        else:
            self._limits = chosen


def _both(one: Used, other: Used) -> Used:
    return Used(tokens=one.tokens + other.tokens, cost=one.cost + other.cost)


def _sum(one: Spent, other: Spent) -> Spent:
    return Spent(tokens=one.tokens + other.tokens, cost=one.cost + other.cost)
