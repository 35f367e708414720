"""How much programs may use: bombs of every kind end in the sandbox, and the neighbour goes on."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Launch
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import counted, needs_bubblewrap
from tests.workspaces.sandbox.rooms import (
    Done,
    Pulse,
    bash,
    dropped,
    finished,
    line_of,
    python_in,
    run,
)

pytestmark = [needs_bubblewrap, pytest.mark.asyncio(loop_scope="module")]
MIB = 1 << 20
SMALL = Bounds(
    processes=40, memory=96 * MIB, file=8 * MIB, files=64, cpu=2, scratch=4 * MIB, silence=30
)


@pytest.fixture(scope="module", params=rooms.OWNERS.values(), ids=rooms.OWNERS)
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    with rooms.open_folder(request.param) as base:
        made = base / "ws"
        made.mkdir()
        rooms.given_to(base, request.param)
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def small(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    sandbox = await Local(tmp_path_factory.mktemp("state"), bounds=SMALL).open(Root(folder))
    yield sandbox
    await sandbox.close()


async def python(sandbox: Opened, folder: Path, code: str) -> Done:
    return await run(sandbox, python_in(folder), "-I", "-S", "-c", code)


FORKS = """
import os, time
made = 0
while made < 500:
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError:
        break
    made += 1
print(made, flush=True)
os.killpg(0, 9)
"""


async def test_processes_are_bounded(small: Opened, folder: Path) -> None:
    program = await small.start(Launch((python_in(folder), "-I", "-S", "-c", FORKS)))
    made = int((await finished(program)).out)
    await program.kill()  # returns once nothing of it is left
    assert 5 < made <= SMALL.processes
    assert (await bash(small, "echo next")).out == "next\n"


async def test_a_fork_bomb_is_killed_and_the_neighbour_does_not_feel_it(
    small: Opened, folder: Path, tmp_path: Path
) -> None:
    pulse = Pulse(folder)
    bomb = "echo up; b() { b 2>/dev/null | b 2>/dev/null & }; b; while :; do b; sleep 0.01; done"
    program = await small.start(Launch(("bash", "-c", f"{pulse.held} {bomb}")))
    assert await line_of(program) == "up"
    with rooms.open_folder() as other:
        neighbour = await Local(tmp_path / "state").open(Root(other))
        begin = time.monotonic()
        for _ in range(10):
            assert (await bash(neighbour, "echo well")).out == "well\n"
        assert time.monotonic() - begin < 10
        await neighbour.close()
    async with asyncio.timeout(10):
        await program.kill()
    assert await pulse.stops(0)
    dropped(program)
    pulse.close()
    assert (await bash(small, "echo next")).out == "next\n"


async def test_memory_of_one_program_is_bounded(small: Opened, folder: Path) -> None:
    done = await python(small, folder, "x = bytearray(300 << 20); print('had it')")
    assert "had it" not in done.out
    assert done.code != 0
    assert (await bash(small, "echo next")).out == "next\n"


MANY = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        x = bytearray(b"x") * (30 << 20)
        time.sleep(3)
        os._exit(0)
ended = 0
for _ in range(6):
    pid, status = os.wait()
    ended += status == 9
    if ended:
        break
print("killed", ended, flush=True)
os.killpg(0, 9)
"""


@counted
async def test_memory_is_bounded_for_all_programs_together(small: Opened, folder: Path) -> None:
    """Each takes less than the bound; the kernel ends the one that was too many."""
    done = await python(small, folder, MANY)
    assert "killed 1" in done.out or done.code != 0
    assert (await bash(small, "echo next")).out == "next\n"


HELD = """
import mmap, os
held = []
for _ in range(40):
    fd = os.memfd_create("x")
    os.ftruncate(fd, 7 << 20)
    area = mmap.mmap(fd, 7 << 20)
    area.write(b"x" * (7 << 20))
    held.append(area)
print("had it")
"""


@counted
async def test_memory_that_hides_in_nameless_files_is_counted(small: Opened, folder: Path) -> None:
    done = await python(small, folder, HELD)
    assert "had it" not in done.out
    assert (await bash(small, "echo next")).out == "next\n"


@pytest.mark.parametrize("place", ["/tmp", "$HOME", "/dev/shm"])
async def test_places_in_memory_are_bounded(small: Opened, place: str) -> None:
    done = await bash(small, f"head -c 7000000 /dev/zero > {place}/x; rm {place}/x")
    assert "No space left" in done.err


async def test_a_file_is_bounded_even_where_it_is_hollow(small: Opened, folder: Path) -> None:
    done = await bash(small, "head -c 9000000 /dev/zero > big; echo $?; truncate -s 1T hollow")
    assert done.out.split()[0] != "0"
    assert done.code != 0
    assert (folder / "big").stat().st_size <= SMALL.file
    (folder / "big").unlink()
    (folder / "hollow").unlink(missing_ok=True)


async def test_open_files_are_bounded(small: Opened, folder: Path) -> None:
    code = "held = []\ntry:\n  while True: held.append(open('/dev/null'))\nexcept OSError: print(len(held))"
    assert int((await python(small, folder, code)).out) < SMALL.files


async def test_time_on_the_processor_is_bounded(small: Opened) -> None:
    done = await bash(small, "ulimit -t")
    assert done.out.strip() == "2"


async def test_inodes_in_memory_do_not_reach_the_neighbour(small: Opened, folder: Path) -> None:
    """Empty files take the kernel's memory, which is counted too."""
    code = """
import os
made = 0
try:
    while made < 20000:
        os.close(os.open(f"/tmp/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError:
    pass
print("made", made)
"""
    done = await python(small, folder, code)
    assert "made" in done.out or done.code != 0
    await bash(small, "find /tmp -type f -delete")
    assert (await bash(small, "echo next")).out == "next\n"
