"""Who admits prompts into a home and follows them, beside a server that runs them."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from bottega.events import codec
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.sessions.inbox import Prompt
from bottega.studio import Session, Studio


def front(home: Path) -> Studio:
    return Studio(home, admits_as="server", runs=False)


async def say(session: Session, text: str = "go") -> str:
    message_id = fresh_message()
    await session.admit(Prompt(message_id, (Text(text),)))
    return message_id


async def until(session: Session, kind: str, times: int = 1, after: int = 0) -> Event:
    """Follow until that has come so often."""
    async with asyncio.timeout(30):
        async for event in session.follow(after):
            times -= event.type == kind
            if not times:
                return event
    raise AssertionError("the session is gone")


class Follower:
    """Somebody who follows a session from its first byte on, as a client would, and keeps all that comes."""

    def __init__(self, studio: Studio, session: Session) -> None:
        self.rows: list[tuple[int, bytes]] = []
        self._task = asyncio.create_task(self._follow(studio, session.row.n))

    async def _follow(self, studio: Studio, n: int) -> None:
        async for frame in studio.runtime.log.follow(n):
            self.rows += frame.events
            if any(b'{"type":"exchange_response"' in body[:40] for _, body in frame.events):
                return

    async def end(self) -> list[Event]:
        """Wait for the exchange's end; every index came once, and in order."""
        async with asyncio.timeout(30):
            await self._task
        assert [index for index, _ in self.rows] == list(range(1, len(self.rows) + 1))
        return [codec.decode(index, body) for index, body in self.rows]


def script(path: Path, *turns: list[dict[str, Any]], **options: Any) -> str:
    path.write_bytes(msgspec.json.encode({"turns": turns, **options}))
    return f"scripted/{path}"


async def running_now(marked: str) -> set[int]:
    """Wait until there are processes whose command line holds this; which they are."""
    async with asyncio.timeout(20):
        while not (found := _commands(marked)):
            await asyncio.sleep(0.02)
    return found


def _commands(marked: str) -> set[int]:
    found: set[int] = set()
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if marked.encode() in each.read_bytes():
                found.add(int(each.parent.name))
    return found - {os.getpid()}


async def gone(pids: set[int], seconds: float) -> None:
    """Wait until none of these is there; one that has ended and was not waited for counts as gone."""
    async with asyncio.timeout(seconds):
        while any(_lives(pid) for pid in pids):
            await asyncio.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill(pid: int) -> None:
    assert pid, "0 would be everybody here"
    os.kill(pid, signal.SIGKILL)
