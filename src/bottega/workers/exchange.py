"""One exchange's world: its facts go into the log, and into the track that knows how far it has come."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import Conflict, Problem, Refused
from bottega.events import facts
from bottega.events.event import Actor, Event
from bottega.events.facts import NAMES
from bottega.failpoint import failpoint
from bottega.messages.block import ToolUse
from bottega.messages.message import Message
from bottega.sessions import inbox
from bottega.sessions.attach import Attachments, load
from bottega.sessions.pen import Also, Pen
from bottega.sessions.session import now
from bottega.tools.call import call
from bottega.tools.context import Question, Todo
from bottega.tools.registry import Registry
from bottega.tools.schedule import run_all
from bottega.tools.tool import Effect, Outcome, Tool, failure
from bottega.workers.track import Track
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.sandbox import Sandbox

_ACTORS: dict[type[Any], Actor] = {
    facts.UserMessage: "user",
    facts.TextDelta: "provider",
    facts.ReasoningDelta: "provider",
    facts.InputJsonDelta: "provider",
    facts.AssistantMessage: "provider",
    facts.ToolIntent: "agent",
    facts.ToolOutputDelta: "tool",
    facts.ToolResultFact: "tool",
}


class Exchange:
    """Implements `agents.loop.World` on a pen."""

    def __init__(
        self, pen: Pen, message_id: str, registry: Registry, folder: str, attachments: Attachments
    ) -> None:
        self.pen = pen
        self.track = Track()
        self.message_id = message_id
        self.registry = registry
        self.spoken_to = False
        """A prompt came in since the last look: it may be a steer."""
        self.released = False
        """The lease went with the end of this exchange."""
        self._folder = folder
        self._attachments = attachments
        self._step = 0
        self._attempt = 0
        self._before: tuple[int, int] = (0, 0)
        """The step and attempt that a crash broke off."""

    def event(self, payload: msgspec.Struct) -> Event:
        kind = type(payload)
        actor = _ACTORS.get(kind, "system")
        event = Event(
            NAMES[kind], now(), payload, self.message_id, self._step, self._attempt, actor
        )
        self.track.note(event)
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
        self._step = step
        self._attempt = attempt + (broken_attempt if step == broken_step else 0)

    def go_on(self, track: Track) -> None:
        """Take up an exchange that another process left."""
        self.track = track
        self._before = (self._step, self._attempt) = (track.step, track.attempt)

    def load(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        read = partial(self._attachments.read, self.pen.lease.n)
        return tuple(load(messages, read))

    async def steers(self) -> list[Message]:
        if not self.spoken_to:
            return []
        self.spoken_to = False
        n = self.pen.lease.n
        told: list[Message] = []
        for prompt in self._attachments.database.read_now(lambda c: inbox.steers(c, n)):
            said = facts.UserMessage(prompt.content, steer=True, prompt_id=prompt.message_id)
            with suppress(Conflict):  # taken back at the last moment
                await self.record(said, partial(inbox.take_up, n=n, message_id=prompt.message_id))
                told.append(Message("user", prompt.content))
        return told

    async def act(self, uses: Sequence[ToolUse]) -> list[facts.ToolResultFact]:
        try:
            root = Root(self._folder)
        except Problem as problem:  # the folder is gone
            outcome = failure(str(problem), problem.code.upper())
            return [await self._answer(use, outcome) for use in uses]
        with root:
            calls = [(use, self._effects(use)) for use in uses]
            return await run_all(calls, partial(self._run, root))

    def _effects(self, use: ToolUse) -> frozenset[Effect]:
        tool = self.registry.find(use.name)
        return tool.effects if tool else frozenset()

    async def _run(self, root: Root, use: ToolUse) -> facts.ToolResultFact:
        began = time.monotonic()

        async def intend(tool: Tool) -> None:
            await self.record(
                facts.ToolIntent(use.id, use.name, digest(use), tuple(sorted(tool.effects)))
            )
            failpoint("tool.after_intent")

        kept: list[str] = []

        async def keep(text: str) -> str:
            kept.append(await self._attachments.keep(self.pen.lease.n, text.encode()))
            return "The whole output is kept with this session."

        tool = self.registry.find(use.name)
        context = _Context(root, use.id, self, tool.settings if tool else {})
        outcome = await call(use, self.registry, context, intend, keep)
        failpoint("tool.after_effect")
        took = round((time.monotonic() - began) * 1000)
        return await self._answer(use, outcome, took, kept[0] if kept else "")

    async def _answer(
        self, use: ToolUse, outcome: Outcome, took: int = 0, blob: str = ""
    ) -> facts.ToolResultFact:
        failed = outcome.status == "error"
        result = facts.ToolResultFact(
            use.id, use.name, outcome.to_content(), failed, duration_ms=took, blob=blob
        )
        await self.record(result)
        return result


class _Context:
    """What one call of a tool may use."""

    def __init__(
        self, root: Root, call_id: str, exchange: Exchange, settings: Mapping[str, Any]
    ) -> None:
        self.root = root
        self.settings = settings
        self.call_id = call_id
        self._exchange = exchange

    def emit_output(self, text: str) -> None:
        self._exchange.emit(facts.ToolOutputDelta(self.call_id, text))

    session_id = ""
    judged: Touch | None = None

    def saw(self, path: str, digest: str) -> None: ...

    def seen(self, path: str) -> str:
        return ""

    def recall(self, path: str) -> bytes | None:
        return None

    async def sandbox(self, *, network: bool = False) -> Sandbox:
        raise Refused("Commands cannot run here.")

    async def ask(self, question: Question) -> str:
        raise Refused("Nobody can be asked.")

    async def todos(self) -> tuple[Todo, ...]:
        return ()

    async def set_todos(self, todos: tuple[Todo, ...]) -> None: ...

    async def complete(self, instructions: str, text: str) -> str:
        raise Refused("No model can be asked.")


def digest(use: ToolUse) -> str:
    """The hash that binds an intent to exactly this call."""
    body = msgspec.json.encode([use.name, use.id, use.input], order="sorted")
    return hashlib.sha256(body).hexdigest()
