"""One exchange's world: its facts go into the log, and into the track that knows how far it has come."""

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from typing import Any

import msgspec

from bottega.agents.plan import Plan
from bottega.agents.prompt import turn
from bottega.agents.world import Ended, Reason
from bottega.approvals.mode import Mode, narrower
from bottega.errors import Conflict, NotFound, Problem
from bottega.events import facts
from bottega.events.event import Actor, Carried, Event
from bottega.events.facts import NAMES
from bottega.ids import fresh
from bottega.messages.block import ToolUse
from bottega.messages.message import Message
from bottega.providers.provider import Request, StreamEvent
from bottega.sessions import asks, inbox
from bottega.sessions.attach import Attachments, load
from bottega.sessions.pen import Also, Pen
from bottega.sessions.session import SessionRow, now
from bottega.tools.tool import Outcome, failure
from bottega.workers.acting.asking import Asking
from bottega.workers.acting.calls import Calls
from bottega.workers.acting.hands import Hands
from bottega.workers.acting.noted import NOTHING, Noted
from bottega.workers.acting.sandboxes import RunSandboxes
from bottega.workers.children import Children
from bottega.workers.compacting import Room
from bottega.workers.paying.limiting import Limiting
from bottega.workers.paying.metering import Metering
from bottega.workers.recall import Recalled
from bottega.workers.telling import Telling
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
_UNDONE = 10
"""Sentences of what was undone at the end of a run that are told."""
_PLANTED = "Look at what was taken away before you put any of it back."


class Exchange:
    """Implements `agents.loop.World` on a pen."""

    plan: Plan
    """What it runs with; set before its first step, by `equip`."""
    limiting: Limiting
    telling: Telling
    children: Children

    def __init__(
        self,
        pen: Pen,
        message_id: str,
        session: SessionRow,
        hands: Hands,
        attachments: Attachments,
        recalled: Recalled | None = None,
        parent: "Exchange | None" = None,
    ) -> None:
        """`parent` is the exchange one of whose calls this one carries out."""
        self.pen = pen
        self.track = Track()
        self.message_id = message_id
        self.session = session
        self.hands = hands
        self.known, self.told = (
            (recalled.known, recalled.told) if recalled else hands.remembered(session.n)
        )
        self.parent = parent
        self.asking = (
            parent.asking
            if parent
            else Asking(hands.asks, self.record, session.n, message_id, patience=hands.patience)
        )
        self.fence = hands.fence(session, pen.lease.generation)
        self.store = attachments.store(session.owner)
        self.released = False
        """The lease went with the end of this exchange."""
        self.top: Exchange = parent.top if parent else self
        """The exchange at the top of those whose calls this one carries out."""
        self.leaving = False
        """This process ends: what only waits for an answer is left to the next one."""
        self.hands_over = False
        """This process ends, and all of the exchange is left to the next one."""
        self.revoked = False
        """Its project was removed: whoever cancels it says so before."""
        self.last_word: Carried | None = None
        """The end of the exchange as another Bottega told it."""
        self.closing: Ended | None = None
        """How it ends, once that is known: its children end alike."""
        self.step = 0
        self.compacting = Room(self)
        self._sandboxes = RunSandboxes(hands.sandboxes, session.owner)
        self._attachments = attachments
        self._equipped = False
        self._attempt = 0
        self._before: tuple[int, int] = (0, 0)
        """The step and attempt that a crash broke off."""

    def equip(self, plan: Plan) -> None:
        """It is known what the exchange runs with."""
        self.plan = plan
        self.limiting = Limiting(
            self,
            plan.agent.limits,
            self.hands.window,
            self._attachments.database,
            attended=plan.attended,
        )
        self._metering = Metering(self, self.limiting, self._attachments.database)
        self.telling = Telling(self, self.limiting.used)
        self._equipped = True
        if self.parent:
            self.parent.limiting.hand_to(self.limiting)

    @property
    def only_waits(self) -> bool:
        """Nothing is done for it here: somebody is to answer, or another Bottega carries it out."""
        return self.asking.only_waits or (self._equipped and self.plan.elsewhere is not None)

    def event(self, payload: msgspec.Struct) -> Event:
        kind = type(payload)
        actor = _ACTORS.get(kind, "system")
        name = NAMES[kind]
        event = Event(name, now(), payload, self.message_id, self.step, self._attempt, actor)
        self.track.note(event)
        if name not in facts.DELTAS:  # a piece says nothing to the others, and there are many
            self.told.note(event)
            self.compacting.note(event)
        return event

    def emit(self, payload: msgspec.Struct) -> None:
        self.pen.emit(self.event(payload))

    def calling(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        return self._metering.calling(request)

    async def record(self, payload: msgspec.Struct, also: Also | None = None) -> None:
        await self.pen.record(self.event(payload), also=also)

    async def carry(self, told: Sequence[Carried], also: Also) -> None:
        """Put facts of another Bottega's log into ours."""
        for fact in told:
            self.track.note(fact)
            self.step, self._attempt = fact.step, fact.attempt
        await self.pen.record(*told, also=also)

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
        self.children.may_be = True
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

    def system(self) -> str:
        return self.telling.system()

    async def make_room(self, history: list[Message], reason: Reason) -> bool:
        """Before a model call, or after one that was refused for its size: compact the history if it has to be."""
        made = await self.compacting.make(history, reason)
        self.telling.full = self.compacting.share
        return made

    async def compact(self, plan: Plan) -> bool:
        """Compact the session by itself, where nothing runs in it."""
        if plan.elsewhere:
            raise Conflict(
                f"The agent {plan.agent.slug!r} is at {plan.elsewhere.where.address}, and is compacted there."
            )
        # Nobody waits here for a question about a limit: it is refused.
        self.equip(msgspec.structs.replace(plan, attended=False))
        return await self.make_room([], "asked")

    def mode(self) -> Mode:
        """The session's, but never more than the agent's own."""
        return narrower(self.hands.mode(self.session), self.plan.agent.mode)

    def forgo_tools(self) -> Plan:
        self.plan.model.forgo_tools()
        abilities = msgspec.structs.replace(self.plan.model.abilities, tools=False)
        model = msgspec.structs.replace(self.plan.model, abilities=abilities)
        self.plan = msgspec.structs.replace(self.plan, model=model)
        return self.plan

    def remark(self, history: list[Message], text: str) -> None:
        words = facts.Aside(after=text)
        self.emit(words)
        turn.told(history, words)

    async def over(self, repeats: int) -> Ended | None:
        return await self.limiting.over(repeats)

    def seconds_left(self) -> float | None:
        return self.limiting.seconds_left()

    @property
    def is_late(self) -> bool:
        return self.limiting.seconds_left() == 0

    async def out_of_time(self) -> Ended:
        return await self.limiting.out_of_time()

    async def act(self, uses: Sequence[ToolUse], mode: Mode) -> list[facts.ToolResultFact]:
        try:
            root = await self.hands.folders.opened(self.session)
        except Problem as problem:  # the folder is gone, or its project was removed
            outcome = failure(str(problem), problem.code.upper())
            return [await self.answer(use, outcome) for use in uses]
        with root, self.asking.resting() if self.parent else nullcontext():
            return await Calls(self, root, mode).run(uses)

    async def offer(self, plan: str) -> None:
        if self.parent:  # it is the parent's to make something of
            return
        waiting = self.hands.asks.open(self.session.n)
        if any(ask.kind == "plan" and ask.message_id == self.message_id for ask in waiting):
            return  # it was offered before a crash
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
        if self._equipped:
            self.limiting.resulted(use.id)
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
        return await self._attachments.keep(self.session.n, content, self.session.owner)

    def held(self, path: str) -> bytes | None:
        """What the log last held of a file."""
        name = self.known.held.get(path)
        if not name:
            return None
        with suppress(NotFound):
            return self._attachments.read(self.session.n, name)
        return None

    async def sandbox(self, root: Root, *, network: bool) -> Sandbox:
        return await self._sandboxes.get(root, network=network)

    async def recover(self) -> None:
        """Undo what programs of a dead process planted for git where this session works, and tell it."""
        with suppress(Problem, OSError):  # a folder that is gone is told by whoever needs it
            with await self.hands.folders.opened(self.session) as root:
                folder = root.path
            self._tell_undone(await self.hands.sandboxes.recover_left(folder))

    async def close(self) -> None:
        """Nothing that was started in this run goes on, and nothing that it planted for git stays."""
        self._tell_undone(await self._sandboxes.close())

    def _tell_undone(self, undone: Sequence[str]) -> None:
        if undone and not self.pen.failure:
            self.emit(facts.ErrorMessage(" ".join(undone[:_UNDONE]), "planted", hint=_PLANTED))

    async def leave(self, ended: Ended) -> dict[str, facts.ExchangeResponse]:
        """Nothing that was asked here, or handed on, matters any more: how the children of open calls ended.

        What was used stands in a result from now on.
        """
        self.closing = ended
        await self.asking.close(self.session.id if self.parent else "")
        ends = await self.children.stop()
        if self._equipped:
            self.limiting.come_back()
        return ends
