"""Keeping a session within its model's window: noticing that it is full, at no cost, and then writing a compaction.

A compaction is one fact, durable or not there at all; what the model sees after it is replayed from the log, so that
whoever goes on after a crash sees the same.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from bottega.agents.context import compact, summary
from bottega.agents.context.compact import Aim, Draft
from bottega.agents.context.estimate import tokens
from bottega.agents.context.measure import Gauge, at_most, tool_tokens
from bottega.agents.plan import Plan
from bottega.agents.world import Reason
from bottega.errors import Problem
from bottega.events import facts
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.failpoint import failpoint
from bottega.messages.block import Text, plain_text
from bottega.messages.message import Message, Usage
from bottega.providers.provider import Failed, Finished, Request, StreamEvent
from bottega.sessions.feed import Row
from bottega.sessions.pen import Pen
from bottega.sessions.session import SessionRow
from bottega.sessions.told.history import Told, indexed, replay
from bottega.workers.acting.hands import Hands
from bottega.workers.acting.known import Known
from bottega.workers.counting import (
    ANSWER,
    ASSUMED,
    OTHERWISE,
    before_messages,
    guessed,
    window_of,
)
from bottega.workers.told import Told as ToldAside

NEAR = 48_000
"""Tokens below which an unknown window is not asked for: reading the list of models would hold up the request."""
AFTER_UNDO = 95
"""Percent at which a session is compacted by itself whose last compaction was undone."""
AGAIN = 5
"""Percent of the window by which a history must have grown in which there was nothing to drop."""
SUMMARY = 4_000
"""The most tokens of a summary."""
THINKING = 4_000
"""Tokens that the summary's writer may think besides."""


class ContextFull(Problem):
    """Nothing more can be taken out of what the model sees."""

    code = "context_full"


class Written(msgspec.Struct, frozen=True):
    """A summary, and what it took."""

    text: str = ""
    usage: Usage = Usage()
    cost: int | None = 0


class Scene(Protocol):
    """What is needed of the exchange."""

    pen: Pen
    session: SessionRow
    hands: Hands
    known: Known
    told: ToldAside
    plan: Plan

    async def record(self, payload: msgspec.Struct) -> None: ...

    def calling(
        self, request: Request
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]: ...


class Room:
    """What one exchange knows of how full its model's window is."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._gauge = Gauge()
        self._begun = False
        self.share = 0.0
        """How much of the window the next request fills, as far as it was looked at."""
        self._in_vain = 0
        """Tokens with which there was nothing to drop: it is not tried again until there are many more."""
        self.wanted = False
        """Somebody asked for a compaction while the exchange runs."""
        self.stale = False
        """A compaction was undone: what the exchange has in hand is no longer what the log says."""

    def note(self, event: Event) -> None:
        """Take one fact of the exchange: an answer says how much the provider counted."""
        if isinstance(event.data, facts.AssistantMessage):
            self._begun = True
            self._gauge.answered(event.data.usage)

    async def make(self, history: list[Message], reason: Reason) -> bool:
        """Make the history smaller if it has to be; True if it is another one now."""
        fresh = self.stale
        if self.stale:
            self.stale = False
            history[:] = await self._replayed()
            self._gauge.counted = None
        if self.wanted:
            self.wanted, reason = False, "asked"
        if reason == "full" and not await self._is_full(history):
            return fresh
        if reason == "overflow" and not self._scene.hands.compact_at:
            return fresh
        return await self.compact(history, reason) or fresh

    async def _is_full(self, history: Sequence[Message]) -> bool:
        limit = self._scene.hands.compact_at
        if not limit:
            return False
        if not self._begun:
            self._begin()
        window = self._scene.plan.model.window()
        if self._gauge.counted is None and at_most(history) < (window or NEAR) * limit / 100:
            return False
        if self._gauge.counted is None:
            total = await self._guessed(history, window or NEAR)
        else:
            total = self._gauge.total(history)
        if window is None:
            if total < NEAR:
                return False
            window = await self._window()
        self.share = total / window
        least = window * limit / 100
        if self._in_vain:
            least = max(least, self._in_vain + window * AGAIN / 100)
        if total < least:
            return False
        return total >= window * AFTER_UNDO / 100 or not self._was_undone()

    async def _guessed(self, history: Sequence[Message], window: int) -> int:
        """The same where no provider has counted what is seen now; its older counts make the guess better."""
        fixed = self._fixed()
        total = await asyncio.to_thread(self._gauge.total, tuple(history), fixed)
        if total < window / 4 or self._gauge.factor != 1.0:
            return total
        rows = await self._scene.hands.log.facts(self._scene.session.n)
        found = await asyncio.to_thread(lambda: guessed(rows, indexed(rows), fixed))
        self._gauge.factor = found.factor
        return found.total

    def _was_undone(self) -> bool:
        """Whether the last word on compactions is that somebody did not want one."""
        rows = self._scene.hands.newest(self._scene.session.n, b'{"type":"compaction')
        return bool(rows) and rows[0][1].startswith(b'{"type":"compaction_undone"')

    def _begin(self) -> None:
        """What the newest facts say of how full it is: an answer's count, unless it was of another history."""
        self._begun = True
        for index, body in self._scene.hands.newest(self._scene.session.n, b"", 50):
            if body.startswith(OTHERWISE):
                return
            if body.startswith(ANSWER) and (answer := decode(index, body).data).usage.input_tokens:
                self._gauge.answered(answer.usage)
                return

    async def _window(self) -> int:
        return await window_of(self._scene.plan.model) or ASSUMED

    def _fixed(self) -> float:
        """The guess of what comes before messages."""
        system, tools = before_messages(self._scene.plan, self._scene.told.opening)
        return tokens(system) + tool_tokens(tools)

    async def compact(self, history: list[Message], reason: Reason) -> bool:
        """Write a compaction and have the history follow it; False if there is nothing to drop."""
        await self._scene.pen.record()  # all that was said so far is in the log
        rows = await self._scene.hands.log.facts(self._scene.session.n)
        told = await asyncio.to_thread(indexed, rows)
        aim = await self._aim(rows, told, reason)
        draft = await asyncio.to_thread(compact.draft, told, aim)  # a long one takes a while
        if draft is None:
            name = self._scene.plan.model.name
            await asyncio.to_thread(_refuse_if_too_long, told, aim, name)
            self._in_vain = await asyncio.to_thread(self._gauge.total, tuple(history), aim.fixed)
            return False
        written = await self._written(draft, aim) if draft.upto else Written()
        after = draft.left + round(tokens(written.text) * aim.factor)
        failpoint("compacting.before_fact")
        await self._scene.record(
            facts.Compaction(
                draft.upto,
                written.text,
                verbatim=True,
                cut=draft.cut,
                reason=reason,
                before=draft.before,
                after=after,
                dropped=draft.dropped,
                usage=written.usage,
                cost=written.cost,
            )
        )
        self._in_vain = 0
        failpoint("compacting.after_fact")
        history[:] = await self._replayed()
        self._gauge.counted, self._gauge.factor = None, aim.factor
        if after > aim.window:
            rows = await self._scene.hands.log.facts(self._scene.session.n)
            told = await asyncio.to_thread(indexed, rows)
            _refuse_if_too_long(told, aim, self._scene.plan.model.name)
        return True

    async def _replayed(self) -> list[Message]:
        rows = await self._scene.hands.log.facts(self._scene.session.n)
        return await asyncio.to_thread(replay, rows)

    async def _aim(self, rows: Sequence[Row], told: Sequence[Told], reason: Reason) -> Aim:
        fixed = self._fixed()
        found = await asyncio.to_thread(guessed, rows, told, fixed)
        return Aim(
            window=await self._window(),
            fixed=fixed,
            factor=found.exact if found.known else self._gauge.factor,
            summed=reason == "asked",
            pressed=reason == "overflow",
        )

    async def _written(self, draft: Draft, aim: Aim) -> Written:
        """The summary: the model's own if it is of use, else a digest; with what the log knows by itself."""
        most = max(200, min(SUMMARY, aim.window // 20, draft.room // 2))
        written, why = await self._asked(draft, aim, most)
        text = written.text
        if not why and not summary.is_of_use(text, draft.room, aim.factor):
            why = (
                "the model's was longer than what it stood for"
                if text.strip()
                else "the model's was empty"
            )
        room = min(most, draft.room / 2) / aim.factor
        if why:
            text = await asyncio.to_thread(summary.digest, draft.replaced, why, room)
        scene = self._scene
        todos = [(each.content, each.status) for each in scene.hands.todos(scene.session.n)]
        whole = summary.composed(text, todos, scene.known.held)
        if tokens(whole) * aim.factor >= draft.room:
            whole = summary.composed(summary.clipped(text, round(room * 2)), todos[:20], ())
        return msgspec.structs.replace(written, text=whole)

    async def _asked(self, draft: Draft, aim: Aim, most: int) -> tuple[Written, str]:
        """What the session's model writes, or why it wrote nothing."""
        model = self._scene.plan.model
        if model.provider.name == "guide":
            return Written(), "the guide writes none"
        share = 0.35 if aim.pressed else 0.65
        room = max(500.0, min(aim.window, draft.before) * share - most) / aim.factor
        record = await asyncio.to_thread(summary.shown, draft.replaced, room)
        request = Request(
            model=model.wire_name,
            messages=(Message("user", (Text(record),)),),
            system=summary.instructions(most),
            max_output=max(most, min(most + THINKING, aim.window // 5)),
            abilities=model.abilities,
        )
        async with self._scene.calling(request) as stream:
            async for event in stream:
                if isinstance(event, Finished):
                    cost = event.cost if event.cost is not None else model.price(event)
                    return Written(plain_text(event.content), event.usage, cost), ""
                if isinstance(event, Failed):
                    return Written(), f"the model failed ({event.code})"
        return Written(), "the model said nothing"


def _refuse_if_too_long(told: Sequence[Told], aim: Aim, model: str) -> None:
    """Say it where the user's own words leave no room: they are never cut, so somebody has to decide."""
    words = round(sum(compact.words_of(message) for _, message in told) * aim.factor)
    if words + aim.fixed * aim.factor > aim.window:
        raise ContextFull(
            f"What you said in this session alone is about {words:,} tokens;"
            f" {model} takes {aim.window:,} in all.",
            hint="Begin with an empty context (/reset), choose a model with a larger window,"
            " or put long pasted text into a file and name it.",
        )
