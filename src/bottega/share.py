"""What many people use at once: so much of it for each, and who wants more waits behind themselves alone."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager


class Share:
    """A number of places for each person; who finds none waits until one of their own is free."""

    def __init__(self, each: Callable[[], int]) -> None:
        self._each = each
        self._held: Counter[int] = Counter()
        self._waiting: dict[int, deque[asyncio.Future[None]]] = {}

    def held(self, person: int) -> int:
        return self._held[person]

    @asynccontextmanager
    async def hold(self, person: int) -> AsyncGenerator[None]:
        await self._enter(person)
        try:
            yield
        finally:
            self._leave(person)

    async def _enter(self, person: int) -> None:
        if self._held[person] < self._each() and person not in self._waiting:
            self._held[person] += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line = self._waiting.setdefault(person, deque())
        line.append(place)
        try:
            await place  # whoever leaves hands their place over
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave(person)
            raise

    def _leave(self, person: int) -> None:
        line = self._waiting.get(person, deque())
        while line and line[0].done():
            line.popleft()  # given up meanwhile
        if line and self._held[person] <= self._each():
            line.popleft().set_result(None)
        else:
            self._held[person] -= 1
        if not line:
            self._waiting.pop(person, None)
        if not self._held[person]:
            del self._held[person]


class Turns:
    """Work on the event loop that comes in small parts: of one person's, one part in each round of the loop."""

    def __init__(self) -> None:
        self._lines: dict[int, deque[asyncio.Future[None]]] = {}

    async def next(self, person: int) -> None:
        """Return when it is this task's turn among all of the person's."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        line = self._lines.get(person)
        if line is None:
            line = self._lines[person] = deque()
            loop.call_soon(self._go_on, person, line)
        line.append(turn)
        await turn

    def _go_on(self, person: int, line: deque[asyncio.Future[None]]) -> None:
        while line:
            turn = line.popleft()
            if not turn.done():
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._go_on, person, line)
                return
        del self._lines[person]
