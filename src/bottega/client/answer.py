"""One exchange under way at a server, as the one who prompted sees it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, Protocol

from bottega.events.event import Event
from bottega.reach.reach import Reach
from bottega.reach.stream import stream
from bottega.sessions.asks import Ask, Reply, Word
from bottega.sessions.inbox import Admission, Prompt
from bottega.sessions.session import SessionRow
from bottega.studio.answering import NO_CALLBACKS, Answering, Callbacks
from bottega.studio.structured import Shaped

LOOK = 0.5
"""Seconds between two looks whether an exchange that asked something has been let go of."""


class Prompted(Protocol):
    """What an answer needs of its session."""

    @property
    def id(self) -> str: ...

    @property
    def reach(self) -> Reach: ...

    def asks(self) -> list[Ask]: ...

    async def look(self) -> SessionRow: ...

    async def note(self, fact: Event) -> None: ...

    async def admit(self, prompt: Prompt) -> Admission: ...

    async def index_of(self, message_id: str) -> int: ...

    async def cancel(self, message_id: str) -> bool: ...

    async def find_ask(self, ask_id: str) -> Ask: ...

    async def answer(
        self,
        ask: Ask | str,
        word: Word,
        *,
        note: str = "",
        input: dict[str, Any] | None = None,
        grant: str = "",
    ) -> None: ...


class RemoteAnswer(Answering):
    """With `wait` it goes on while something that was asked is open, however long that takes; without, the iteration
    ends once the server has let go of the exchange, and awaiting raises `Waits`.
    """

    def __init__(
        self,
        session: Prompted,
        prompt: Prompt | str,
        callbacks: Callbacks = NO_CALLBACKS,
        *,
        wait: bool = False,
    ) -> None:
        """`prompt` is what is said, or the id of an exchange that was begun before."""
        super().__init__(prompt if isinstance(prompt, str) else prompt.message_id, callbacks)
        self._session = session
        self._prompt = prompt
        self._wait = wait

    async def cancel(self) -> bool:
        return await self._session.cancel(self.message_id)

    async def _facts(self) -> AsyncGenerator[Event]:
        session = self._session
        index = (
            await session.index_of(self._prompt)
            if isinstance(self._prompt, str)
            else (await session.admit(self._prompt)).index
        )
        async with aclosing(stream(session.reach, session.id, index - 1)) as stored:
            while True:
                coming = asyncio.ensure_future(anext(stored, None))
                try:
                    if not self._wait and not await self._goes_on(coming):
                        return
                    fact = await coming
                finally:
                    await _ended(coming)
                if fact is None:
                    return
                await session.note(fact)
                yield fact

    async def _goes_on(self, coming: "asyncio.Future[Event | None]") -> bool:
        """Wait for the next fact; False if something was asked, and nobody runs the exchange meanwhile."""
        while True:
            done, _ = await asyncio.wait({coming}, timeout=LOOK)
            if done:
                return True
            if self._session.asks():
                row = await self._session.look()
                if row.status == "waiting" and not coming.done():
                    return False

    async def _waiting(self) -> list[Ask]:
        return self._session.asks()

    async def _find(self, ask_id: str) -> Ask:
        return await self._session.find_ask(ask_id)

    async def _reply(self, ask: Ask, reply: Reply) -> None:
        await self._session.answer(
            ask, reply.word, note=reply.note, input=reply.input, grant=reply.grant
        )


class RemoteStructured(Shaped, RemoteAnswer):
    """One whose final response is a value."""


async def _ended(coming: "asyncio.Future[Event | None]") -> None:
    if not coming.done():
        coming.cancel()
        with suppress(asyncio.CancelledError):
            await coming
