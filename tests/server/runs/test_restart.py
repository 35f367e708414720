"""A server that was killed: its next start finds every unfinished run, and does with it what the settings say."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bottega.messages.block import plain_text
from bottega.studio import Session, Studio
from tests.server.runs.front import Follower, front, say, script, until
from tests.server.serving import Serving

RUNS = 6


@asynccontextmanager
async def killed(
    home: Path, folder: Path, tmp_path: Path, on_crash: str
) -> AsyncIterator[tuple[Serving, Studio, list[Session]]]:
    """A server that died in the middle of several answers, and is not started again yet."""
    gate = tmp_path / "gate"
    half = [{"do": "say", "text": "Half an answer. "}, {"do": "gate", "path": str(gate)}]
    model = script(tmp_path / "s.json", [*half, {"do": "say", "text": "The rest."}])
    with Serving(home, folder, environment={"BOTTEGA_ON_CRASH": on_crash}) as serving:
        async with front(home) as studio:
            sessions = [await studio.start(model=model, folder=folder) for _ in range(RUNS)]
            await asyncio.gather(*map(say, sessions))
            await asyncio.gather(*(until(each, "text_delta") for each in sessions))
            serving.kill()
            gate.touch()
            yield serving, studio, sessions


@pytest.mark.requirement("C21")
@pytest.mark.parametrize(
    ("on_crash", "ends_with", "status"),
    [
        ("auto", "exchange_response", "idle"),
        ("park", "approval_required", "waiting"),
        ("fail", "exchange_response", "idle"),
    ],
)
async def test_every_unfinished_run_is_seen_to_within_five_seconds_of_the_start(
    home: Path, folder: Path, tmp_path: Path, on_crash: str, ends_with: str, status: str
) -> None:
    async with killed(home, folder, tmp_path, on_crash) as (serving, studio, sessions):
        serving.start()
        began = time.monotonic()
        await asyncio.gather(*(until(each, ends_with) for each in sessions))
        took = time.monotonic() - began
        async with asyncio.timeout(5):
            while {studio.find(each.id).row.status for each in sessions} != {status}:
                await asyncio.sleep(0.02)
        logs = [await each.facts() for each in sessions]
        histories = [await each.history() for each in sessions]
    assert took < 5
    for log, history in zip(logs, histories, strict=True):
        kinds = [event.type for event in log]
        assert kinds.count("interrupted") == 1
        if on_crash in ("auto", "resume"):  # whoever prompted was there a moment ago
            assert log[-1].data.final_response == "Half an answer. The rest."
            assert kinds.count("message_start") == 2
        elif on_crash == "fail":
            assert log[-1].data.completion_reason == "interrupted"
            assert plain_text(history[-1].content).startswith("Half an answer.")
            assert kinds.count("message_start") == 1


async def test_nothing_is_asked_again_at_the_starts_after_it_and_one_word_has_it_go_on(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    async with killed(home, folder, tmp_path, "park") as (serving, _, (session, *_)):
        serving.start()
        await until(session, "approval_required")
        for _ in range(3):
            serving.kill()
            serving.start()
        (ask,) = session.asks()
        await session.answer(ask, "continue")
        await until(session, "exchange_response")
        log = await session.facts()
    kinds = [event.type for event in log]
    assert kinds.count("approval_required") == 1
    assert kinds.count("interrupted") == 1
    assert kinds[kinds.index("approval_resolved") + 1] == "stream_reset"
    assert log[-1].data.success


@pytest.mark.requirement("S15", "S16")
async def test_two_servers_on_one_home_share_the_work_and_keep_the_order(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    model = script(tmp_path / "s.json", [{"do": "say", "text": "Done."}], after="repeat")
    with Serving(home, folder), Serving(home, folder):
        async with front(home) as studio:
            sessions = [await studio.start(model=model, folder=folder) for _ in range(4)]
            said = [[await say(each) for _ in range(5)] for each in sessions]
            await asyncio.gather(*(until(each, "exchange_response", 5) for each in sessions))
            for session, ids in zip(sessions, said, strict=True):
                log = await session.facts()
                begun = [e.message_id for e in log if e.type == "user_message"]
                ended = [e.message_id for e in log if e.type == "exchange_response"]
                assert begun == ended == ids
                assert "interrupted" not in [event.type for event in log]


async def test_a_server_that_dies_beside_another_is_taken_over_within_its_next_look(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = script(
        tmp_path / "s.json", [{"do": "say", "text": "Half. "}, {"do": "gate", "path": str(gate)}]
    )
    with Serving(home, folder) as first:
        async with front(home) as studio:
            session = await studio.start(model=model, folder=folder)
            follower = Follower(studio, session)
            await say(session)
            await until(session, "text_delta")
            with Serving(home, folder):
                first.kill()
                gate.touch()
                log = await follower.end()
    assert [event.type for event in log].count("interrupted") == 1
    assert log[-1].data.success
