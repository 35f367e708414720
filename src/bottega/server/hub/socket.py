"""One client's connection: reads frames one after the other, and follows a session for each tab that is visible.

What is wrong with a frame is told to this client alone; nothing here can fail for anybody else. A tab that is hidden
has no task, no buffer and no cursor here: the client has the cursor.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.types import Receive
from uvicorn.protocols.utils import ClientDisconnected

from bottega.errors import Problem, Refused, TooMany
from bottega.server.following.followers import Followers
from bottega.server.following.rate import Rate
from bottega.server.hub import told
from bottega.server.hub.frames import BadFrame, Frame, Heard, heard
from bottega.server.hub.line import Line
from bottega.server.tickets import Ticket
from bottega.share import Turns

_log = logging.getLogger(__name__)

FRAMES_PER_SECOND, BURST = 200, 400
FLOOD = 2000
"""Frames that wait to be read: who sends so many does not mean it."""
MOST = 200
"""Tabs and shells that one socket follows at once."""

POLICY = 1008
"""The close code for who breaks a rule."""

_UNFORESEEN = Problem(
    "Something went wrong that nobody foresaw.", hint="The server's log has more."
)


class Socket:
    def __init__(self, ticket: Ticket, line: Line, followers: Followers, turns: Turns) -> None:
        """`followers` are all of whom this server knows, of every person; `turns` those of all sockets and requests."""
        self._turns = turns
        self._extra = 0.0
        """What the frame that is read costs besides being one."""
        self.person = ticket.person
        self._followers = followers
        self._all_frames = followers.rate(ticket.person.n)
        self.line = line
        self.tabs: dict[str, int] = {}
        """The number of the session that each visible tab shows."""
        self._rate = Rate(FRAMES_PER_SECOND, BURST)
        self._told_rate = False
        self._following: dict[str, asyncio.Task[None]] = {}

    async def run(self, receive: Receive, do: "Callable[[Socket, Frame], Awaitable[None]]") -> None:
        """Read frames until the client is gone, or must go."""
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                await self._turns.next(self.person.n)
                await self._hear(message.get("text"), do)
                await self._hold_back()
        except ClientDisconnected:
            pass
        finally:
            await self._stop_all()

    def charge(self, frames: float) -> None:
        """Count the frame that is read as so many more."""
        self._extra += frames

    async def tell(self, frame: bytes) -> None:
        """Send a frame; waits for a client that reads slowly."""
        await self.line.write(frame)

    async def answer(self, frame: Frame, answer: told.Told) -> None:
        await self.tell(answer.encoded(frame.ref))

    async def close(self, reason: str) -> None:
        if not self.line.is_free:
            self.line.abort()
            return
        await self.line.send({"type": "websocket.close", "code": POLICY, "reason": reason})

    async def follow(
        self, name: str, following: Coroutine[Any, Any, None], session: int = 0
    ) -> None:
        """Have this run for as long as what is named so is looked at: a tab on that session, or a shell."""
        await self.unfollow(name)
        if len(self._following) >= MOST:
            following.close()
            raise Refused(
                f"A socket follows {MOST} tabs at most.", hint="Say hidden for those not seen."
            )
        try:
            self._followers.refuse_too_many(self.person.n)
        except TooMany:
            following.close()
            raise
        task = asyncio.create_task(self._guarded(following))
        self._following[name] = task
        if session:
            self.tabs[name] = session
        task.add_done_callback(lambda done: self._forget(name, done))

    async def unfollow(self, name: str) -> None:
        """Return once nothing more is sent for it."""
        if task := self._following.get(name):
            task.cancel()
            await asyncio.wait({task})
            self._forget(name, task)

    def _forget(self, name: str, task: asyncio.Task[None]) -> None:
        if self._following.get(name) is task:
            del self._following[name]
            self.tabs.pop(name, None)

    async def _guarded(self, following: Coroutine[Any, Any, None]) -> None:
        try:
            with self._followers.counted(self.person.n):
                await following
        except ClientDisconnected:
            pass
        except Problem as problem:
            with suppress(ClientDisconnected):
                await self.tell(told.error(problem).encoded())
        except Exception:
            _log.exception("what is looked at could not be followed")
            self.line.abort()  # the client comes back with its cursor, and has lost nothing

    async def _stop_all(self) -> None:
        tasks = set(self._following.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _hold_back(self) -> None:
        """Read no further for a while if too much came, and not at all if it is far too much."""
        cost, self._extra = 1 + self._extra, 0.0
        owed = max(self._rate.owed(cost), self._all_frames.owed(cost))
        if not owed:
            self._told_rate = self._told_rate and not self._rate.is_calm
            return
        if not self._told_rate:
            self._told_rate = True
            detail = f"More than {FRAMES_PER_SECOND} frames a second came."
            hint = "They are read more slowly now; send fewer."
            await self.tell(told.Error(code="too_many", detail=detail, hint=hint).encoded())
        if self.line.unread > FLOOD:
            await self.close("too many frames")
            raise ClientDisconnected
        await asyncio.sleep(owed)

    async def _hear(
        self, text: str | None, do: "Callable[[Socket, Frame], Awaitable[None]]"
    ) -> None:
        got = heard(text) if text is not None else Heard(BadFrame("A frame is JSON text."))
        try:
            if isinstance(got.frame, Problem):
                raise got.frame
            await do(self, got.frame)
        except ClientDisconnected:
            raise
        except Problem as problem:
            await self.tell(told.error(problem, got.tab_id).encoded(got.ref))
        except Exception:
            _log.exception("unforeseen failure in a frame")
            await self.tell(told.error(_UNFORESEEN, got.tab_id).encoded(got.ref))
