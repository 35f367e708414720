"""The commands that say who may come in."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pexpect
import pytest

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.runtime import MIGRATIONS
from bottega.sessions.session import Sessions
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.storage.serving import known
from tests.cli.conftest import Call, one_sentence
from tests.server.serving import Serving


def opened(home: Path, work: Callable[[Database], object]) -> object:
    database = Database.open(Home(home), MIGRATIONS)
    try:
        return work(database)
    finally:
        database.close()


def names(bottega: Call) -> list[str]:
    return [each["name"] for each in json.loads(bottega("people", "list", "--json").out)]


def give_session(home: Path, name: str) -> None:
    def work(database: Database) -> None:
        owner = People(database).named(name).n
        asyncio.run(
            Sessions(database).create(model="m", agent="a", folder="/", title="t", owner=owner)
        )

    opened(home, work)


def test_without_a_server_somebody_is_added_and_told_how_to_get_in(bottega: Call) -> None:
    added = bottega("people", "add", "Eva Lin")
    assert (added.code, added.out) == (0, "")
    assert "Added Eva Lin." in added.err
    assert 'bottega people link "Eva Lin"' in added.err
    assert names(bottega) == ["host", "Eva Lin"]
    table = bottega("people", "list").out.splitlines()
    assert table[1].split() == ["Eva", "Lin", "0", "sessions", "never", "seen"]
    assert "No server runs" in one_sentence(bottega("people", "link", "Eva Lin"))
    assert "already" in one_sentence(bottega("people", "add", "Eva Lin"))
    assert "people list" in one_sentence(bottega("people", "link", "Nobody"))


def test_a_token_is_printed_alone_and_is_that_persons(bottega: Call, home: Path) -> None:
    bottega("people", "add", "Eva")
    for arguments, name in ((("Eva",), "Eva"), ((), "host")):
        made = bottega("people", "token", *arguments)
        words = made.out.strip()
        assert made.err == ""

        def holder(database: Database, words: str = words) -> object:
            return Passes(database, secret(home)).holder(words, "token")

        person = opened(home, holder)
        assert person
        assert getattr(person, "name", "") == name


def test_a_project_is_taken_back_by_the_id_that_is_listed(bottega: Call, work: Path) -> None:
    whole = bottega("projects", "add", str(work)).out.strip()
    short = bottega("projects", "list").out.splitlines()[1].split()[0]
    assert whole.endswith(short)
    assert json.loads(bottega("projects", "list", "--json").out)[0]["id"] == whole
    assert "There is no project 'zzzzzzzz'" in one_sentence(
        bottega("projects", "remove", "zzzzzzzz")
    )
    assert bottega("projects", "remove", short).code == 0
    assert "There are no projects" in bottega("projects").out


def test_who_has_sessions_goes_only_with_them(bottega: Call, home: Path) -> None:
    for name in ("Eva", "Ada"):
        bottega("people", "add", name)
        give_session(home, name)
    assert "Nobody is there to be asked" in one_sentence(bottega("people", "remove", "Eva"))
    assert "--with-sessions" in one_sentence(bottega("people", "remove", "Eva", "--yes"))
    assert names(bottega) == ["host", "Eva", "Ada"]
    removed = bottega("people", "remove", "Eva", "--yes", "--with-sessions")
    assert (removed.code, removed.err) == (0, "Removed Eva and 1 session.\n")
    rows = json.loads(bottega("people", "list", "--json").out)
    assert [(row["name"], row["sessions"]) for row in rows] == [("host", 0), ("Ada", 1)]


def test_the_host_stays_whatever_is_said(bottega: Call, home: Path) -> None:
    give_session(home, "host")
    answer = bottega("people", "remove", "host", "--yes", "--with-sessions")
    assert "the host stays" in one_sentence(answer)
    assert json.loads(bottega("people", "list", "--json").out)[0]["sessions"] == 1


def test_somebody_at_the_terminal_is_asked_first(
    bottega: Call, env: dict[str, str], home: Path
) -> None:
    bottega("people", "add", "Eva")
    for typed, left in (("n", ["host", "Eva"]), ("y", ["host"])):
        terminal = pexpect.spawn(
            sys.executable,
            ["-m", "bottega", "people", "remove", "Eva"],
            env=env,  # pyright: ignore[reportArgumentType]
            timeout=30,
            encoding="utf-8",
        )
        terminal.expect("Remove Eva for good")
        terminal.sendline(typed)
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert names(bottega) == left


def test_a_server_with_another_secret_is_noticed(bottega: Call, home: Path) -> None:
    bottega("people", "list")
    with known(home, "http://127.0.0.1:1", "00000000"):
        assert "BOTTEGA_SECRET" in one_sentence(bottega("people", "link"))


@pytest.fixture
def running(home: Path, work: Path, env: dict[str, str]) -> Iterator[Serving]:
    assert env
    with Serving(home, work) as server:
        yield server


def test_a_link_lets_somebody_into_the_server_that_runs(bottega: Call, running: Serving) -> None:
    added = bottega("people", "add", "Eva", "--minutes", "30")
    assert "Good once, and for 30 minutes." in added.err
    for printed, name in ((added.out, "Eva"), (bottega("people", "link").out, "host")):
        link = urlsplit(printed.strip())
        assert f"{link.scheme}://{link.netloc}" == running.address
        assert link.path == "/sign-in"
        body = json.dumps({"link": link.fragment}).encode()
        asked = Request(
            f"{running.address}/api/sign-in",
            body,
            {"Content-Type": "application/json", "Origin": running.address},
        )
        with urlopen(asked) as answer:
            assert json.load(answer)["name"] == name
    shown = bottega("people", "list").out
    assert "Eva" in shown
