"""A session, as a Python programmer holds it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from bottega.errors import BadUsage
from bottega.events import fold
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.events.layers import LAYERS
from bottega.ids import fresh_message
from bottega.messages.block import Block, Text
from bottega.messages.message import Message
from bottega.providers.provider import Wishes
from bottega.sessions import views
from bottega.sessions.history import replay
from bottega.sessions.inbox import Place, Prompt
from bottega.sessions.session import SessionRow
from bottega.studio.answer import Answer, Callback, call
from bottega.studio.opened import Opened

NO_WISHES = Wishes()


class Session:
    def __init__(self, opened: Opened, row: SessionRow, place: Place) -> None:
        self._opened = opened
        self.row = row
        self._place: Place = place
        self._reactors: set[asyncio.Task[None]] = set()

    @property
    def id(self) -> str:
        return self.row.id

    def prompt(
        self,
        content: str | tuple[Block, ...],
        *,
        model: str = "",
        wishes: Wishes = NO_WISHES,
        message_id: str = "",
        on_chunk: Callback | None = None,
        on_additional_message: Callback | None = None,
        on_complete: Callback | None = None,
    ) -> Answer:
        """Admit a prompt and follow its exchange: iterate over the events, or await the `ExchangeResponse`.

        The same `message_id` with the same content is the same prompt: it runs once, and is followed again.
        """
        blocks = _said(content)
        prompt = Prompt(message_id or fresh_message(), blocks, model, wishes=wishes)
        callbacks = (on_chunk, on_additional_message, on_complete)
        return Answer(self._opened, self.row, prompt, self._place, callbacks)

    def steer(self, content: str | tuple[Block, ...]) -> Answer:
        """Say something into the exchange that runs, and share its end; if none runs, it is a prompt like any other."""
        prompt = Prompt(fresh_message(), _said(content), steer=True)
        return Answer(self._opened, self.row, prompt, self._place, (None, None, None))

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Every event past the cursor, facts and what is derived from them, then what comes."""
        log = self._opened.runtime.log
        state = fold.EMPTY
        async for frame in log.follow(self.row.n, log.fold_start(self.row.n, after)):
            for index, body in frame.events:
                state, seen = fold.step(state, decode(index, body))
                if index > after:
                    for event in seen:
                        yield event

    def react(self, **handlers: Callback) -> Callable[[], None]:
        """Call `on_<event type>` (or `on_event`, for all) for what happens from now on; returns the unsubscribe."""
        for name in handlers:
            if name != "on_event" and name.removeprefix("on_") not in LAYERS:
                raise BadUsage(
                    f"There is no event for {name!r}.", hint="docs/events.md lists them."
                )
        after = self._opened.runtime.log.feed(self.row.n).last_index
        task = asyncio.create_task(self._react(after, handlers))
        self._reactors.add(task)
        task.add_done_callback(self._reactors.discard)

        def unsubscribe() -> None:
            task.cancel()

        return unsubscribe

    async def _react(self, after: int, handlers: Mapping[str, Callback]) -> None:
        every = handlers.get("on_event")
        async for event in self.follow(after):
            for handler in (handlers.get(f"on_{event.type}"), every):
                if handler:
                    await call(handler, event)

    async def change_model(self, name: str) -> None:
        """Have another model answer from the next prompt on; refuse a name that leads nowhere."""
        runtime = self._opened.runtime
        runtime.model(name)
        await runtime.inbox.change_model(self.row, name)
        self.row = runtime.sessions.get(self.row.id)

    async def cancel(self, message_id: str) -> bool:
        """Stop that exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""
        return await self._opened.cancel(self.row, message_id)

    async def facts(self) -> list[Event]:
        """The stored facts, without deltas."""
        rows = await self._opened.runtime.log.facts(self.row.n)
        return [decode(index, body) for index, body in rows]

    async def chat(self) -> list[views.ChatMessage]:
        """What was said, final texts only."""
        return views.chat(await self.facts())

    async def history(self) -> list[Message]:
        """What the model sees."""
        return replay(await self._opened.runtime.log.facts(self.row.n))

    async def steps(self) -> list[views.Exchange]:
        return views.steps(await self.facts())


def _said(content: str | tuple[Block, ...]) -> tuple[Block, ...]:
    blocks = (Text(content),) if isinstance(content, str) else content
    if not any(not isinstance(block, Text) or block.text.strip() for block in blocks):
        raise BadUsage("The prompt is empty.", hint="Say what the agent should do.")
    return blocks
