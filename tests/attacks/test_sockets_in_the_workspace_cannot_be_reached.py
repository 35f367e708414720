"""Severity: medium (M6). A program outside listens on a socket in the workspace; a sandboxed command talks to it."""

import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bottega.workspaces.confine import Root
from bottega.workspaces.network.egress import Egress
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.way import WayOut
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.walls import seccomp
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock

TRIES = {
    "connect": "s = socket.socket(socket.AF_UNIX); s.connect(stream); s.sendall(word)",
    "packets": "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(packets); s.send(word)",
    "datagram": "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(word, datagrams)",
    "one of a pair, sent": "s, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(word, datagrams)",
    "one of a pair, connected": (
        "s, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(datagrams); s.send(word)"
    ),
    "one of a raw pair": "s, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); s.sendto(word, datagrams)",
    "flags beside the kind": (
        "s, _ = socket.socketpair(socket.AF_UNIX, 2 | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK);"
        " s.sendto(word, datagrams)"
    ),
    "high bits in the arguments": (
        "a = (ctypes.c_int * 2)(); n = libc.syscall(numbers[1], 1 | 1 << 40, 2 | 1 << 40, 0, a);"
        " s = socket.socket(fileno=a[0]); s.sendto(word, datagrams)"
    ),
    "one of a stream pair": (
        "s, t = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM); t.close();"
        " libc.connect(s.fileno(), bytes(16), 2); s.connect(stream); s.sendall(word)"
    ),
    "one of a packet pair": (
        "s, t = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); t.close();"
        " s.sendto(word, packets); s.connect(packets); s.send(word)"
    ),
    "a number of the other table": (
        "n = libc.syscall(numbers[0] | 0x40000000, 1, 1, 0); s = socket.socket(fileno=n);"
        " s.connect(stream); s.sendall(word)"
    ),
    "what was inherited": (
        "import os\n"
        "for n in range(64):\n"
        "  try:\n"
        "    s = socket.socket(fileno=os.dup(n)); s.connect(stream); s.sendall(word)\n"
        "  except OSError: pass"
    ),
}
PROGRAM = """
import ctypes, socket, sys
libc = ctypes.CDLL(None)
word, numbers = b"reached", {numbers}
stream, packets, datagrams = "stream.sock", "packets.sock", "datagrams.sock"
try:
    exec(sys.argv[1])
except OSError as problem:
    sys.exit(problem.errno)
"""
PAIRS = """
import asyncio, multiprocessing, socket
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    one.send(b"x"); assert other.recv(1) == b"x"
one, other = multiprocessing.Pipe(); one.send("x"); assert other.recv() == "x"
async def main(): await asyncio.sleep(0)
asyncio.run(main()); print("fine")
"""


class Listening:
    """What a program outside has in the workspace."""

    def __init__(self, folder: Path) -> None:
        self.ends: dict[str, socket.socket] = {}
        for name, kind in (
            ("stream", socket.SOCK_STREAM),
            ("packets", socket.SOCK_SEQPACKET),
            ("datagrams", socket.SOCK_DGRAM),
        ):
            end = self.ends[name] = socket.socket(socket.AF_UNIX, kind)
            end.bind(str(folder / f"{name}.sock"))
            os.chmod(folder / f"{name}.sock", 0o777)
            end.setblocking(False)
            if kind != socket.SOCK_DGRAM:
                end.listen()

    def reached(self) -> list[str]:
        found: list[str] = []
        for name, end in self.ends.items():
            try:
                if name == "datagrams":
                    end.recv(100)
                else:
                    end.accept()[0].close()
                found.append(name)
            except BlockingIOError:
                continue
        return found

    def close(self) -> None:
        for end in self.ends.values():
            end.close()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with rooms.open_folder() as base:
        (base / "ws").mkdir()
        yield base / "ws"


@pytest.fixture(scope="module")
def listening(folder: Path) -> Iterator[Listening]:
    made = Listening(folder)
    yield made
    made.close()


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[
        pytest.param("bubblewrap", marks=needs_bubblewrap),
        pytest.param("bubblewrap with network", marks=needs_bubblewrap),
        pytest.param("landlock", marks=needs_landlock),
    ],
)
async def sandbox(
    request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Opened]:
    kind, _, network = request.param.partition(" with ")
    egress = Egress(WayOut(Guard()))
    local = Local(tmp_path_factory.mktemp("state"), best=kind, egress=egress)
    opened = await local.open(Root(folder), network=bool(network))
    yield opened
    await opened.close()


@pytest.mark.asyncio(loop_scope="module")
async def test_no_socket_of_a_program_outside_is_reached(
    sandbox: Opened, folder: Path, listening: Listening
) -> None:
    numbers = (41, 53) if os.uname().machine == "x86_64" else (198, 199)
    source = PROGRAM.replace("{numbers}", repr(numbers))
    for attempt, tried in TRIES.items():
        await rooms.run(sandbox, "/usr/bin/python3", "-IS", "-c", source, tried)
        assert listening.reached() == [], attempt


@pytest.mark.asyncio(loop_scope="module")
async def test_pairs_that_lead_nowhere_else_still_work(sandbox: Opened) -> None:
    done = await rooms.run(sandbox, "/usr/bin/python3", "-c", PAIRS)
    assert (done.out, done.code) == ("fine\n", 0), done.err


def test_the_tries_reach_them_where_there_is_no_sandbox(folder: Path, listening: Listening) -> None:
    import subprocess

    source = PROGRAM.replace("{numbers}", "(41, 53)")
    for attempt in ("connect", "packets", "datagram", "one of a pair, sent", "one of a raw pair"):
        subprocess.run(["/usr/bin/python3", "-c", source, TRIES[attempt]], cwd=folder, check=True)
        assert listening.reached(), attempt


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_the_same_on_every_machine(machine: str, strict: bool) -> None:
    code = seccomp.filter_code(strict=strict, machine=machine)
    pair = {"x86_64": 53, "aarch64": 199}[machine]
    assert pair.to_bytes(4, "little") in [code[at + 4 : at + 8] for at in range(0, len(code), 8)]
