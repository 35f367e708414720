"""Three processes on one home: two run, one follows."""

import asyncio
import os
import sqlite3
from itertools import groupby
from pathlib import Path

import msgspec
import pytest

from bottega.events import codec
from bottega.studio import Studio
from tests.chaos.after_death import stored
from tests.chaos.victim import CONTEXT, Handle
from tests.hunt import LONG

PROMPTS = 60 if LONG else 8
WORDS = " ".join(f"word{number}" for number in range(400))


def _run(home: str, model: str, folder: str, session_ids: list[str]) -> None:
    """Prompt two sessions at once, again and again, as two terminals would."""
    asyncio.run(_prompts(Path(home), session_ids))


async def _prompts(home: Path, session_ids: list[str]) -> None:
    async with Studio(home) as studio:
        sessions = [await studio.resume(session_id) for session_id in session_ids]
        for _ in range(PROMPTS):
            ends = await asyncio.gather(*[_end(session) for session in sessions])
            assert all(end.success for end in ends)


async def _end(session):  # type: ignore[no-untyped-def]
    return await session.prompt("go")


def _follow(home: str, session_ids: list[str], out: Handle) -> None:
    asyncio.run(_print(Path(home), session_ids, out.number))


async def _print(home: Path, session_ids: list[str], out: int) -> None:
    """Print (session, index) of all that comes, until each session has all its ends."""
    async with Studio(home) as studio:
        await asyncio.gather(*[_print_one(studio, session_id, out) for session_id in session_ids])


async def _print_one(studio: Studio, session_id: str, out: int) -> None:
    row = studio.runtime.sessions.get(session_id)
    ends, wanted = 0, PROMPTS * (2 if row.title == "shared" else 1)
    async for frame in studio.runtime.log.follow(row.n):
        for index, body in frame.events:
            os.write(out, msgspec.json.encode([row.n, index]) + b"\n")
            ends += codec.decode(index, body).type == "exchange_response"
        if ends == wanted:
            return


@pytest.mark.chaos
async def test_two_that_run_and_one_that_follows_see_no_gap_no_double_and_no_starvation(
    tmp_path: Path,
) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    script = tmp_path / "script.json"
    script.write_text(
        msgspec.json.encode({"turns": [[{"do": "say", "text": WORDS}]], "after": "repeat"}).decode()
    )
    model = f"scripted/{script}"
    async with Studio(home) as studio:
        titles = ("mine", "yours", "shared")
        made = [await studio.start(model=model, folder=folder, title=title) for title in titles]
    mine, yours, shared = (session.id for session in made)
    reads, writes = os.pipe()
    follower = CONTEXT.Process(
        target=_follow, args=(str(home), [mine, yours, shared], Handle(writes))
    )
    runners = [
        CONTEXT.Process(target=_run, args=(str(home), model, str(folder), [own, shared]))
        for own in (mine, yours)
    ]
    for process in (follower, *runners):
        process.start()
    os.close(writes)
    printed = b""
    while piece := await asyncio.to_thread(os.read, reads, 65536):
        printed += piece
    for process in (follower, *runners):
        await asyncio.to_thread(process.join, 60)
        assert process.exitcode == 0

    logs = stored(home)
    seen: dict[int, list[int]] = {n: [] for n in logs}
    for line in printed.splitlines():
        n, index = msgspec.json.decode(line)
        seen[n].append(index)
    for n, log in logs.items():
        assert seen[n] == [event.index for event in log]
    assert longest_wait(home) < 0.5, "one process kept the other out"


def longest_wait(home: Path) -> float:
    """The largest share of all commits that one session had to watch in a row while it had work itself."""
    connection = sqlite3.connect(home / "bottega.db")
    order = [n for (n,) in connection.execute("SELECT session FROM events ORDER BY n")]
    connection.close()
    first, second = sorted(set(order))[:2]
    own = [n for n in order if n in (first, second)]
    both = own[: max(own.index(first), own.index(second)) * -1 or None]
    return max(len(list(run)) for _, run in groupby(both)) / len(own)
