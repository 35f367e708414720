"""The Python library: open a studio, start or resume a session, prompt it, and follow what happens.

async with bottega.Studio() as studio:
    session = await studio.start(model="guide")
    async for event in session.prompt("list the files"):
        ...
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from bottega.errors import BadUsage
from bottega.events import facts, fold
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.events.layers import LAYERS, ToolUseMessage
from bottega.ids import fresh_message
from bottega.messages.block import Block, Media, Text
from bottega.messages.message import Message
from bottega.providers.provider import Wishes
from bottega.runtime import Runtime
from bottega.sessions import attach, views
from bottega.sessions.feed import Feed
from bottega.sessions.history import replay
from bottega.sessions.inbox import Place, Prompt
from bottega.sessions.retention import Trimmed, trim
from bottega.sessions.session import SessionRow
from bottega.settings import Settings, load
from bottega.tools.tool import Tool
from bottega.workers.worker import OnCrash, Worker

Callback = Callable[[Any], Awaitable[None] | None]

NO_WISHES = Wishes()
DAY = 86_400_000
RETRY = 1.0
"""Seconds between two tries to run a prompt that waits in a session which another process holds."""


class Studio:
    """One open home, with a worker of its own. Use it as an async context manager."""

    def __init__(
        self,
        home: Path | str | None = None,
        *,
        settings: Settings | None = None,
        flags: Mapping[str, Any] | None = None,
        tools: Iterable[Tool] = (),
        on_crash: OnCrash = "close",
        admits_as: Place = "python",
    ) -> None:
        self.settings = settings or load(flags, home=Path(home).absolute() if home else None)
        self._tools = tuple(tools)
        self._on_crash: OnCrash = on_crash
        self._place: Place = admits_as
        self._runtime: Runtime | None = None
        self._worker: Worker | None = None
        self._chores: asyncio.Task[Trimmed] | None = None

    async def __aenter__(self) -> "Studio":
        self._runtime = await asyncio.to_thread(Runtime, self.settings, self._tools)
        if days := self.settings.values.trim_after_days:
            self._chores = asyncio.create_task(trim(self._runtime.database, days * DAY))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop what runs here, store its end, and let go of the home."""
        if self._chores:
            self._chores.cancel()
            await asyncio.wait({self._chores})
        if self._worker:
            await self._worker.close()
            self._worker = None
        if self._runtime:
            await self._runtime.close()
            self._runtime = None

    @property
    def runtime(self) -> Runtime:
        if self._runtime is None:
            raise BadUsage(
                "This studio is not open.", hint="Use it as `async with Studio() as studio:`."
            )
        return self._runtime

    @property
    def worker(self) -> Worker:
        """The worker of this process; born when first needed, so that a mere reader is none."""
        if self._worker is None:
            parts = self.runtime
            self._worker = Worker(
                parts.log,
                parts.attachments,
                parts.plan,
                parts.registry,
                on_crash=self._on_crash,
            )
        return self._worker

    async def start(
        self,
        *,
        model: str = "",
        agent: str = "",
        folder: Path | str = ".",
        title: str = "",
    ) -> "Session":
        """Begin a session in a folder; refuse a model, an agent or a folder that cannot be used."""
        where = existing_folder(folder)
        chosen = self.runtime.choose(model).model
        self.runtime.model(chosen)
        row = await self.runtime.sessions.create(
            model=chosen, agent=self.runtime.agent(agent).name, folder=str(where), title=title
        )
        return Session(self, row, self._place)

    async def resume(self, session_id: str) -> "Session":
        """Go on with a session; what a dead process left unfinished in it is mended first."""
        row = self.runtime.sessions.get(session_id)
        await asyncio.wait({self.worker.attend(row)})
        return Session(self, self.runtime.sessions.get(row.id), self._place)

    async def sessions(self, limit: int = 50) -> list[SessionRow]:
        return await self.runtime.sessions.list(limit)


class Session:
    def __init__(self, studio: Studio, row: SessionRow, place: Place) -> None:
        self.studio = studio
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
    ) -> "Answer":
        """Admit a prompt and follow its exchange: iterate over the events, or await the `ExchangeResponse`.

        The same `message_id` with the same content is the same prompt: it runs once, and is followed again.
        """
        blocks = (Text(content),) if isinstance(content, str) else content
        if not any(not isinstance(block, Text) or block.text.strip() for block in blocks):
            raise BadUsage("The prompt is empty.", hint="Say what the agent should do.")
        prompt = Prompt(message_id or fresh_message(), blocks, model, wishes=wishes)
        return Answer(self, prompt, self._place, (on_chunk, on_additional_message, on_complete))

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Every event past the cursor, facts and what is derived from them, then what comes."""
        log = self.studio.runtime.log
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
        after = self.studio.runtime.log.feed(self.row.n).last_index
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
                    await _call(handler, event)

    async def cancel(self, message_id: str) -> bool:
        """Stop that exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""
        inbox = self.studio.runtime.inbox
        if await inbox.interrupt(self.row, message_id):
            return True
        return await inbox.cancel(self.row, message_id)

    async def facts(self) -> list[Event]:
        """The stored facts, without deltas."""
        rows = await self.studio.runtime.log.facts(self.row.n)
        return [decode(index, body) for index, body in rows]

    async def chat(self) -> list[views.ChatMessage]:
        """What was said, final texts only."""
        return views.chat(await self.facts())

    async def history(self) -> list[Message]:
        """What the model sees."""
        return replay(await self.studio.runtime.log.facts(self.row.n))

    async def steps(self) -> list[views.Exchange]:
        return views.steps(await self.facts())


class Answer:
    """One exchange under way: iterate over its events, or await its end. Leaving the loop does not stop it."""

    def __init__(
        self,
        session: Session,
        prompt: Prompt,
        place: Place,
        callbacks: tuple[Callback | None, Callback | None, Callback | None],
    ) -> None:
        self._session = session
        self._prompt = prompt
        self._place: Place = place
        self._on_chunk, self._on_additional, self._on_complete = callbacks

    @property
    def message_id(self) -> str:
        return self._prompt.message_id

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._events()

    def __await__(self) -> Generator[Any, None, facts.ExchangeResponse]:
        return self._end().__await__()

    async def cancel(self) -> bool:
        return await self._session.cancel(self.message_id)

    async def _end(self) -> facts.ExchangeResponse:
        end: facts.ExchangeResponse | None = None
        async for event in self._events():
            if isinstance(event.data, facts.ExchangeResponse):
                end = event.data
        return end or facts.ExchangeResponse(False, "user_stopped", "cancelled", 0)

    async def _events(self) -> AsyncIterator[Event]:
        log = self._session.studio.runtime.log
        feed = log.feed(self._session.row.n)
        with log.following(feed):  # from before the first event, so that none has to be read back
            index, running = await self._admit()
            running.add_done_callback(lambda _: feed.wake())
            try:
                async for event in self._followed(feed, index - 1, running):
                    await self._tell(event)
                    yield event
            finally:
                running.cancel()

    async def _admit(self) -> tuple[int, asyncio.Task[None]]:
        studio, row = self._session.studio, self._session.row
        content, names = self._prompt.content, ()
        if any(isinstance(block, Media) for block in content):
            content, names = await asyncio.to_thread(attach.keep, content, studio.runtime.blobs)
        prompt = msgspec.structs.replace(self._prompt, content=content)
        admission = await studio.runtime.inbox.admit(
            row, prompt, by=self._place, contender=studio.worker.contender, media=tuple(names)
        )
        first = studio.worker.attend(row, admission.lease) if admission.lease else None
        return admission.index, asyncio.create_task(self._see_to_it(first))

    async def _see_to_it(self, attending: asyncio.Task[None] | None) -> None:
        """Have the prompt run here as soon as nobody else does; fails where it can no longer run here."""
        while True:
            task = attending or self._session.studio.worker.attend(self._session.row)
            attending = None
            await asyncio.wait({task})
            if not task.cancelled():
                task.result()
            await asyncio.sleep(RETRY)

    async def _followed(
        self, feed: Feed, after: int, running: asyncio.Task[None]
    ) -> AsyncIterator[Event]:
        log, n = self._session.studio.runtime.log, self._session.row.n
        state, cursor = fold.EMPTY, after
        while not feed.gone:
            for frame in await log.ahead(n, cursor):
                cursor = frame.events[-1][0]
                for index, body in frame.events:
                    fact = decode(index, body)
                    if fact.message_id != self.message_id:
                        continue
                    state, seen = fold.step(state, fact)
                    for event in seen:
                        yield event
                    if fact.type in ("exchange_response", "prompt_cancelled"):
                        return
            await feed.wait(cursor, running)
            if running.done() and feed.last_index <= cursor:
                running.result()

    async def _tell(self, event: Event) -> None:
        payload = event.data
        if isinstance(payload, facts.TextDelta):
            await _call(self._on_chunk, payload.text)
        elif isinstance(payload, ToolUseMessage) and payload.complete:
            await _call(self._on_additional, payload)
        elif isinstance(payload, facts.ExchangeResponse):
            await _call(self._on_complete, payload.final_response)


def existing_folder(folder: Path | str) -> Path:
    where = Path(folder).expanduser().absolute()
    if not where.is_dir():
        raise BadUsage(f"{str(where)!r} is not a folder.", hint="Give an existing folder.")
    return where


async def _call(callback: Callback | None, value: Any) -> None:
    if callback is None:
        return
    result = callback(value)
    if inspect.isawaitable(result):
        await result
