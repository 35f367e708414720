"""One exchange under way in this home, as the one who prompted sees it."""

import asyncio
from collections.abc import AsyncGenerator

from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow
from bottega.studio.answering import NO_CALLBACKS, Answering, Callbacks
from bottega.studio.opened import Opened

RETRY = 1.0
"""Seconds between two tries to run a prompt that waits in a session which another process holds."""


class Answer(Answering):
    """With `wait` it goes on while something that was asked is open, however long that takes; without, the iteration
    ends there, and awaiting raises `Waits`.
    """

    def __init__(
        self,
        opened: Opened,
        row: SessionRow,
        prompt: Prompt | str,
        callbacks: Callbacks = NO_CALLBACKS,
        *,
        wait: bool = False,
    ) -> None:
        """`prompt` is what is said, or the id of an exchange that was begun before."""
        super().__init__(prompt if isinstance(prompt, str) else prompt.message_id, callbacks)
        self._opened = opened
        self._row = row
        self._prompt = prompt
        self._wait = wait

    async def cancel(self) -> bool:
        return await self._opened.cancel(self._row, self.message_id)

    async def _facts(self) -> AsyncGenerator[Event]:
        log, n = self._opened.runtime.log, self._row.n
        with log.following(n) as feed:  # from the first event on: none is read back
            index, running = await self._admit()
            running.add_done_callback(lambda _: feed.wake())
            cursor = index - 1
            try:
                while not feed.gone:
                    for frame in await log.ahead(n, cursor):
                        cursor = frame.events[-1][0]
                        for place, body in frame.events:
                            yield decode(place, body)
                    await feed.wait(cursor, running)
                    if running.done() and feed.last_index <= cursor:
                        running.result()
                        return  # what was asked is open, and nobody waits for the answer here
            finally:
                running.cancel()

    async def _admit(self) -> tuple[int, asyncio.Task[None]]:
        if isinstance(self._prompt, str):
            self._opened.wait_for(self._prompt)
            return await self._found(self._prompt), asyncio.create_task(self._see_to_it(None))
        admission, first = await self._opened.admit(self._row, self._prompt)
        return admission.index, asyncio.create_task(self._see_to_it(first))

    async def _found(self, message_id: str) -> int:
        return await self._opened.runtime.inbox.index_of(self._row, message_id)

    async def _see_to_it(self, attending: asyncio.Task[None] | None) -> None:
        """Have the prompt run here as soon as nobody else does; fails where it can no longer run here."""
        while True:
            task = attending or self._opened.attend(self._row)
            attending = None
            if task:
                await asyncio.wait({task})
                if not task.cancelled():
                    task.result()
            if not self._wait and self._only_waits(ran=task is not None):
                return
            await asyncio.sleep(RETRY)

    def _only_waits(self, *, ran: bool) -> bool:
        """Whether nothing goes on before an answer comes; where others run it, their word is its status."""
        runtime = self._opened.runtime
        if not ran and runtime.sessions.numbered(self._row.n).status != "waiting":
            return False
        return bool(runtime.asks.open(self._row.n))

    async def _waiting(self) -> list[Ask]:
        return self._opened.runtime.asks.open(self._row.n)

    async def _find(self, ask_id: str) -> Ask:
        return self._opened.runtime.asks.get(ask_id)

    async def _reply(self, ask: Ask, reply: Reply) -> None:
        await self._opened.runtime.asks.answer(ask.id, reply, shown=ask.asked.hash)
