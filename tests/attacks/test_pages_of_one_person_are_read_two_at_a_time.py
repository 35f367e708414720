"""Severity: medium. An agent fetches eight heavy pages at once, again and again: the programs that look for their main
text are two for one person, whatever is asked, give way to all others, and hold nobody else up.
"""

import asyncio
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from bottega.fairness import acting_for
from bottega.tools.web import page, reader

PROGRAM = """
import os, sys, time
sys.stdin.read()
name = os.path.join({folder!r}, str(os.getpid()))
open(name, "w").close()
print(len(os.listdir({folder!r})) * "x" * 300)
time.sleep(0.1)
os.remove(name)
"""


async def _read_as(person: int | None, pages: int) -> list[int]:
    """For each of these pages how many were read when it was."""

    async def read() -> int:
        return len((await reader.readable("", "http://a", 9_000)).content) // 300

    if person is None:
        return await asyncio.gather(*(read() for _ in range(pages)))
    with acting_for(person):
        return await asyncio.gather(*(read() for _ in range(pages)))


@pytest.fixture
def _counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "running"
    folder.mkdir()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(folder=str(folder)))
    monkeypatch.setattr(reader, "program", SimpleNamespace(__file__=str(program)))


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("person", [1, None])
async def test_of_one_person_no_more_than_two_are_read_at_once(person: int | None) -> None:
    assert 1 <= max(await _read_as(person, 5)) <= reader.AT_ONCE


@pytest.mark.usefixtures("_counted")
async def test_another_person_waits_for_none_of_them() -> None:
    greedy = asyncio.create_task(_read_as(1, 8))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    await _read_as(2, 1)
    assert time.monotonic() - began < 0.6
    assert not greedy.done()
    await greedy


async def test_such_a_program_gives_way_and_has_bounds() -> None:
    code = f"""
import os, resource, sys
from {page.__name__.rpartition(".")[0]} import page
page.readable = lambda *_: f"{{os.nice(0)}} {{resource.getrlimit(resource.RLIMIT_AS)[0]}}"
page.main()
"""
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, "99"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await running.communicate(b"http://a\n")
    nice, memory = map(int, told.split())
    assert nice > os.nice(0)
    assert memory <= 1 << 30
