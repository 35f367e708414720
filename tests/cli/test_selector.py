"""An event loop of which the kernel refuses to watch more: what is refused is polled, and nobody notices."""

import asyncio
import errno
import os
import select
import selectors
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bottega.cli.selector import SteadySelector
from tests.hunt import LONG


class FullEpoll:
    """The system's, with room for so many watches; then it answers as the kernel does."""

    room = 3

    def __init__(self) -> None:
        self._real, self._count = select.epoll(), 0

    def register(self, fd: int, events: int) -> None:
        if self._count >= self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._real.register(fd, events)
        self._count += 1

    def unregister(self, fd: int) -> None:
        self._real.unregister(fd)
        self._count -= 1

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors.EpollSelector, "_selector_cls", FullEpoll)


async def answered(count: int) -> None:
    """Many clients of one server at once, each of which says something twice."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while said := await reader.readline():
            writer.write(said.upper())
        writer.close()

    async def ask(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for said in (b"one\n", b"two\n"):
            writer.write(said)
            await asyncio.sleep(0.01)
            assert await reader.readline() == said.upper()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1") as server, asyncio.timeout(30):
        port = server.sockets[0].getsockname()[1]
        for _ in range(3):
            await asyncio.gather(*(ask(port) for _ in range(count)))


def test_a_loop_without_room_for_another_watch_serves_all_the_same(full: None) -> None:
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(SteadySelector())) as runner:
        runner.run(answered(20))


def test_what_is_ready_is_told_wherever_it_is_watched(full: None) -> None:
    pairs = [socket.socketpair() for _ in range(6)]
    selector = SteadySelector()
    try:
        for n, (ours, _) in enumerate(pairs):
            assert selector.register(ours, selectors.EVENT_READ, n).data == n
        for n in (0, 5):
            pairs[n][1].send(b"x")
        assert sorted(key.data for key, _ in selector.select(5)) == [0, 5]
        selector.modify(pairs[5][0], selectors.EVENT_WRITE, "changed")
        told = {key.data: events for key, events in selector.select(5)}
        assert told == {0: selectors.EVENT_READ, "changed": selectors.EVENT_WRITE}
        assert selector.get_key(pairs[4][0]).data == 4
        with pytest.raises(KeyError):
            selector.register(pairs[5][0], selectors.EVENT_READ)
        for ours, _ in pairs:
            selector.unregister(ours)
        assert selector.select(0) == []
        with pytest.raises(KeyError):
            selector.unregister(pairs[5][0])
    finally:
        selector.close()
        for each in (each for pair in pairs for each in pair):
            each.close()


FILL = """
import os, resource, select, sys
os.setuid({user})
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
pipe, kept = os.pipe()[0], []
copies = [os.dup(pipe) for _ in range(2000)]
try:
    while True:
        kept.append(select.epoll())
        for each in copies:
            kept[-1].register(each, select.EPOLLIN)
except OSError as problem:
    print(problem.errno, flush=True)
sys.stdin.read()
"""
SERVE = """
import asyncio, os
from bottega.cli.selector import make
from tests.cli.test_selector import answered
os.setuid({user})
with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(make())) as runner:
    runner.run(answered(50))
"""
SOMEBODY = 54_321


@pytest.mark.chaos
@pytest.mark.skipif(not LONG, reason="a part of make chaos: it takes a gigabyte of the kernel's")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become the user whose watches go")
def test_a_program_that_takes_all_watches_of_its_user_stops_no_server() -> None:
    filling = [sys.executable, "-c", FILL.format(user=SOMEBODY)]
    with subprocess.Popen(
        filling, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as filler:
        assert filler.stdout
        assert int(filler.stdout.readline()) == errno.ENOSPC
        serving = [sys.executable, "-c", SERVE.format(user=SOMEBODY)]
        root = Path(__file__).parents[2]
        done = subprocess.run(
            serving, cwd=root, capture_output=True, text=True, timeout=60, check=False
        )
        assert filler.stdin
        filler.stdin.close()
    assert done.returncode == 0, done.stderr
