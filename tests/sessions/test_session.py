"""A session's row: found by its id or a part of it, listed newest first, named by its first prompt."""

import pytest

from bottega.errors import BadUsage, NotFound
from bottega.sessions.session import Sessions, title_of
from bottega.storage.database import Database


async def test_a_session_is_found_by_its_id_its_beginning_or_its_end(database: Database) -> None:
    sessions = Sessions(database)
    one = await sessions.create(model="m", agent="a", folder="/")
    two = await sessions.create(model="m", agent="a", folder="/")
    assert sessions.get(one.id) == one
    assert sessions.get(two.id[-12:]) == two
    with pytest.raises(BadUsage, match="More than one"):
        sessions.get("ses_")
    for nothing in ("", "ses", "ses_ffffffff", "%", "____"):
        with pytest.raises(NotFound) as missing:
            sessions.get(nothing)
        assert missing.value.hint


async def test_sessions_are_listed_newest_first_in_pages(database: Database) -> None:
    sessions = Sessions(database)
    made = [await sessions.create(model="m", agent="a", folder="/", title=f"{n}") for n in range(5)]
    await database.write(
        lambda connection: connection.execute("UPDATE sessions SET updated_at = n").close()
    )
    first = await sessions.list(limit=2)
    rest = await sessions.list(limit=10, before=(first[-1].updated_at, first[-1].n))
    assert [row.id for row in first + rest] == [row.id for row in reversed(made)]


async def test_a_session_can_be_renamed(database: Database) -> None:
    sessions = Sessions(database)
    row = await sessions.create(model="m", agent="a", folder="/")
    await sessions.rename(row.id, "  A better name  ")
    assert sessions.get(row.id).title == "A better name"
    with pytest.raises(NotFound):
        await sessions.rename("ses_nowhere", "x")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", ""),
        ("\n  \n  Fix it \nnow", "Fix it"),
        ("word " * 20, "word word word word word word word word word word word word…"),
        ("x" * 100, "x" * 60 + "…"),
    ],
)
def test_a_title_is_made_of_the_first_words(text: str, title: str) -> None:
    assert title_of(text) == title
