"""Passes: good for one person, for one purpose, for a time; and told by nothing that is stored."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from bottega.accounts.passes import LASTS, Kind, Passes
from bottega.accounts.people import People
from bottega.errors import NotFound, Problem, Refused
from bottega.storage.database import Database

KINDS: tuple[Kind, ...] = get_args(Kind)


async def test_a_link_is_exchanged_for_a_login_once(passes: Passes, people: People) -> None:
    link = await passes.give(people.host(), "link")
    person, login = await passes.redeem(link)
    assert person == people.host()
    assert passes.holder(login, "login") == person
    with pytest.raises(Refused, match=r"used already, or is too old.*people link"):
        await passes.redeem(link)


async def test_of_fifty_that_use_a_link_at_once_exactly_one_gets_in(
    passes: Passes, people: People
) -> None:
    link = await passes.give(people.host(), "link")
    answers = await asyncio.gather(
        *(passes.redeem(link) for _ in range(50)), return_exceptions=True
    )
    assert sum(isinstance(answer, tuple) for answer in answers) == 1
    assert sum(isinstance(answer, Refused) for answer in answers) == 49
    assert [each.kind for each in passes.of(people.host())] == ["login"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_pass_ends_with_its_time(passes: Passes, people: People, kind: Kind) -> None:
    words = await passes.give(people.host(), kind, lasts=1)
    while passes.of(people.host()):
        await asyncio.sleep(0)
    assert passes.holder(words, kind) is None
    with pytest.raises(Refused):
        await passes.redeem(words)


async def test_a_link_is_good_for_a_minute(passes: Passes, people: People) -> None:
    await passes.give(people.host(), "link")
    (link,) = passes.of(people.host())
    assert link.expires_at - link.created_at == LASTS["link"] == 60_000


@pytest.mark.parametrize("kind", KINDS)
async def test_a_pass_is_taken_for_its_own_kind_only(
    passes: Passes, people: People, kind: Kind
) -> None:
    words = await passes.give(people.host(), kind)
    assert [each for each in KINDS if passes.holder(words, each)] == [kind]
    if kind != "link":
        with pytest.raises(Refused):
            await passes.redeem(words)
        assert passes.holder(words, kind)


@pytest.mark.parametrize("words", ["", " ", "null", "None", "0", "[]", "\x00", "%", "' OR 1=1 --"])
async def test_words_that_nobody_was_given_are_nobodys(
    passes: Passes, people: People, words: str
) -> None:
    for kind in KINDS:
        await passes.give(people.host(), kind)
        assert passes.holder(words, kind) is None
    with pytest.raises(Refused):
        await passes.redeem(words)


async def test_no_pass_can_be_read_in_the_files_of_a_home(
    passes: Passes, people: People, home: Path
) -> None:
    given = [await passes.give(people.host(), kind) for kind in KINDS]
    given.append((await passes.redeem(given[0]))[1])
    stored = b"".join(_files(home))
    assert b"passes" in stored
    assert [words for words in given if words.encode() in stored] == []


def _files(home: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_passes_of_another_secret_are_good_for_nothing(
    passes: Passes, people: People, database: Database
) -> None:
    token = await passes.give(people.host(), "token")
    assert Passes(database, b"another secret").holder(token, "token") is None


async def test_a_pass_is_revoked_by_its_person_alone(passes: Passes, people: People) -> None:
    eva, host = await people.add("Eva"), people.host()
    token = await passes.give(host, "token")
    (known,) = passes.of(host)
    assert passes.owned(known.id, host) == known
    assert passes.id_of(token, "token") == known.id
    for refused in (passes.revoke(eva, known.id), _owned(passes, known.id, people, "Eva")):
        with pytest.raises(NotFound):
            await refused
    assert passes.holder(token, "token") == host
    await passes.revoke(host, known.id)
    assert passes.holder(token, "token") is None
    assert passes.id_of(token, "token") == ""


async def _owned(passes: Passes, pass_id: str, people: People, name: str) -> None:
    passes.owned(pass_id, people.named(name))


async def test_what_has_ended_is_forgotten_when_the_next_is_given(
    passes: Passes, people: People, database: Database
) -> None:
    await passes.give(people.host(), "link", lasts=1)
    while passes.of(people.host()):
        await asyncio.sleep(0)
    await passes.give(people.host(), "token")
    kept = database.read_now(lambda c: c.execute("SELECT kind FROM passes").fetchall())
    assert kept == [("token",)]


async def test_a_person_who_is_gone_holds_nothing(passes: Passes, people: People) -> None:
    eva = await people.add("Eva")
    token = await passes.give(eva, "token")
    await people.remove(eva)
    assert passes.holder(token, "token") is None
    with pytest.raises(Problem):
        people.named("Eva")
