"""A check of a home: says what is wrong and what to do, and nothing when all is well."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from bottega.events import facts as f
from bottega.messages.block import Text
from bottega.sessions.attach import Attachments
from bottega.sessions.care.check import check
from bottega.sessions.care.search import Search
from bottega.sessions.session import SessionRow
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.events.logs import answer, call, end, log, prompt, ran
from tests.sessions import stored

WORK = [
    *prompt("go"),
    f.MessageStart("m"),
    f.TextDelta("let"),
    f.TextDelta(" me"),
    answer(Text("let me"), call("c1")),
    *ran("c1"),
    f.MessageStart("m"),
    f.TextDelta("done"),
    answer(Text("done")),
    end("done"),
]


async def found(
    database: Database, session: SessionRow, *statements: str, payloads: list[Any] | None = None
) -> list[str]:
    """What the check says after these statements spoilt the database; every finding has a next step."""
    await stored.write(database, session, log(*(payloads or WORK)))

    def spoil(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    await database.write(spoil)
    findings = check(database.home)
    assert all(finding.next for finding in findings)
    return [finding.what for finding in findings]


async def test_a_good_home_has_no_findings(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await Attachments(database, blobs).keep(session.n, b"mine")
    await Search(database).update()
    assert await found(database, session) == []


def test_a_home_without_a_database_has_no_findings(home: Home) -> None:
    assert check(home) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("DELETE FROM events WHERE idx = 6", "Events 6 to 6 of session"),
        ("DELETE FROM events WHERE idx = 2", "Events 2 to 2 of session"),
        ("DELETE FROM events WHERE idx IN (11, 12)", "ends at 10, but its row says 12"),
        ("UPDATE sessions SET last_index = 99", "ends at 12, but its row says 99"),
        ("UPDATE events SET body = x'7b7d' WHERE idx = 6", "Event 6 of session"),
        ("UPDATE events SET kind = 1 WHERE idx = 6", "is of the wrong kind"),
        (
            "INSERT INTO events (session, idx, kind, body) SELECT session, 13, 0, body"
            " FROM events WHERE idx = 12",
            "ended more than once",
        ),
        ("INSERT INTO events (session, idx, kind, body) VALUES (77, 1, 0, x'')", "no session"),
        ("INSERT INTO words (rowid, text) VALUES (777, 'lost')", "can be searched"),
    ],
)
async def test_what_is_wrong_is_said(
    database: Database, session: SessionRow, spoil: str, said: str
) -> None:
    findings = await found(database, session, spoil)
    assert any(said in what for what in findings), findings


async def test_damage_inside_the_file_is_said_line_by_line(
    database: Database, session: SessionRow
) -> None:
    spoils = (
        "PRAGMA writable_schema = ON",
        "DELETE FROM sqlite_master WHERE name = 'sessions_by_update'",
    )
    findings = await found(database, session, *spoils)
    assert findings
    assert all(what.startswith("The database is damaged: ") for what in findings)


async def test_trimmed_deltas_are_not_missing(database: Database, session: SessionRow) -> None:
    assert await found(database, session, "DELETE FROM events WHERE kind = 1") == []


async def test_deltas_of_an_answer_that_never_came_are_missing(
    database: Database, session: SessionRow
) -> None:
    broken = [*prompt(), f.MessageStart("m"), f.TextDelta("a"), f.CancelRequested(), end("a")]
    findings = await found(database, session, "DELETE FROM events WHERE kind = 1", payloads=broken)
    assert len(findings) == 1
    assert "Events 4 to 4" in findings[0]


async def test_several_trimmed_runs_of_one_answer_are_not_missing(
    database: Database, session: SessionRow
) -> None:
    mixed = [
        *(*prompt(), f.MessageStart("m"), f.TextDelta("a"), f.ModeChanged("plan")),
        *(
            f.TextDelta("b"),
            f.ModeChanged("ask"),
            f.TextDelta("c"),
            answer(Text("abc")),
            end("abc"),
        ),
    ]
    assert await found(database, session, "DELETE FROM events WHERE kind = 1", payloads=mixed) == []


async def test_an_exchange_without_an_end_is_said(database: Database, session: SessionRow) -> None:
    await stored.write(database, session, log(*prompt("first"), message_id="m0"))
    assert await found(database, session) == [
        f"The exchange 'm0' of session {session.id!r} never ended, but another began."
    ]


async def test_an_exchange_that_runs_is_not_wrong(database: Database, session: SessionRow) -> None:
    assert await found(database, session, payloads=WORK[:-2]) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.unlink(), "is not here"),
        (lambda path: path.write_bytes(b"other"), "is damaged"),
        (lambda path: path.rename(path.with_name("1" * 64)), "belong to no session"),
        (lambda path: path.with_name("x.1.part").write_bytes(b""), "not written to their end"),
    ],
)
async def test_blobs_are_checked(
    database: Database, session: SessionRow, blobs: Blobs, spoil: Callable[[Any], Any], said: str
) -> None:
    name = await Attachments(database, blobs).keep(session.n, b"mine")
    spoil(database.home.blobs / name)
    assert any(said in what for what in await found(database, session))


async def test_a_damaged_database_is_said_to_be_damaged(
    home: Home, database: Database, session: SessionRow
) -> None:
    await stored.write(database, session, log(*(WORK * 200)))
    database.close()
    size = home.database.stat().st_size
    with home.database.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * 8192)
    findings = check(home)
    assert findings
    assert any("damaged" in finding.what for finding in findings)
    assert all("backup" in finding.next for finding in findings)
    home.database.write_bytes(b"no database at all, just some words" * 100)
    assert ["damaged" in finding.what for finding in check(home)] == [True]
