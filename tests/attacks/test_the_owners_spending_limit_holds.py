"""Severity: medium (M1, M2). A guest gets past the owner's limit on all exchanges: by answering the question about it
themselves, or by exchanges that run at once.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bottega import Ask, Reply
from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.sessions import spent
from bottega.sessions.session import HOST
from bottega.studio import Session, Studio
from tests.agents.test_types import of, say

Scripted = Callable[..., str]
CALL = 100
USAGE = {"input_tokens": 90, "output_tokens": 10}


def _model(scripted: Scripted, turns: int = 1) -> str:
    slow: dict[str, Any] = {**say("word " * 10), "pieces": 10, "pace_ms": 10}
    return scripted(*({"steps": [slow], "usage": USAGE} for _ in range(turns)))


async def _guest(studio: Studio, folder: Path) -> int:
    database = studio.runtime.database
    person = await People(database).add("guest")
    await Projects(database).add(folder, person.n)
    return person.n


def _raise(_: Ask) -> Reply:
    return Reply("raise")


async def test_a_guest_does_not_raise_the_owners_limit(home: Path, folder: Path) -> None:
    async with Studio(home, flags={"window_tokens": 1}) as studio:
        guest = await _guest(studio, folder)
        session = await studio.start(model="guide", folder=folder, owner=guest)
        assert (await session.prompt("go", on_approval=_raise)).success
        end = await session.prompt("go", on_approval=_raise)
        log = await session.facts()
    assert (end.completion_reason, end.iterations) == ("resource_limit_exceeded", 0)
    assert not of(log, "approval_required")
    assert "owner" in of(log, "error_message")[-1].hint


async def test_the_owner_raises_it(home: Path, folder: Path, scripted: Scripted) -> None:
    async with Studio(home, flags={"window_tokens": CALL}) as studio:
        session = await studio.start(model=_model(scripted, 2), folder=folder)
        assert (await session.prompt("go", on_approval=_raise)).success
        assert (await session.prompt("go", on_approval=_raise)).success


async def test_exchanges_that_run_at_once_do_not_pass_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, flags={"window_tokens": 5 * CALL}) as studio:
        model = _model(scripted)

        async def ran() -> bool:
            session: Session = await studio.start(model=model, folder=folder)
            return (await session.prompt("go")).success

        assert await ran()
        succeeded = await asyncio.gather(*(ran() for _ in range(20)))
        used = spent.in_last(studio.runtime.database, 24, HOST)
    assert sum(succeeded) == 4
    assert used.tokens == 5 * CALL
