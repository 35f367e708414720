"""What an onlooker can see and do, tried by a shell that is started as one."""

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.landlocked import restrict
from bottega.workspaces.onlooker import Look, Seen, look
from tests.processes import children


def can_restrict() -> bool:
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(restrict((), ())))
    thread.start()
    thread.join()
    return answers[0]


needs_landlock = pytest.mark.skipif(not can_restrict(), reason="the kernel has no Landlock")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    inside = tmp_path / "ws"
    inside.mkdir()
    (inside / "file").write_text("inside\n")
    (tmp_path / "secret").write_text("canary\n")
    (inside / "link").symlink_to("../secret")
    opened = os.open(inside, os.O_RDONLY)
    yield opened
    os.close(opened)


async def shell(folder: int, script: str, seconds: float = 20) -> tuple[Seen, str]:
    said: list[bytes] = []

    def take(piece: bytes) -> bool:
        said.append(piece)
        return True

    seen = await look(Look(("/bin/sh", "-c", script), folder, (folder,), seconds=seconds), take)
    return seen, b"".join(said).decode()


async def test_it_starts_in_the_folder_with_an_empty_environment(folder: int) -> None:
    seen, said = await shell(folder, 'read line < file; echo "$line $HOME$USER$PYTHONPATH"; exit 3')
    assert (seen.code, said) == (3, "inside \n")


@needs_landlock
@pytest.mark.requirement("A35")
@pytest.mark.parametrize(
    "path", ["../secret", "link", "/etc/passwd", "/proc/self/environ", "/proc/self/cwd/../secret"]
)
async def test_it_reads_nothing_outside_the_folder(folder: int, path: str) -> None:
    seen, said = await shell(folder, f"read line < {path} && echo got $line")
    assert "got" not in said
    assert "Permission denied" in seen.errors


@needs_landlock
@pytest.mark.parametrize("script", ["echo x > file", "echo x > new", "/usr/bin/env", "./file"])
async def test_it_neither_writes_nor_runs_anything(
    folder: int, tmp_path: Path, script: str
) -> None:
    (tmp_path / "ws" / "file").chmod(0o755)
    seen, said = await shell(folder, script)
    assert seen.code != 0
    assert said == ""
    assert (tmp_path / "ws" / "file").read_text() == "inside\n"
    assert not (tmp_path / "ws" / "new").exists()


@needs_landlock
async def test_it_reads_only_what_was_opened_for_it(folder: int, tmp_path: Path) -> None:
    (tmp_path / "ws" / "other").write_text("other\n")
    opened = os.open(tmp_path / "ws" / "file", os.O_RDONLY)
    said: list[bytes] = []
    script = "read a < file; read b < other; echo $a $b"
    await look(
        Look(("/bin/sh", "-c", script), folder, (opened,)), lambda each: not said.append(each)
    )
    os.close(opened)
    assert b"".join(said) == b"inside\n"


@needs_landlock
async def test_what_it_lost_nobody_else_has_lost(folder: int, tmp_path: Path) -> None:
    await shell(folder, "true")
    assert (tmp_path / "secret").read_text() == "canary\n"
    assert await asyncio.to_thread((tmp_path / "secret").read_text) == "canary\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


async def test_its_time_is_limited(folder: int) -> None:
    seen, said = await shell(folder, "echo begun; while :; do :; done", seconds=0.2)
    assert seen.late
    assert said == "begun\n"
    assert seen.code < 0


async def test_it_ends_when_the_taker_has_enough(folder: int) -> None:
    taken: list[int] = []

    def take(piece: bytes) -> bool:
        taken.append(len(piece))
        return sum(taken) < 100_000

    seen = await look(
        Look(("/bin/sh", "-c", "while :; do echo line; done"), folder, (folder,)), take
    )
    assert seen.enough
    assert not seen.late
    assert sum(taken) < 400_000


async def test_what_the_taker_raises_is_raised_and_ends_it(folder: int) -> None:
    def take(piece: bytes) -> bool:
        raise ValueError(piece)

    with pytest.raises(ValueError, match="line"):
        await look(Look(("/bin/sh", "-c", "while :; do echo line; done"), folder, (folder,)), take)


async def test_a_program_that_is_not_there_is_said_so(folder: int) -> None:
    with pytest.raises(FileNotFoundError):
        await look(Look(("/nowhere/program",), folder, (folder,)), lambda _: True)


async def test_a_cancel_before_it_has_started_ends_it_too(folder: int) -> None:
    before = children()
    for turns in range(10):
        task = asyncio.create_task(shell(folder, "while :; do :; done"))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert children() <= before
