"""What many people use at once, threads above all: so much for each, and who wants more waits behind themselves alone.

Whoever works for a person says so once, with `acting_for`; the context carries it to every `asyncio.to_thread` and
every read of the database below. Work that is nobody's is bounded by the number of threads only.
"""

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Generator, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from bottega.errors import TooMany

P = ParamSpec("P")
T = TypeVar("T")


class Caller:
    """For whom something is done, and whether that person's client still waits for it."""

    def __init__(self, person: int, request: "asyncio.Task[Any] | None" = None) -> None:
        self.person = person
        self._request = request
        self.gone = False
        self._pending: set[Future[Any]] = set()
        self._interrupts: list[Callable[[], object]] = []

    @property
    def is_request(self) -> bool:
        """It counts among what waits of the person's requests."""
        return self._request is not None

    @property
    def is_waited_for(self) -> bool:
        """Whether the task that runs is the request itself: what it began, others may wait for too."""
        return self._request is not None and asyncio.current_task() is self._request

    def keep(self, future: "Future[Any]") -> None:
        """Cancel this, unless it has begun, when the client goes away."""
        self._pending.add(future)
        future.add_done_callback(self._pending.discard)

    def when_gone(self, interrupt: Callable[[], object]) -> None:
        """Call this, on the event loop, when the client goes away."""
        self._interrupts.append(interrupt)

    def leave(self) -> None:
        """The client is gone: what has not begun never does, what can be interrupted is."""
        self.gone = True
        for interrupt in self._interrupts:
            interrupt()
        for future in tuple(self._pending):
            future.cancel()


_CALLER: ContextVar[Caller | None] = ContextVar("bottega_caller", default=None)


def caller() -> Caller | None:
    return _CALLER.get()


@contextmanager
def acting_for(person: int, *, request: bool = False) -> Generator[Caller]:
    """Threads that are used from here on, in tasks that begin here too, count as this person's."""
    acting = Caller(person, asyncio.current_task() if request else None)
    token = _CALLER.set(acting)
    try:
        yield acting
    finally:
        _CALLER.reset(token)


class _Work:
    def __init__(self, whose: Caller, run: Callable[[], Any]) -> None:
        self.whose = whose
        self.future: Future[Any] = Future()
        self._run = run

    def do(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self._run())
        except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
            self.future.set_exception(error)


class Threads(ThreadPoolExecutor):
    """`each` of `most` threads for one person; `line`: how much of one person's may wait before it is refused."""

    def __init__(self, most: int, each: int, name: str, *, line: int | None = None) -> None:
        super().__init__(most, name)
        self._each = each
        self._longest = line
        self._guard = threading.Lock()
        self._busy: Counter[int] = Counter()
        self._lines: dict[int, deque[_Work]] = {}
        self._requests: Counter[int] = Counter()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        whose = caller()
        if whose is None:
            return super().submit(fn, *args, **kwargs)
        work = _Work(whose, lambda: fn(*args, **kwargs))
        if whose.is_waited_for:
            if whose.gone:
                raise asyncio.CancelledError
            whose.keep(work.future)
        if self._begins(work):
            self._start(work)
        return work.future

    def waiting(self, person: int) -> int:
        """How much of this person's requests waits for a thread."""
        return self._requests[person]

    def _begins(self, work: _Work) -> bool:
        """Whether the person has a thread left for it; else it has its place in their line."""
        person = work.whose.person
        with self._guard:
            if self._busy[person] < self._each:
                self._busy[person] += 1
                return True
            line = self._lines.setdefault(person, deque())
            if self._longest is not None and len(line) >= self._longest:
                raise TooMany(
                    "Too much of the same kind waits for you already.",
                    hint="Wait for the answers to what you asked before.",
                )
            line.append(work)
            self._requests[person] += work.whose.is_request
            return False

    def _start(self, work: _Work) -> None:
        try:
            super().submit(self._do, work)
        except RuntimeError:  # it is shut down
            work.future.cancel()
            self._go_on(work.whose.person)

    def _do(self, work: _Work) -> None:
        try:
            work.do()
        finally:
            self._go_on(work.whose.person)

    def _go_on(self, person: int) -> None:
        """Have the thread that is free do what waits for this person, behind what others have begun meanwhile."""
        if work := self._next(person):
            self._start(work)

    def _next(self, person: int) -> _Work | None:
        with self._guard:
            line = self._lines.get(person)
            while line:
                work = line.popleft()
                self._requests[person] -= work.whose.is_request
                if not work.future.cancelled():
                    return work
            self._lines.pop(person, None)
            self._busy[person] -= 1
            for counted in (self._busy, self._requests):
                if not counted[person]:
                    del counted[person]
            return None


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


class Pace:
    """So much for each person in a second: who takes more waits before they take anything else."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._free_at: dict[int | None, float] = {}

    async def take(self, amount: int) -> None:
        """Wait until what the person took before is paid for."""
        whose = caller()
        person = whose.person if whose else None
        now = time.monotonic()
        self._free_at = {who: at for who, at in self._free_at.items() if at > now}
        begins = self._free_at.get(person, now)
        self._free_at[person] = begins + amount / self._rate
        if begins > now:
            await asyncio.sleep(begins - now)


FOREIGN_JSON = Pace(250_000)
"""Fields and elements of what comes from elsewhere for one person: decoding them is the event loop's own work."""

BYTES_A_FIELD = 64
"""Bytes of a text from elsewhere that count as one of these: what has few fields may be long."""
LARGE = 64 * 1024
"""Bytes of a text that others would notice, were it read on the event loop."""


async def beside(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do what takes long where a text of that size is large: then in a thread, and others have their turn meanwhile."""
    return await asyncio.to_thread(work, *args, **kwargs) if size > LARGE else work(*args, **kwargs)


class Turns:
    """Work on the event loop that comes in small parts: of one person's, one part in each round of the loop."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, deque[asyncio.Future[None]]] = {}

    async def next(self, person: Hashable) -> None:
        """Return when it is this task's turn among all of the person's."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        line = self._lines.get(person)
        if line is None:
            line = self._lines[person] = deque()
            loop.call_soon(self._go_on, person, line)
        line.append(turn)
        await turn

    def _go_on(self, person: Hashable, line: deque[asyncio.Future[None]]) -> None:
        while line:
            turn = line.popleft()
            if not turn.done():
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._go_on, person, line)
                return
        del self._lines[person]
