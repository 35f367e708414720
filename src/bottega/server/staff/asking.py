"""The server's end of the pipes to one worker process: errands go out, answers come back.

Nobody waits for a worker that is gone: what it did not answer has failed then.
"""

import asyncio
from itertools import count

import msgspec

from bottega.server.staff.errands import Absent, AnyErrand, Done, Sent, line

WITHIN = 5.0
"""Seconds that an errand may take, unless it says otherwise."""


class Asking:
    def __init__(self, answers: asyncio.StreamReader, errands: asyncio.StreamWriter) -> None:
        self._answers = answers
        self._errands = errands
        self._refs = count(1)
        self._waiting: dict[int, asyncio.Future[Done]] = {}
        self.gone = False

    async def ask(self, errand: AnyErrand, within: float | None = WITHIN) -> msgspec.Raw:
        """Have it done: what came of it, or the worker's own problem. Raises `Absent` where nobody answers in time."""
        if self.gone:
            raise Absent("The worker that was asked has ended.")
        ref = next(self._refs)
        waiting = self._waiting[ref] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(within):
                self._errands.write(line(Sent(ref, errand)))
                await self._errands.drain()
                done = await waiting
        except TimeoutError:
            raise Absent("The worker that was asked does not answer.") from None
        except ConnectionError:
            raise Absent("The worker that was asked has ended.") from None
        finally:
            del self._waiting[ref]
        if done.trouble:
            raise done.trouble.problem()
        return done.result

    async def hear(self) -> None:
        """Take answers until the worker ends; then all that is waited for fails."""
        try:
            while told := await self._answers.readline():
                done = msgspec.json.decode(told, type=Done)
                if (waiting := self._waiting.get(done.ref)) and not waiting.done():
                    waiting.set_result(done)
        finally:
            self.gone = True
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(Absent("The worker that was asked has ended."))
