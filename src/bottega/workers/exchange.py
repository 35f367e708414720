"""One exchange's world: its facts go into the log, and into the track that knows how far it has come."""

import asyncio
import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from bottega.agents.plan import Plan
from bottega.approvals.mode import Mode
from bottega.errors import Conflict, NotFound, Problem
from bottega.events import facts
from bottega.events.event import Actor, Event
from bottega.events.facts import NAMES
from bottega.ids import fresh
from bottega.messages.block import ToolUse
from bottega.messages.message import Message
from bottega.sessions import asks, inbox
from bottega.sessions.attach import Attachments, load
from bottega.sessions.pen import Also, Pen
from bottega.sessions.session import SessionRow, now
from bottega.tools.tool import Outcome, failure
from bottega.workers.acting.asking import Asking
from bottega.workers.acting.calls import Calls
from bottega.workers.acting.hands import Hands
from bottega.workers.acting.known import Known
from bottega.workers.acting.noted import NOTHING, Noted
from bottega.workers.acting.sandboxes import RunSandboxes
from bottega.workers.telling import Telling
from bottega.workers.told import Told
from bottega.workers.track import Track
from bottega.workspaces.changes.kept import blobs_of, keep
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.sandbox.sandbox import Sandbox

_ACTORS: dict[type[Any], Actor] = {
    facts.UserMessage: "user",
    facts.TextDelta: "provider",
    facts.ReasoningDelta: "provider",
    facts.InputJsonDelta: "provider",
    facts.AssistantMessage: "provider",
    facts.ToolIntent: "agent",
    facts.ApprovalRequired: "agent",
    facts.TodosChanged: "agent",
    facts.ToolOutputDelta: "tool",
    facts.ToolResultFact: "tool",
}


class Exchange:
    """Implements `agents.loop.World` on a pen."""

    plan: Plan
    """What it runs with; set before its first step."""

    def __init__(
        self,
        pen: Pen,
        message_id: str,
        session: SessionRow,
        hands: Hands,
        attachments: Attachments,
        known: Known | None = None,
        told: Told | None = None,
    ) -> None:
        self.pen = pen
        self.track = Track()
        self.message_id = message_id
        self.session = session
        self.hands = hands
        self.known = known or hands.known(session.n)
        self.told = told or hands.told(session.n)
        self.asking = Asking(
            hands.asks, self.record, session.n, message_id, patience=hands.patience
        )
        self.fence = hands.fence(session, pen.lease.generation)
        self.store = attachments.blobs
        self.released = False
        """The lease went with the end of this exchange."""
        self.leaving = False
        """This process ends: what only waits for an answer is left to the next one."""
        self.step = 0
        self._sandboxes = RunSandboxes(hands.sandboxes, session.folder)
        self._attachments = attachments
        self.telling = Telling(self)
        self._attempt = 0
        self._before: tuple[int, int] = (0, 0)
        """The step and attempt that a crash broke off."""

    def event(self, payload: msgspec.Struct) -> Event:
        kind = type(payload)
        actor = _ACTORS.get(kind, "system")
        event = Event(NAMES[kind], now(), payload, self.message_id, self.step, self._attempt, actor)
        self.track.note(event)
        self.told.note(event)
        return event

    def emit(self, payload: msgspec.Struct) -> None:
        self.pen.emit(self.event(payload))

    async def record(self, payload: msgspec.Struct, also: Also | None = None) -> None:
        await self.pen.record(self.event(payload), also=also)

    async def room(self) -> None:
        if self.pen.is_full:
            await self.pen.room()

    def count(self, step: int, attempt: int) -> None:
        broken_step, broken_attempt = self._before
        self.step = step
        self._attempt = attempt + (broken_attempt if step == broken_step else 0)

    def go_on(self, track: Track) -> None:
        """Take up an exchange that another process left."""
        self.track = track
        self._before = (self.step, self._attempt) = (track.step, track.attempt)

    def load(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        read = partial(self._attachments.read, self.session.n)
        return tuple(load(messages, read))

    async def steers(self) -> list[Message]:
        n = self.session.n
        told: list[Message] = []
        for prompt in self._attachments.database.read_now(lambda c: inbox.steers(c, n)):
            said = facts.UserMessage(prompt.content, steer=True, prompt_id=prompt.message_id)
            with suppress(Conflict):  # taken back at the last moment
                await self.record(said, partial(inbox.take_up, n=n, message_id=prompt.message_id))
                told.append(Message("user", prompt.content))
        return told

    async def tell(self, history: list[Message], mode: Mode) -> None:
        await self.telling.tell(history, mode)

    def system(self, *, text_mode: bool, form: str = "", needs: str = "") -> str:
        return self.telling.system(text_mode=text_mode, form=form, needs=needs)

    def mode(self) -> Mode:
        return self.hands.mode(self.session)

    async def act(self, uses: Sequence[ToolUse], mode: Mode) -> list[facts.ToolResultFact]:
        try:
            root = Root(self.session.folder)
        except Problem as problem:  # the folder is gone
            outcome = failure(str(problem), problem.code.upper())
            return [await self.answer(use, outcome) for use in uses]
        with root:
            return await Calls(self, root, mode).run(uses)

    async def offer(self, plan: str) -> None:
        digest = hashlib.sha256(plan.encode("utf-8", "surrogateescape")).hexdigest()
        asked = facts.ApprovalRequired(
            fresh("ask"),
            "plan",
            hash=digest,
            question="Carry out this plan?",
            choices=("accept", "discard"),
        )
        await self.record(
            asked, lambda c: asks.insert(c, self.session.n, self.message_id, asked, {"plan": plan})
        )

    async def kept(self, change: Change) -> tuple[facts.FileChange, ...]:
        """Keep the old and the new bytes of a change, durably, so that it can be told and undone."""
        return await asyncio.to_thread(keep, change, self.store)

    async def intend(self, intent: facts.ToolIntent) -> None:
        """The intent is durable on return, and with it the right to read what it names."""
        event = self.event(intent)
        self.known.note(event)
        await self.pen.record(event, also=self._attached(intent.writes))

    async def answer(
        self, use: ToolUse, outcome: Outcome, noted: Noted = NOTHING
    ) -> facts.ToolResultFact:
        result = facts.ToolResultFact(
            use.id,
            use.name,
            outcome.to_content(),
            outcome.status == "error",
            noted.duration_ms,
            noted.blob,
            noted.seen,
            noted.writes,
            noted.usage,
            noted.cost,
        )
        event = self.event(result)
        self.known.note(event)
        await self.pen.record(event, also=self._attached(noted.writes))
        return result

    def _attached(self, writes: tuple[facts.FileChange, ...]) -> Also | None:
        names = blobs_of(writes)
        if not names:
            return None

        def attach(connection: sqlite3.Connection) -> None:
            self._attachments.add(connection, self.session.n, names)

        return attach

    async def keep(self, content: bytes) -> str:
        return await self._attachments.keep(self.session.n, content)

    def held(self, path: str) -> bytes | None:
        """What the log last held of a file."""
        name = self.known.held.get(path)
        if not name:
            return None
        with suppress(NotFound):
            return self._attachments.read(self.session.n, name)
        return None

    async def sandbox(self, *, network: bool) -> Sandbox:
        return await self._sandboxes.get(network=network)

    async def close(self) -> None:
        """Nothing that was started in this run goes on."""
        await self._sandboxes.close()
