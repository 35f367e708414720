"""A session, as a Python programmer holds it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack, aclosing
from typing import Any, Literal

import msgspec

from bottega.agents.output import checked
from bottega.approvals.mode import Mode, checked_mode, narrower
from bottega.errors import BadUsage, NotFound, Problem
from bottega.events import fold
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.messages.block import Block
from bottega.messages.message import Message
from bottega.providers.provider import Wishes
from bottega.sessions import attach, clients, plans, turning
from bottega.sessions.asks import Ask, Reply, Word
from bottega.sessions.changes.work import Work
from bottega.sessions.clients import ClientTool
from bottega.sessions.feed import Row
from bottega.sessions.inbox import AT_HOME, Admission, Prompt, Speaker
from bottega.sessions.session import SessionRow
from bottega.sessions.told import views
from bottega.sessions.told.history import replay
from bottega.studio import reacting
from bottega.studio.answer import Answer
from bottega.studio.answering import Callback, Callbacks
from bottega.studio.context import Context, context_of
from bottega.studio.opened import Opened
from bottega.studio.said import said
from bottega.studio.structured import Shape, Structured, schema_of
from bottega.studio.worked import Undone, Worked
from bottega.workspaces.outputs.drain import unbroken

NO_WISHES = Wishes()


class Session:
    def __init__(self, opened: Opened, row: SessionRow) -> None:
        self._opened = opened
        self.row = row
        self._reactors: set[asyncio.Task[None]] = set()

    @property
    def id(self) -> str:
        return self.row.id

    def prompt(  # noqa: PLR0913 - each is a word of its own
        self,
        content: str | tuple[Block, ...],
        *,
        model: str = "",
        agent: str = "",
        wishes: Wishes = NO_WISHES,
        message_id: str = "",
        on_chunk: Callback | None = None,
        on_additional_message: Callback | None = None,
        on_complete: Callback | None = None,
        on_approval: Callback | None = None,
        wait: bool | None = None,
        schema: Shape | None = None,
    ) -> Answer:
        """Admit a prompt and follow its exchange: iterate over the events, or await the `ExchangeResponse`.

        With a `schema`, a JSON schema or a type, awaiting gives a value that fits it instead, or raises.

        `on_approval` is given each `Ask` and returns a `Reply`, or None: then somebody else answers. With `wait`, which
        is so where there is an `on_approval`, an ask that is open is waited for; else iterating ends there.

        `model` and `agent` are for this prompt alone.

        The same `message_id` with the same content is the same prompt: it runs once, and is followed again.
        """
        blocks = said(content)
        if agent:
            self._opened.runtime.agent(agent, self.row.owner)
        callbacks = Callbacks(on_chunk, on_additional_message, on_complete, on_approval)
        waits = wait if wait is not None else on_approval is not None
        prompt = Prompt(
            message_id or fresh_message(), blocks, model, agent, wishes=wishes, attended=waits
        )
        if schema is None:
            return Answer(self._opened, self.row, prompt, callbacks, wait=waits)
        doer = self._opened.runtime.agent(agent or self.row.agent, self.row.owner)
        prompt = msgspec.structs.replace(prompt, schema=checked(schema_of(schema), doer))
        answer = Structured(self._opened, self.row, prompt, callbacks, wait=waits)
        answer.shape = schema
        return answer

    async def admit(
        self,
        prompt: Prompt,
        mode: Mode | Literal[""] = "",
        speaker: Speaker = AT_HOME,
    ) -> Admission:
        """Store a prompt and return: it runs whether or not anybody follows.

        With a mode, the session changes to it.
        """
        blocks = said(prompt.content)
        if prompt.agent:
            self._opened.runtime.agent(prompt.agent, self.row.owner)
        if prompt.model:
            self._opened.runtime.model(prompt.model)
        admission, _ = await self._opened.admit(
            self.row, msgspec.structs.replace(prompt, content=blocks), mode, speaker
        )
        return admission

    async def edit(self, message_id: str, content: str | tuple[Block, ...]) -> None:
        """Change what a prompt says that still waits."""
        runtime = self._opened.runtime
        blocks, names = await asyncio.to_thread(
            attach.keep, said(content), runtime.attachments.store(self.row.owner)
        )
        await runtime.per_person.admit(self.row.owner, blocks)
        await runtime.inbox.edit(self.row, message_id, blocks, names)

    def resume(self, *, on_approval: Callback | None = None, wait: bool = False) -> Answer | None:
        """Follow the exchange that is under way, or waits for an answer; None if none is."""
        message_id = self._opened.runtime.inbox.unfinished(self.row)
        if message_id is None:
            return None
        callbacks = Callbacks(on_approval=on_approval)
        return Answer(self._opened, self.row, message_id, callbacks, wait=wait)

    @property
    def mode(self) -> Mode:
        """How much is done unasked, from the next step on: no more than its agent may."""
        chosen = self._opened.hands.mode(self.row)
        try:
            return narrower(chosen, self._opened.runtime.most(self.row).mode)
        except Problem:  # an agent that is gone does nothing at all
            return chosen

    async def change_mode(self, mode: Mode) -> None:
        await self._opened.runtime.inbox.change_mode(self.row, checked_mode(mode))

    def children(self) -> "list[Session]":
        """The sessions that this one's agent handed tasks to, the oldest first."""
        rows = self._opened.runtime.sessions.children(self.row.n)
        return [Session(self._opened, row) for row in rows]

    def asks(self) -> list[Ask]:
        """What waits for an answer, here or in a child: what a child asks is asked in the session at the top."""
        return self._opened.runtime.asks.open(self.row.n)

    async def answer(
        self,
        ask: Ask | str,
        word: Word,
        *,
        note: str = "",
        input: dict[str, Any] | None = None,
        grant: str = "",
        shown: str = "",
    ) -> None:
        """Answer an ask: the first answer counts. `shown` is the hash that was displayed; an `Ask` knows its own."""
        asks = self._opened.runtime.asks
        found = asks.get(ask) if isinstance(ask, str) else ask
        reply = Reply(word, note, input, grant)
        await asks.answer(found.id, reply, shown=shown or found.asked.hash)

    async def declare_tools(self, tools: Iterable[ClientTool]) -> None:
        """Tools that this client runs itself: each call of one is an ask of kind `client`."""
        declared = tuple(tools)
        await self._opened.runtime.per_person.admit(self.row.owner, declared)
        await clients.declare(self._opened.runtime.database, self.row.n, declared)

    async def send_tool_result(self, tool_id: str, result: Any, *, is_error: bool = False) -> None:
        """Answer a call of a tool that this client declared."""
        for ask in self.asks():
            if ask.kind == "client" and ask.asked.tool_id == tool_id:
                sent = {"result": result, "is_error": is_error}
                await self.answer(ask, "result", input=sent)
                return
        raise NotFound(f"No call {tool_id!r} waits for a result.")

    async def accept_plan(
        self,
        mode: Mode = "ask",
        *,
        edited: str = "",
        on_approval: Callback | None = None,
        wait: bool | None = None,
    ) -> Answer:
        """Have the plan that was offered carried out, as it is or as it was changed, in this mode.

        An agent that may only plan leaves that to the settings' agent, or to the coder.
        """
        runtime = self._opened.runtime
        runtime.folders.project_of(self.row)
        doer = runtime.doer(self.row.agent, self.row.owner)
        said = await plans.accept(runtime.asks, self.row, checked_mode(mode), edited, agent=doer)
        callbacks = Callbacks(on_approval=on_approval)
        waits = wait if wait is not None else on_approval is not None
        return Answer(self._opened, self.row, said, callbacks, wait=waits)

    async def discard_plan(self) -> None:
        for ask in self.asks():
            if ask.kind == "plan":
                await self.answer(ask, "discard")

    def steer(self, content: str | tuple[Block, ...]) -> Answer:
        """Say something into the exchange that runs, and share its end; if none runs, it is a prompt like any other."""
        prompt = Prompt(fresh_message(), said(content), steer=True)
        return Answer(self._opened, self.row, prompt)

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Every event past the cursor, facts and what is derived from them, then what comes."""
        log = self._opened.runtime.log
        state = fold.EMPTY
        start = log.fold_start(self.row.n, after)
        async with aclosing(log.follow(self.row.n, start)) as frames:
            async for frame in frames:
                for index, body in frame.events:
                    state, seen = fold.step(state, decode(index, body))
                    if index > after:
                        for event in seen:
                            yield event

    def react(self, **handlers: Callback) -> Callable[[], None]:
        """Call `on_<event type>` (or `on_event`, for all) for what happens from now on; returns the unsubscribe."""
        reacting.check(handlers)
        after = self._opened.runtime.log.feed(self.row.n).last_index
        task = asyncio.create_task(reacting.react(self.follow(after), handlers))
        self._reactors.add(task)
        task.add_done_callback(self._reactors.discard)

        def unsubscribe() -> None:
            task.cancel()

        return unsubscribe

    async def change_model(self, name: str) -> None:
        """Have another model answer from the next prompt on; refuse a name that leads nowhere."""
        runtime = self._opened.runtime
        runtime.model(name)
        await runtime.inbox.change_model(self.row, name)
        self.row = runtime.sessions.get(self.row.id)

    async def change_agent(self, slug: str) -> None:
        """Have another agent work from the next prompt on, and on its own model if it has one."""
        runtime = self._opened.runtime
        agent = runtime.agent(slug, self.row.owner)
        own = runtime.model_of(agent)
        if own:
            runtime.model(own.model)
        await runtime.inbox.change_agent(self.row, agent.slug, own.model if own else "")
        self.row = runtime.sessions.get(self.row.id)

    async def context(self) -> Context:
        """How full the model's window is, and with what."""
        return await context_of(self._opened, self.row)

    async def compact(self) -> bool | None:
        """Have a summary stand for all but the last turns; False: there is nothing to drop.

        None: an exchange runs, and does it before its next model call.
        """
        return await self._opened.compact(self.row)

    async def undo_compaction(self, compaction: int = 0) -> int:
        """Let the model see again what the last compaction dropped, or the one at that index; 0: there is none."""
        return await turning.undo_compaction(self._opened.runtime.log, self.row, compaction)

    async def reset(self) -> bool:
        """Let the model begin anew; the log keeps all. False if there is nothing to forget."""
        return await turning.reset(self._opened.runtime.log, self.row)

    async def clear(self) -> None:
        """Delete all that was said here, for good; the session itself stays."""
        runtime = self._opened.runtime
        await turning.clear(runtime.log, runtime.blobs, self.row)
        self.row = runtime.sessions.get(self.row.id)

    async def close(self) -> None:
        """Stop what runs or waits here, and free what is held for it; the next prompt opens it again."""
        await self._opened.close_session(self.row)

    async def free(self) -> None:
        """Free what is held for it, once nothing runs here; stops nothing."""
        await self._opened.free(self.row)

    def is_busy(self) -> bool:
        """Whether a prompt runs or waits here."""
        return bool(self._opened.runtime.inbox.open(self.row))

    async def cancel(self, message_id: str) -> bool:
        """Stop that exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""
        return await self._opened.cancel(self.row, message_id)

    async def changes(self) -> Worked:
        """What it and its children did to the files of its folder."""
        return await Worked.of(self._opened.runtime, self.row)

    async def revert(self, paths: Iterable[str] | None = None, *, force: bool = False) -> Undone:
        """Bring files back to what they were before it; without paths, all. Files that others changed are left,
        unless `force`.
        """
        worked = await self.changes()
        wanted = {each.path: each for path in paths or (".",) for each in _meant(worked, path)}
        with ExitStack() as closing:
            root = await asyncio.to_thread(worked.root, closing)
            async with self._opened.hands.locked(root, [*wanted]):
                undo = asyncio.to_thread(worked.undo, wanted.values(), force=force)
                return await unbroken(undo)

    async def tail(self, limit: int = 80) -> list[Event]:
        """The last facts, without deltas, oldest first."""
        rows = await self._opened.runtime.log.tail(self.row.n, limit=limit)
        return await asyncio.to_thread(_decoded, rows)

    async def facts(self) -> list[Event]:
        """The stored facts, without deltas."""
        rows = await self._opened.runtime.log.facts(self.row.n)
        return await asyncio.to_thread(_decoded, rows)

    async def chat(self) -> list[views.ChatMessage]:
        """What was said, final texts only."""
        return views.chat(await self.facts())

    async def history(self) -> list[Message]:
        """What the model sees."""
        rows = await self._opened.runtime.log.facts(self.row.n)
        return await asyncio.to_thread(replay, rows)

    async def steps(self) -> list[views.Exchange]:
        return views.steps(await self.facts())


def _decoded(rows: list[Row]) -> list[Event]:
    """For a thread: a long session takes a while."""
    return [decode(index, body) for index, body in rows]


def _meant(worked: Worked, path: str) -> list[Work]:
    found = worked.beneath(path)
    if not found and path != ".":
        raise BadUsage(
            f"{path!r} is no file that the session changed.", hint="`bottega changes` lists them."
        )
    return found
