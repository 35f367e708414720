"""Which tab shows which session: one row, both directions, with either or not at all."""

import asyncio

import pytest

from bottega.errors import Conflict, NotFound, Refused
from bottega.sessions import tabs as module
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.tabs import Tabs
from bottega.storage.database import Database


async def begun(database: Database, **options: object) -> SessionRow:
    return await Sessions(database).create(model="m", agent="a", folder="/", **options)  # type: ignore[arg-type]


def number(tabs: Tabs, person: int, tab_id: str) -> int | None:
    row = tabs.session_of(person, tab_id)
    return row.n if row else None


@pytest.mark.requirement("S14")
async def test_a_session_and_the_tab_that_shows_it_are_stored_together(database: Database) -> None:
    tabs = Tabs(database)
    row = await begun(database, also=tabs.opening(1, "t"))
    assert number(tabs, 1, "t") == row.n
    assert await tabs.shown(1) == {"t": row}
    assert tabs.showing(row.n) == 1


@pytest.mark.requirement("S14")
async def test_where_the_tab_cannot_be_stored_there_is_no_session_either(
    database: Database,
) -> None:
    tabs = Tabs(database)
    await begun(database, also=tabs.opening(1, "t"))
    with pytest.raises(Conflict, match="another session"):
        await begun(database, also=tabs.opening(1, "t"))
    assert len(await Sessions(database).list()) == 1


async def test_of_many_who_open_one_tab_at_once_one_makes_its_session(database: Database) -> None:
    tabs = Tabs(database)
    made = await asyncio.gather(
        *(begun(database, also=tabs.opening(1, "t")) for _ in range(20)), return_exceptions=True
    )
    rows = [each for each in made if isinstance(each, SessionRow)]
    assert len(rows) == 1
    assert number(tabs, 1, "t") == rows[0].n
    assert len(await Sessions(database).list()) == 1


async def test_several_tabs_show_one_session_and_the_last_that_closes_says_so(
    database: Database,
) -> None:
    tabs = Tabs(database)
    row = await begun(database)
    for tab in ("a", "b", "a"):  # the same again is nothing new
        await tabs.open(1, tab, row.n)
    assert tabs.showing(row.n) == 2
    assert await tabs.close(1, "a") == (row.n, False)
    assert tabs.session_of(1, "a") is None
    assert await tabs.close(1, "b") == (row.n, True)
    assert await tabs.shown(1) == {}
    with pytest.raises(NotFound):
        await tabs.close(1, "b")


async def test_a_tab_does_not_change_its_session(database: Database) -> None:
    tabs = Tabs(database)
    one, two = await begun(database), await begun(database)
    await tabs.open(1, "t", one.n)
    with pytest.raises(Conflict):
        await tabs.open(1, "t", two.n)
    assert number(tabs, 1, "t") == one.n


async def test_two_people_may_have_tabs_of_the_same_name(database: Database) -> None:
    tabs = Tabs(database)
    one, two = await begun(database), await begun(database, owner=2)
    await tabs.open(1, "t", one.n)
    await tabs.open(2, "t", two.n)
    assert (number(tabs, 1, "t"), number(tabs, 2, "t")) == (one.n, two.n)
    assert await tabs.shown(2) == {"t": two}
    assert await tabs.shown(2, ["t", "u"]) == {"t": two}
    assert await tabs.shown(2, ["u"]) == {}
    with pytest.raises(NotFound):
        await tabs.close(3, "t")


@pytest.mark.requirement("S14")
async def test_the_tabs_of_a_deleted_session_are_gone_and_none_can_be_opened_on_it(
    database: Database,
) -> None:
    tabs = Tabs(database)
    row = await begun(database, also=tabs.opening(1, "t"))
    await database.write(lambda c: c.execute("DELETE FROM sessions WHERE n = ?", (row.n,)).close())
    assert tabs.session_of(1, "t") is None
    assert await tabs.shown(1) == {}
    with pytest.raises(NotFound, match="deleted"):
        await tabs.open(1, "t", row.n)


async def test_a_person_has_so_many_tabs_and_no_more(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    tabs = Tabs(database)
    row = await begun(database)
    await tabs.open(1, "a", row.n)
    await tabs.open(1, "b", row.n)
    with pytest.raises(Refused, match="2 tabs"):
        await tabs.open(1, "c", row.n)
    await tabs.open(2, "c", row.n)
    await tabs.close(1, "a")
    await tabs.open(1, "c", row.n)
