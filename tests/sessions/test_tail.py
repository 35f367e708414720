"""A session opens at its end, with all that was shown, and without reading what came before."""

import sqlite3
from typing import Any

import pytest

from bottega.events import facts as f
from bottega.events.codec import decode
from bottega.messages.block import Text
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow
from bottega.sessions.told.tail import tail
from bottega.sessions.told.transcript import End, transcript
from bottega.storage.database import Database
from tests.events.logs import Generator, answer, call, end, log, prompt
from tests.hunt import examples
from tests.sessions import stored


@pytest.mark.fuzz
async def test_the_tail_shows_what_the_whole_log_shows_wherever_it_breaks_off(
    database: Database, session: SessionRow
) -> None:
    """With the pieces that are not whole yet, and with no others."""
    reader = Log(database)
    for seed in range(examples(20, 400)):
        facts = Generator(seed).plausible()
        cut = facts[: 1 + seed * 11 % len(facts)]
        await database.write(lambda c: c.execute("DELETE FROM events").close())
        await database.write(lambda c: c.execute("UPDATE sessions SET last_index = 0").close())
        session = await stored.write(database, session, cut)
        found = await tail(reader, session.n, limit=10_000)
        assert (found.cursor, found.more) == (session.last_index, False), seed
        shown = transcript([decode(*row) for row in found.rows])
        whole = transcript(stored.events(database, session))
        assert _under_way(shown) == _under_way(whole), seed


def _under_way(items: list[Any]) -> list[Any]:
    """What is being written at the end, and what running tools have printed."""
    ended = max((place for place, item in enumerate(items) if isinstance(item, End)), default=-1)
    return [
        (getattr(item, "text", ""), getattr(item, "written", ""), getattr(item, "output", ()))
        for item in items[ended + 1 :]
        if getattr(item, "partial", False) or getattr(item, "state", "") in ("streaming", "running")
    ]


async def test_pieces_of_what_is_whole_are_left_out_and_others_stay(
    database: Database, session: SessionRow
) -> None:
    work = [
        *prompt("go"),
        f.MessageStart("m"),
        f.TextDelta("let me"),
        answer(Text("let me"), call("c1"), call("c2")),
        f.ToolIntent("c1", "read_file", "h"),
        f.ToolIntent("c2", "read_file", "h"),
        f.ToolOutputDelta("c1", "one"),
        f.ToolOutputDelta("c2", "two"),
        f.ToolResultFact("c1", "read_file", (Text("one"),)),
    ]
    session = await stored.write(database, session, log(*work))
    found = await tail(Log(database), session.n)
    deltas = [event.data for event in (decode(*row) for row in found.rows) if "delta" in event.type]
    assert deltas == [f.ToolOutputDelta("c2", "two")]


async def test_older_pages_join_on_without_a_gap_or_a_double(
    database: Database, session: SessionRow
) -> None:
    work = [fact for _ in range(20) for fact in (*prompt("go"), answer(Text("ok")), end("ok"))]
    session = await stored.write(database, session, log(*work))
    reader = Log(database)
    page = await tail(reader, session.n, limit=7)
    rows = page.rows
    while page.more:
        page = await tail(reader, session.n, rows[0][0], 7)
        rows = [*page.rows, *rows]
    assert rows == stored.rows(database, session)


async def test_a_long_session_is_opened_by_reading_its_end_alone(
    database: Database, session: SessionRow
) -> None:
    """Steps of the database's machine, which are the same on every computer."""
    one = log(*prompt("go"), *(f.TextDelta("w") for _ in range(96)), answer(Text("ok")), end("ok"))
    session = await stored.write(database, session, one * 15)
    short = _steps(database, session)
    session = await stored.write(database, session, one * 85)
    assert session.last_index == 10_000
    assert _steps(database, session) <= short * 1.1


def _steps(database: Database, session: SessionRow) -> int:
    from bottega.sessions.told import tail as tails

    counted = [0]

    def look(connection: sqlite3.Connection) -> None:
        def tick() -> int:
            counted[0] += 1
            return 0

        connection.set_progress_handler(tick, 1)
        try:
            tails._tail(connection, session.n, 0, 50)  # noqa: SLF001
        finally:
            connection.set_progress_handler(None, 0)

    database.read_now(look)
    return counted[0]
