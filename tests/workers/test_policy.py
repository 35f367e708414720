"""What becomes of an exchange that was broken off: as the setting says, and who was there."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.accounts.people import People
from bottega.messages.block import Text
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import HOST, now
from bottega.studio import Session, Studio
from bottega.workers.crash.policy import (
    MAX_TAKEOVERS,
    RECENT,
    Crash,
    OnCrash,
    Setting,
    always,
    for_server,
)

LONG_AGO = 3 * RECENT


@pytest.fixture
async def opened(home: Path, folder: Path) -> AsyncIterator[tuple[Studio, Session]]:
    async with Studio(home, runs=False) as studio:
        session = await studio.start(model="guide", folder=folder)
        await session.admit(Prompt("m1", (Text("hello"),)))
        await _set_back(studio, LONG_AGO)
        yield studio, session


async def _set_back(studio: Studio, by: int) -> None:
    """Have all that was said be said so much earlier."""
    await studio.runtime.database.write(
        lambda c: c.execute("UPDATE inbox SET created_at = created_at - ?", (by,)).close()
    )


def decided(
    opened: tuple[Studio, Session], setting: Setting, takeovers: int = 1, heard_at: int = 0
) -> OnCrash:
    studio, session = opened
    decide = for_server(setting, studio.runtime.database)
    return decide(Crash(session.row, takeovers, heard_at))


async def test_nobody_was_there_for_a_while_so_it_is_parked(
    opened: tuple[Studio, Session],
) -> None:
    assert decided(opened, "auto") == "park"


async def test_somebody_was_seen_in_the_last_ten_minutes_so_it_goes_on(
    opened: tuple[Studio, Session],
) -> None:
    people = People(opened[0].runtime.database)
    await people.saw(people.host())
    assert decided(opened, "auto") == "resume"


async def test_that_another_person_is_there_does_not_count(
    opened: tuple[Studio, Session],
) -> None:
    people = People(opened[0].runtime.database)
    await people.saw(await people.add("Ada"))
    assert opened[1].row.owner == HOST
    assert decided(opened, "auto") == "park"


async def test_who_answered_something_a_moment_ago_is_there(
    opened: tuple[Studio, Session],
) -> None:
    assert decided(opened, "auto", heard_at=now() - RECENT // 2) == "resume"
    assert decided(opened, "auto", heard_at=now() - 2 * RECENT) == "park"


async def test_who_said_something_a_moment_ago_is_there(opened: tuple[Studio, Session]) -> None:
    await _set_back(opened[0], -LONG_AGO)
    assert decided(opened, "auto") == "resume"


@pytest.mark.parametrize(
    ("setting", "chosen"), [("resume", "resume"), ("park", "park"), ("fail", "close")]
)
async def test_a_setting_that_says_what_to_do_counts_whoever_is_there(
    opened: tuple[Studio, Session], setting: Setting, chosen: OnCrash
) -> None:
    assert decided(opened, setting) == chosen
    assert decided(opened, setting, heard_at=now()) == chosen


@pytest.mark.parametrize("setting", ["auto", "resume", "park"])
async def test_what_took_three_processes_down_is_not_tried_again_unasked(
    opened: tuple[Studio, Session], setting: Setting
) -> None:
    assert decided(opened, setting, MAX_TAKEOVERS, now()) == "park"
    assert decided(opened, "fail", MAX_TAKEOVERS, now()) == "close"


async def test_a_program_closes_what_took_three_processes_down(
    opened: tuple[Studio, Session],
) -> None:
    row = opened[1].row
    assert always("resume")(Crash(row, MAX_TAKEOVERS - 1)) == "resume"
    assert always("resume")(Crash(row, MAX_TAKEOVERS)) == "close"
