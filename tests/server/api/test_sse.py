"""A stream, as a web server sees it: what it writes, when it stops, and whom it holds."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bottega.events.event import Event
from bottega.events.facts import TextDelta
from bottega.runtime import MIGRATIONS
from bottega.server import sse
from bottega.sessions.log import Log, insert
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.database import Database
from bottega.storage.home import Home


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(Home(tmp_path / "home"), MIGRATIONS)
    yield opened
    opened.close()


@pytest.fixture
async def log(database: Database) -> AsyncIterator[Log]:
    opened = Log(database)
    yield opened
    opened.close()


@pytest.fixture
async def session(database: Database) -> SessionRow:
    return await Sessions(database).create(model="m", agent="a", folder="/")


async def grow(database: Database, session: SessionRow, count: int) -> None:
    events = [Event("text_delta", 1, TextDelta(f"{place}"), "m") for place in range(count)]
    await database.write(lambda c: insert(c, session.n, events))


class Web:
    """Takes what a response sends; `leave` is a client that goes away, `full` one that does not read."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.leave = asyncio.Event()
        self.full = asyncio.Event()
        self.some = asyncio.Event()
        self.ended = False

    async def receive(self) -> Any:
        await self.leave.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.ended = self.ended or message.get("more_body") is False
        if chunk := message.get("body"):
            self.sent.append(chunk)
        if b"id: " in b"".join(self.sent):
            self.some.set()
            if self.full.is_set():
                await asyncio.Event().wait()


def streaming(log: Log, session: SessionRow, stopping: asyncio.Event) -> sse.Stream:
    async def speak(write: sse.Write) -> None:
        if not await sse.follow(log, session.n, 0, write):
            await write(sse.ended(session.id))

    return sse.Stream(speak, stopping)


@pytest.mark.parametrize("reads", [True, False])
async def test_whoever_goes_away_is_followed_for_no_longer(
    log: Log, database: Database, session: SessionRow, reads: bool
) -> None:
    await grow(database, session, 3)
    web = Web()
    if not reads:
        web.full.set()
    run = asyncio.create_task(streaming(log, session, asyncio.Event())({}, web.receive, web.send))
    await web.some.wait()
    assert log.feed(session.n).followers == 1
    web.leave.set()
    await run
    assert log.feed(session.n).followers == 0
    assert not web.ended, "nobody is there to be told"


async def test_many_events_go_out_in_one_write(
    log: Log, database: Database, session: SessionRow
) -> None:
    await grow(database, session, 300)
    web, stopping = Web(), asyncio.Event()
    run = asyncio.create_task(streaming(log, session, stopping)({}, web.receive, web.send))
    await web.some.wait()
    stopping.set()
    await run
    assert web.ended
    assert len(web.sent) == 2
    assert web.sent[1].count(b"\nid: ") + 1 == 300


async def test_a_stream_without_events_shows_that_it_lives(
    log: Log, session: SessionRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT", 0.01)
    beats = asyncio.Queue[bytes]()
    run = asyncio.create_task(sse.follow(log, session.n, 0, beats.put))
    assert [await beats.get() for _ in range(3)] == [sse.BEAT] * 3
    run.cancel()
    with suppress(asyncio.CancelledError):
        await run


async def test_a_session_that_is_gone_before_it_is_followed_ends_the_stream(
    log: Log, database: Database, session: SessionRow
) -> None:
    await database.write(lambda c: c.execute("DELETE FROM sessions").close())
    web = Web()
    await streaming(log, session, asyncio.Event())({}, web.receive, web.send)
    assert web.ended
    assert b"event: session-ended" in web.sent[-1]


def test_a_body_that_is_laid_out_in_lines_is_one_message() -> None:
    assert sse.message(b'{\r\n"a":\r1}\n', index=7) == (
        b'id: 7\ndata: {\ndata: "a":\ndata: 1}\ndata: \n\n'
    )
