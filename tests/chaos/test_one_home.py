"""Three processes on one home: two run, one follows."""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.events import codec
from bottega.studio import Session, Studio
from tests.chaos.after_death import stored
from tests.forking import CONTEXT, Handle
from tests.hunt import LONG

PROMPTS = 60 if LONG else 20
WORDS = " ".join(f"word{number}" for number in range(400))


def _run(home: str, session_ids: list[str], start: Any, waits: Handle) -> None:
    """Prompt two sessions at once, again and again, as two terminals would."""
    asyncio.run(_prompts(Path(home), session_ids, start, waits.number))


async def _prompts(home: Path, session_ids: list[str], start: Any, waits: int) -> None:
    async with Studio(home) as studio:
        sessions = [await studio.resume(session_id) for session_id in session_ids]
        await asyncio.to_thread(start.wait, 30)
        for _ in range(PROMPTS):
            own, shared = await asyncio.gather(*[_watched(studio, session) for session in sessions])
            os.write(waits, msgspec.json.encode([own, shared]) + b"\n")


async def _watched(studio: Studio, session: Session) -> int:
    """Run one prompt; return how many rows others stored between its submission and its admission."""
    database = studio.runtime.database
    before = database.read_now(lambda c: c.execute("SELECT MAX(n) FROM events").fetchone()[0]) or 0
    answer = session.prompt("go")
    admitted = 0
    async for event in answer:
        if event.type == "prompt_queued":
            admitted = _place(studio, session, event.index)
        if event.type == "exchange_response":
            assert event.data.success
    return admitted - before - 1


def _place(studio: Studio, session: Session, index: int) -> int:
    """Where an event stands among the rows of all sessions."""
    where = (session.row.n, index)
    return studio.runtime.database.read_now(
        lambda c: c.execute("SELECT n FROM events WHERE session = ? AND idx = ?", where).fetchone()
    )[0]


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
    told, tells = os.pipe()
    start = CONTEXT.Barrier(2)
    follower = CONTEXT.Process(
        target=_follow, args=(str(home), [mine, yours, shared], Handle(writes))
    )
    runners = [
        CONTEXT.Process(target=_run, args=(str(home), [own, shared], start, Handle(tells)))
        for own in (mine, yours)
    ]
    for process in (follower, *runners):
        process.start()
    os.close(writes)
    os.close(tells)
    printing = asyncio.create_task(_all_of(reads))
    waits = await _all_of(told)
    for process in runners:
        await asyncio.to_thread(process.join, 60)
    if any(process.exitcode for process in runners):
        follower.terminate()  # it waits for ends that will not come
    printed = await printing
    await asyncio.to_thread(follower.join, 60)
    assert [process.exitcode for process in (*runners, follower)] == [0, 0, 0]

    logs = stored(home)
    seen: dict[int, list[int]] = {n: [] for n in logs}
    for line in printed.splitlines():
        n, index = msgspec.json.decode(line)
        seen[n].append(index)
    for n, log in logs.items():
        assert seen[n] == [event.index for event in log]
    rows = sum(map(len, logs.values()))
    longest = max(max(msgspec.json.decode(line)) for line in waits.splitlines())
    assert longest < rows / 8, f"a prompt saw {longest} of {rows} rows go by before it got in"


async def _all_of(pipe: int) -> bytes:
    """What is written to a pipe until all who write have ended."""
    parts: list[bytes] = []
    while piece := await asyncio.to_thread(os.read, pipe, 65536):
        parts.append(piece)
    os.close(pipe)
    return b"".join(parts)
