"""A session of a server, as a Python programmer holds it: the words are those of `studio.Session`.

What it tells without being awaited (`row`, `mode`, `asks`) is as of the last fact that this client has seen.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing, suppress
from typing import Any, Literal

import msgspec

from bottega.approvals.mode import Mode, checked_mode
from bottega.client import shapes, stored, waiting
from bottega.client.answer import RemoteAnswer, RemoteStructured
from bottega.client.mirror import Mirror
from bottega.client.worked import RemoteWorked
from bottega.errors import Conflict, NotFound
from bottega.events import facts, fold
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.messages.block import Block
from bottega.messages.message import Message
from bottega.providers.provider import Wishes
from bottega.reach.reach import Reach
from bottega.reach.stream import stream
from bottega.sessions.asks import Ask, Reply, Word
from bottega.sessions.clients import ClientTool
from bottega.sessions.far.sent import sent
from bottega.sessions.inbox import Admission, Prompt
from bottega.sessions.session import SessionRow
from bottega.sessions.told import views
from bottega.sessions.told.history import replay
from bottega.studio import reacting
from bottega.studio.answering import Callback, Callbacks
from bottega.studio.anywhere import NO_WISHES
from bottega.studio.context import Context
from bottega.studio.said import said
from bottega.studio.structured import Shape, schema_of
from bottega.studio.worked import Undone


class RemoteSession:
    def __init__(self, reach: Reach, row: SessionRow, mode: Mode) -> None:
        self.reach = reach
        self._mirror = Mirror(row, mode)
        self._reactors: set[asyncio.Task[None]] = set()

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def row(self) -> SessionRow:
        return self._mirror.row

    @property
    def mode(self) -> Mode:
        """How much is done unasked, from the next step on: no more than its agent may."""
        return self._mirror.mode

    async def look(self) -> SessionRow:
        """See how it stands now: its row, what runs or waits in it, what waits for an answer, its children."""
        row, mode = await opened(self.reach, self.id)
        prompts = self.reach.read(await self._get("prompts"), shapes.Prompts)
        asks = await waiting.asks(self.reach, row.id)
        children = self.reach.read(await self._get("children"), shapes.SessionPage)
        self._mirror = Mirror(
            row,
            mode,
            [each.message_id for each in prompts.prompts],
            [each.ask() for each in asks if each.session_id == row.id],
            [each.row() for each in children.sessions],
        )
        return row

    async def note(self, fact: Event) -> None:
        """Mind a fact of this session that was seen."""
        if fact.index <= self.row.last_index:
            return
        ask, mode, child = await self._told_of(fact)
        mirror = self._mirror  # as it is now: somebody may have looked meanwhile, or noted the same
        if fact.index > mirror.row.last_index:
            mirror.mode = mode or mirror.mode
            mirror.children += [child] if child else []
            mirror.note(fact, ask)

    async def _told_of(self, fact: Event) -> tuple[Ask | None, Mode | None, SessionRow | None]:
        """What a fact leads to and does not tell itself: its ask, the mode in force from now on, its child."""
        match fact.data:
            case facts.ApprovalRequired() as asked:
                return await self.find_ask(asked.approval_id), None, None
            case facts.ModeChanged() | facts.AgentChanged():
                return None, (await opened(self.reach, self.id))[1], None
            case facts.ChildStarted() as child:
                with suppress(NotFound):  # another Bottega's
                    return None, None, (await opened(self.reach, child.session_id))[0]
            case _:
                pass
        return None, None, None

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
    ) -> RemoteAnswer:
        """Admit a prompt and follow its exchange: iterate over the events, or await the `ExchangeResponse`.

        With a `schema` awaiting gives a value that fits it, or raises. The same `message_id` with the same content is
        the same prompt: it runs once, and is followed again.
        """
        callbacks = Callbacks(on_chunk, on_additional_message, on_complete, on_approval)
        waits = wait if wait is not None else on_approval is not None
        form = schema_of(schema) if schema is not None else None
        prompt = Prompt(
            *(message_id or fresh_message(), said(content), model, agent, wishes),
            attended=waits,
            schema=form,
        )
        if schema is None:
            return RemoteAnswer(self, prompt, callbacks, wait=waits)
        answer = RemoteStructured(self, prompt, callbacks, wait=waits)
        answer.shape = schema
        return answer

    async def admit(self, prompt: Prompt, mode: Mode | Literal[""] = "") -> Admission:
        """Have the server store a prompt, and return: it runs whether or not anybody follows. Safe to repeat.

        With a mode, the session changes to it.
        """
        path = f"sessions/{self.id}/prompts"
        body = await self.reach.call("POST", path, sent(prompt, mode), again=True)
        admitted = self.reach.read(body, shapes.Admitted)
        return Admission(admitted.index, None, admitted.repeated)

    async def edit(self, message_id: str, content: str | tuple[Block, ...]) -> None:
        """Change what a prompt says that still waits."""
        path = f"sessions/{self.id}/prompts/{message_id}"
        await self.reach.call("PATCH", path, {"content": said(content)})

    async def index_of(self, message_id: str) -> int:
        """Where in the log a prompt was queued."""
        prompts = self.reach.read(await self._get("prompts"), shapes.Prompts).prompts
        for each in prompts:
            if each.message_id == message_id:
                return each.index
        return await stored.index_of(self.reach, self.id, message_id)

    def resume(
        self, *, on_approval: Callback | None = None, wait: bool = False
    ) -> RemoteAnswer | None:
        """Follow the exchange that is under way, or waits for an answer; None if none is."""
        if not self._mirror.under_way:
            return None
        return self.exchange(self._mirror.under_way[0], on_approval=on_approval, wait=wait)

    @property
    def under_way(self) -> list[str]:
        """The ids of the prompts that run or wait, in their order."""
        return list(self._mirror.under_way)

    def exchange(
        self, message_id: str, *, on_approval: Callback | None = None, wait: bool = False
    ) -> RemoteAnswer:
        """Follow an exchange of this session that was begun before, by whomever."""
        return RemoteAnswer(self, message_id, Callbacks(on_approval=on_approval), wait=wait)

    def steer(self, content: str | tuple[Block, ...]) -> RemoteAnswer:
        """Say something into the exchange that runs, and share its end; if none runs, it is a prompt like any other."""
        return RemoteAnswer(self, Prompt(fresh_message(), said(content), steer=True))

    async def cancel(self, message_id: str) -> bool:
        """Stop that exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""
        try:
            body = await self.reach.call("DELETE", f"sessions/{self.id}/prompts/{message_id}")
        except NotFound:
            return False
        return self.reach.read(body, shapes.Stopped).stopped

    def is_busy(self) -> bool:
        """Whether a prompt runs or waits here."""
        return bool(self._mirror.under_way)

    def children(self) -> "list[RemoteSession]":
        """The sessions that this one's agent handed tasks to, the oldest first."""
        mode = self._mirror.mode
        return [RemoteSession(self.reach, row, mode) for row in self._mirror.children]

    def asks(self) -> list[Ask]:
        return list(self._mirror.asks.values())

    async def find_ask(self, ask_id: str) -> Ask:
        body = await self.reach.call("GET", f"asks/{ask_id}")
        return self.reach.read(body, shapes.AskShape).ask()

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
        found = await self.find_ask(ask) if isinstance(ask, str) else ask
        reply = Reply(word, note, input, grant)
        await self._give(found, {**msgspec.to_builtins(reply), "hash": shown or found.asked.hash})

    async def _give(self, ask: Ask, body: dict[str, Any]) -> str:
        """Give an answer; the id of the exchange that goes on with it."""
        lost: list[bool] = []
        try:
            answer = await self.reach.call(
                "POST", f"asks/{ask.id}", body, again=True, unsure=lambda: lost.append(True)
            )
        except Conflict:
            # It may be our own answer that was first, and the word of that which was lost.
            given = (await self.find_ask(ask.id)).reply
            if not lost or given is None or given.word != body["word"]:
                raise
            return ask.message_id
        finally:
            self._mirror.asks.pop(ask.id, None)
        return self.reach.read(answer, shapes.Answered).message_id

    async def declare_tools(self, tools: Iterable[ClientTool]) -> None:
        """Tools that this client runs itself: each call of one is an ask of kind `client`."""
        path = f"sessions/{self.id}/tools"
        await self.reach.call("PUT", path, {"tools": list(tools)})

    async def send_tool_result(self, tool_id: str, result: Any, *, is_error: bool = False) -> None:
        """Answer a call of a tool that this client declared."""
        await self.look()
        for ask in self.asks():
            if ask.kind == "client" and ask.asked.tool_id == tool_id:
                await self.answer(ask, "result", input={"result": result, "is_error": is_error})
                return
        raise NotFound(f"No call {tool_id!r} waits for a result.")

    async def accept_plan(
        self,
        mode: Mode = "ask",
        *,
        edited: str = "",
        on_approval: Callback | None = None,
        wait: bool | None = None,
    ) -> RemoteAnswer:
        """Have the plan that was offered carried out, as it is or as it was changed, in this mode."""
        offered = [ask for ask in self.asks() if ask.kind == "plan"]
        if not offered:
            raise NotFound("No plan waits to be accepted.", hint="Ask for one in plan mode.")
        plan = offered[-1]
        body = {"word": "accept", "note": edited, "mode": checked_mode(mode)}
        message_id = await self._give(plan, {**body, "hash": plan.asked.hash})
        waits = wait if wait is not None else on_approval is not None
        return self.exchange(message_id, on_approval=on_approval, wait=waits)

    async def discard_plan(self) -> None:
        for ask in self.asks():
            if ask.kind == "plan":
                await self.answer(ask, "discard")

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Every event past the cursor, facts and what is derived from them, then what comes."""
        state = fold.EMPTY
        begin = await stored.fold_start(self.reach, self.id, after)
        async with aclosing(stream(self.reach, self.id, begin)) as coming:
            async for fact in coming:
                await self.note(fact)
                state, seen = fold.step(state, fact)
                if fact.index > after:
                    for event in seen:
                        yield event

    def react(self, **handlers: Callback) -> Callable[[], None]:
        """Call `on_<event type>` (or `on_event`, for all) for what happens from now on; returns the unsubscribe."""
        reacting.check(handlers)
        task = asyncio.create_task(reacting.react(self.follow(self.row.last_index), handlers))
        self._reactors.add(task)
        task.add_done_callback(self._reactors.discard)

        def unsubscribe() -> None:
            task.cancel()

        return unsubscribe

    async def change_mode(self, mode: Mode) -> None:
        await self._change(mode=checked_mode(mode))

    async def change_model(self, name: str) -> None:
        await self._change(model=name)

    async def change_agent(self, slug: str) -> None:
        await self._change(agent=slug)

    async def rename(self, title: str) -> None:
        await self._change(title=title)

    async def _change(self, **fields: str) -> None:
        await self.reach.call("PATCH", f"sessions/{self.id}", fields)
        await self.look()

    async def context(self) -> Context:
        return self.reach.read(await self._get("context"), Context)

    async def compact(self) -> bool | None:
        return self.reach.read(await self._post("compact"), shapes.Turned).changed

    async def undo_compaction(self, compaction: int = 0) -> int:
        body = await self._post("undo-compaction", {"compaction": compaction})
        return self.reach.read(body, shapes.Undone).compaction

    async def reset(self) -> bool:
        """Let the model begin anew; the log keeps all. False if there is nothing to forget."""
        return bool(self.reach.read(await self._post("reset"), shapes.Turned).changed)

    async def clear(self) -> None:
        """Delete all that was said here, for good; the session itself stays."""
        await self._post("clear")
        await self.look()

    async def close(self) -> None:
        """Stop what runs or waits here, and free what is held for it; the next prompt opens it again."""
        await self._post("close")

    async def delete(self) -> None:
        """The session and all that it holds, for good."""
        await self.reach.call("DELETE", f"sessions/{self.id}")

    async def changes(self) -> RemoteWorked:
        """What it and its children did to the files of its folder."""
        return await RemoteWorked.of(self.reach, self.id)

    async def revert(self, paths: Iterable[str] | None = None, *, force: bool = False) -> Undone:
        """Bring files back to what they were before it; without paths, all. Files that others changed are left,
        unless `force`.
        """
        worked = RemoteWorked(self.reach, self.id, ())
        return await worked.undo(None if paths is None else list(paths), force=force)

    async def tail(self, limit: int = 80) -> list[Event]:
        """The last facts, without deltas, oldest first."""
        return await stored.tail(self.reach, self.id, limit=limit)

    async def facts(self) -> list[Event]:
        """The stored facts, without deltas."""
        return [decode(index, body) for index, body in await stored.rows(self.reach, self.id)]

    async def chat(self) -> list[views.ChatMessage]:
        """What was said, final texts only."""
        return views.chat(await self.facts())

    async def history(self) -> list[Message]:
        """What the model sees."""
        return replay(await stored.rows(self.reach, self.id))

    async def steps(self) -> list[views.Exchange]:
        return views.steps(await self.facts())

    async def _get(self, path: str) -> bytes:
        return await self.reach.call("GET", f"sessions/{self.id}/{path}")

    async def _post(self, path: str, body: dict[str, Any] | None = None) -> bytes:
        return await self.reach.call("POST", f"sessions/{self.id}/{path}", body)


async def opened(reach: Reach, session_id: str) -> tuple[SessionRow, Mode]:
    """A session's row as it is now, and the mode that is in force."""
    body = await reach.call("GET", f"sessions/{session_id}", query={"limit": 1})
    found = reach.read(body, shapes.OpenShape)
    return found.row(), found.mode_in_force
