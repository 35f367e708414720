"""What a model call is counted as: what its provider says, and an estimate of what no provider says."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import bottega
from bottega.agents.model import Model
from bottega.events import facts
from bottega.per_person import PerPerson
from bottega.studio import Studio
from tests.agents.test_types import say

Scripted = Callable[..., str]
USAGE = {"input_tokens": 90, "output_tokens": 10}
WORDS = "many words " * 400

Row = tuple[int, int]
"""Tokens, and whether some of them are estimated."""


async def _rows(studio: Studio) -> list[Row]:
    return await studio.runtime.database.read(
        lambda c: c.execute("SELECT tokens, estimated FROM spent ORDER BY rowid").fetchall()
    )


async def _counted(home: Path, folder: Path, model: str) -> tuple[list[Row], int]:
    """The rows of one exchange, and the calls that are left under way."""
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("go")
        (left,) = await studio.runtime.database.read(
            lambda c: c.execute("SELECT COUNT(*) FROM calls").fetchone()
        )
        return await _rows(studio), left


async def test_what_the_provider_counts_is_noted_as_it_is(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    rows, left = await _counted(home, folder, scripted({"steps": [say("Hi.")], "usage": USAGE}))
    assert (rows, left) == ([(100, 0)], 0)


async def test_a_try_that_was_cut_after_its_first_words_is_estimated_besides(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    steps: list[dict[str, Any]] = [say(WORDS), {"do": "reset"}, say("Hi.")]
    ((tokens, estimated),), left = await _counted(
        home, folder, scripted({"steps": steps, "usage": USAGE})
    )
    assert tokens > 100 + 800
    assert (estimated, left) == (1, 0)


async def test_an_answer_that_broke_off_is_estimated(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    rows, left = await _counted(home, folder, scripted([say(WORDS), {"do": "cut"}]))
    assert [estimated for _, estimated in rows] == [1]
    assert rows[0][0] > 800
    assert left == 0


async def test_what_a_provider_refuses_costs_nothing(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    assert await _counted(home, folder, scripted([{"do": "fail", "code": "bad_key"}])) == ([], 0)


async def test_an_outage_costs_nothing(home: Path, folder: Path, scripted: Scripted) -> None:
    lost = {"do": "fail", "code": "cut_off", "no_response": True}
    assert await _counted(home, folder, scripted([lost])) == ([], 0)


async def test_who_stops_waiting_for_the_next_try_pays_for_nothing(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([{"do": "retry", "delay": 60}, say("never")])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        answer = session.prompt("go")
        async for event in answer:
            if isinstance(event.data, facts.ConversationRetrying):
                await answer.cancel()
        await asyncio.wait_for(answer, 10)
        assert await _rows(studio) == []


async def test_who_stops_waiting_for_a_place_pays_for_nothing(
    home: Path, folder: Path, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = asyncio.Event()

    @asynccontextmanager
    async def taken() -> AsyncGenerator[None]:
        waits.set()
        await asyncio.Event().wait()
        yield

    def fair(_: PerPerson, model: Model, person: int) -> Model:
        return msgspec.structs.replace(model, place=taken)

    monkeypatch.setattr(PerPerson, "fair", fair)
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([say("never")]), folder=folder)
        answer = session.prompt("go")
        asked = asyncio.ensure_future(answer)
        await asyncio.wait_for(waits.wait(), 10)
        await answer.cancel()
        await asyncio.wait_for(asked, 10)
        assert await _rows(studio) == []


def test_there_is_one_way_to_a_model() -> None:
    source = Path(bottega.__file__).parent
    asking = [
        str(path.relative_to(source))
        for part in ("agents", "workers", "studio", "server", "cli", "tools")
        for path in (source / part).rglob("*.py")
        if re.search(r"provider\.stream\(", path.read_text())
    ]
    assert asking == ["workers/paying/metering.py"]
