"""People: a name each, and the host first."""

import pytest

from bottega.accounts.people import LONGEST_NAME, People
from bottega.errors import BadUsage, Conflict, NotFound, Refused
from bottega.sessions.session import Sessions, now
from bottega.storage.database import Database


async def test_the_host_is_there_from_the_beginning(people: People) -> None:
    assert [person.name for person in people.list()] == ["host"]
    assert people.host().is_host
    assert not (await people.add("Eva")).is_host


async def test_a_name_is_given_once_and_tidied_up(people: People) -> None:
    assert (await people.add("  Eva \t Lin ")).name == "Eva Lin"
    with pytest.raises(Conflict, match="already"):
        await people.add("Eva Lin")


@pytest.mark.parametrize(
    "name", ["", " ", "x" * (LONGEST_NAME + 1), "a\x00b", "a\u202eb", "\ud800"]
)
async def test_a_name_that_cannot_be_shown_is_refused(people: People, name: str) -> None:
    with pytest.raises(BadUsage):
        await people.add(name)


async def test_who_was_there_is_known_to_the_time(people: People) -> None:
    before = now()
    assert people.host().seen_at == 0
    await people.saw(people.host())
    assert before <= people.host().seen_at <= now()


async def test_the_host_cannot_be_removed(people: People) -> None:
    with pytest.raises(Refused):
        await people.remove(people.host())


async def test_who_has_sessions_is_not_removed(people: People, database: Database) -> None:
    eva = await people.add("Eva")
    await Sessions(database).create(model="m", agent="a", folder="/", owner=eva.n)
    with pytest.raises(Conflict, match=r"has sessions: 1.*--with-sessions"):
        await people.remove(eva)
    assert people.named("Eva") == eva


async def test_the_number_of_a_person_who_is_gone_is_nobody_elses(people: People) -> None:
    eva = await people.add("Eva")
    await people.remove(eva)
    assert (await people.add("Ada")).n > eva.n
    with pytest.raises(NotFound, match="people list"):
        people.numbered(eva.n)
