"""A session of a server, as a Python programmer holds it: the words are those of `studio.Session`.

What it tells without being awaited (`row`, `mode`, `asks`) is as of the last fact that this client has seen.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from bottega.approvals.mode import Mode, checked_mode
from bottega.client import shapes, stored
from bottega.client.answer import RemoteAnswer, RemoteStructured, Said
from bottega.client.mirror import Mirror
from bottega.errors import Conflict, NotFound, Unsupported
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
from bottega.sessions.session import SessionRow
from bottega.sessions.told import views
from bottega.sessions.told.history import replay
from bottega.studio import reacting
from bottega.studio.answering import Callback, Callbacks
from bottega.studio.anywhere import NO_WISHES
from bottega.studio.context import Context
from bottega.studio.said import said
from bottega.studio.structured import Shape, schema_of

UNSET: Mode = "ask"
"""The mode of a session for which none was chosen, unless the server's settings say otherwise."""


class RemoteSession:
    def __init__(self, reach: Reach, row: SessionRow) -> None:
        self.reach = reach
        self._mirror = Mirror(row, [], [])
        self._reactors: set[asyncio.Task[None]] = set()

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def row(self) -> SessionRow:
        return self._mirror.row

    @property
    def mode(self) -> Mode:
        return checked_mode(self.row.mode) if self.row.mode else UNSET

    async def look(self) -> SessionRow:
        """See how it stands now: its row, what runs or waits in it, and what waits for an answer."""
        row = await fetched(self.reach, self.id)
        prompts = msgspec.json.decode(await self._get("prompts"), type=shapes.Prompts)
        asks = msgspec.json.decode(await self.reach.call("GET", "asks"), type=shapes.AskPage)
        self._mirror = Mirror(
            row,
            [each.message_id for each in prompts.prompts],
            [each.ask() for each in asks.asks if each.session_id == row.id],
        )
        return row

    async def note(self, fact: Event) -> None:
        """Mind a fact of this session that was seen."""
        ask = None
        if isinstance(fact.data, facts.ApprovalRequired) and fact.index > self.row.last_index:
            ask = await self.find_ask(fact.data.approval_id)
        self._mirror.note(fact, ask)

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
        if wishes != NO_WISHES:
            raise Unsupported(
                "A server takes no wishes with a prompt.", hint="Set them where it runs."
            )
        callbacks = Callbacks(on_chunk, on_additional_message, on_complete, on_approval)
        waits = wait if wait is not None else on_approval is not None
        form = schema_of(schema) if schema is not None else None
        words = Said(message_id or fresh_message(), said(content), model, agent, form)
        if schema is None:
            return RemoteAnswer(self, words, callbacks, wait=waits)
        answer = RemoteStructured(self, words, callbacks, wait=waits)
        answer.shape = schema
        return answer

    async def admit(self, words: Said) -> int:
        """Have the server store a prompt; where in the log it stands. Safe to repeat: its id names it."""
        path = f"sessions/{self.id}/prompts"
        body = await self.reach.call("POST", path, words, again=True)
        return msgspec.json.decode(body, type=shapes.Admitted).index

    async def index_of(self, message_id: str) -> int:
        """Where in the log a prompt was queued."""
        prompts = msgspec.json.decode(await self._get("prompts"), type=shapes.Prompts).prompts
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
        return RemoteAnswer(self, Said(fresh_message(), said(content), steer=True))

    async def cancel(self, message_id: str) -> bool:
        """Stop that exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""
        try:
            body = await self.reach.call("DELETE", f"sessions/{self.id}/prompts/{message_id}")
        except NotFound:
            return False
        return msgspec.json.decode(body, type=shapes.Stopped).stopped

    def asks(self) -> list[Ask]:
        return list(self._mirror.asks.values())

    async def find_ask(self, ask_id: str) -> Ask:
        body = await self.reach.call("GET", f"asks/{ask_id}")
        return msgspec.json.decode(body, type=shapes.AskShape).ask()

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
        return msgspec.json.decode(answer, type=shapes.Answered).message_id

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
        return msgspec.json.decode(await self._get("context"), type=Context)

    async def compact(self) -> bool | None:
        return msgspec.json.decode(await self._post("compact"), type=shapes.Turned).changed

    async def undo_compaction(self, compaction: int = 0) -> int:
        body = await self._post("undo-compaction", {"compaction": compaction})
        return msgspec.json.decode(body, type=shapes.Undone).compaction

    async def reset(self) -> bool:
        """Let the model begin anew; the log keeps all. False if there is nothing to forget."""
        return bool(msgspec.json.decode(await self._post("reset"), type=shapes.Turned).changed)

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


async def fetched(reach: Reach, session_id: str) -> SessionRow:
    """A session's row as it is now."""
    body = await reach.call("GET", f"sessions/{session_id}", query={"limit": 1})
    return msgspec.json.decode(body, type=shapes.SessionShape).row()
