"""The server's end of the pipes to a worker: answers in any order, problems as they were, nobody waits for ever."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from bottega.errors import NotFound, Problem
from bottega.server.problems import of
from bottega.server.staff import errands
from bottega.server.staff.asking import Asking
from bottega.server.staff.errands import Absent, CloseShell, Ping, Sent
from bottega.server.staff.supervisor import Supervisor
from tests.server.runs.front import front


class Far:
    """The other end, at which a test answers as it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def heard(self) -> Sent:
        return msgspec.json.decode(await self._reader.readline(), type=Sent)

    def say(self, line: bytes) -> None:
        self._writer.write(line)

    def end(self) -> None:
        self._writer.close()


@asynccontextmanager
async def joined() -> AsyncGenerator[tuple[Asking, Far]]:
    near, far = socket.socketpair()
    ours = await asyncio.open_connection(sock=near)
    theirs = await asyncio.open_connection(sock=far)
    asking = Asking(*ours)
    hearing = asyncio.create_task(asking.hear())
    try:
        async with asyncio.timeout(20):
            yield asking, Far(*theirs)
    finally:
        hearing.cancel()
        ours[1].close()
        theirs[1].close()


async def test_answers_may_overtake_each_other() -> None:
    async with joined() as (asking, far):
        one, two = (asyncio.create_task(asking.ask(Ping())) for _ in range(2))
        first, second = await far.heard(), await far.heard()
        far.say(errands.done(second.ref, "second") + errands.done(first.ref, "first"))
        assert [bytes(await each) for each in (one, two)] == [b'"first"', b'"second"']


async def test_a_problem_of_the_worker_is_told_with_its_code_and_its_hint() -> None:
    async with joined() as (asking, far):
        task = asyncio.create_task(asking.ask(CloseShell("sh_1")))
        sent = await far.heard()
        far.say(errands.failed(sent.ref, NotFound("There is no shell.", hint="List them.")))
        with pytest.raises(Problem) as told:
            await task
    assert (told.value.code, told.value.hint) == ("not_found", "List them.")
    assert of(told.value).status_code == 404


async def test_whoever_waits_for_a_worker_that_ends_hears_so_and_so_does_who_comes_later() -> None:
    async with joined() as (asking, far):
        task = asyncio.create_task(asking.ask(Ping(), within=None))
        await far.heard()
        far.end()
        with pytest.raises(Absent, match="has ended"):
            await task
        with pytest.raises(Absent, match="has ended"):
            await asking.ask(Ping())
    assert of(Absent("Nobody.")).status_code == 503


async def test_one_that_does_not_answer_in_time_is_not_waited_for_and_its_late_answer_harms_nobody() -> (
    None
):
    async with joined() as (asking, far):
        with pytest.raises(Absent, match="does not answer"):
            await asking.ask(Ping(), within=0.05)
        late = await far.heard()
        task = asyncio.create_task(asking.ask(Ping()))
        now = await far.heard()
        far.say(errands.done(late.ref, "late") + errands.done(now.ref, "now"))
        assert bytes(await task) == b'"now"'


async def test_where_no_worker_is_there_a_compaction_is_refused_for_now_and_nothing_is_held(
    home: Path, folder: Path
) -> None:
    async with front(home) as studio:
        session = await studio.start(folder=folder)
        supervisor = Supervisor(studio, ("true",), 1, lambda n, frame: None)
        studio.opened.elsewhere = supervisor
        with pytest.raises(Absent, match="No worker"):
            await session.compact()
        await session.close()
        assert supervisor.workers() == []
