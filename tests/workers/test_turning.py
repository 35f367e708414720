"""Reset, clear and close: a new context, nothing left of what was said, and nothing held; three different things."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import NotFound
from bottega.messages.block import Image, Text, plain_text
from bottega.sessions.care import check, leftovers
from bottega.sessions.care.search import Search
from bottega.sessions.session import HOST
from bottega.storage.blobs import INLINE
from bottega.studio import Session, Studio
from tests.sessions.stored import count, rows, types

Scripted = Callable[..., str]
SAY = [{"do": "say", "text": "So be it."}]


def repeating(scripted: Scripted) -> str:
    return scripted(SAY, after="repeat")


def findings(studio: Studio) -> list[str]:
    return [each.message for each in check.check(studio.runtime.database.home)]


async def seen(session: Session) -> list[tuple[str, str]]:
    return [(message.role, plain_text(message.content)) for message in await session.history()]


@pytest.mark.requirement("A13", "C22")
async def test_a_reset_session_begins_anew_and_its_log_keeps_all(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    todo = {"do": "call", "name": "todo_write", "input": {"todos": [{"content": "mend"}]}}
    read = {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([todo, read], SAY, SAY), folder=folder)
        await session.prompt("first")
        hands = studio.opened.hands
        assert hands.todos(session.row.n)
        assert hands.remembered(session.row.n)[0].seen
        before = len(await session.facts())
        assert await session.reset()
        assert not await session.reset(), "there is nothing left to forget"
        assert await session.history() == []
        assert hands.todos(session.row.n) == ()
        assert hands.remembered(session.row.n)[0].seen == {}
        await session.prompt("second")
        assert [words for role, words in await seen(session) if role == "user"] == ["second"]
        facts = await session.facts()
        assert len(facts) > before
        assert [e.data.content[0].text for e in facts if e.type == "user_message"] == [
            "first",
            "second",
        ]
        asked = [e.data.usage.input_tokens for e in facts if e.type == "assistant_message"]
        assert asked[2] < asked[0] + 5, "what the process remembered is gone too"


@pytest.mark.requirement("C22")
async def test_what_was_allowed_for_a_session_ends_with_its_reset(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    write = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "x"}}
    model = scripted([write], SAY, after="repeat")
    asked: list[str] = []

    async def allow(ask: Any) -> Any:
        from bottega.sessions.asks import Reply

        asked.append(ask.id)
        return Reply("allow_all", grant="write_file")

    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("write", on_approval=allow)
        await session.prompt("write", on_approval=allow)
        assert len(asked) == 1
        await session.reset()
        assert studio.runtime.asks.grants(session.row.n) == ()
        (folder / "a.txt").unlink()
        await session.prompt("write", on_approval=allow)
        assert len(asked) == 2


@pytest.mark.requirement("C22")
async def test_a_cleared_session_has_nothing_left_of_what_was_said(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    picture = base64.b64encode(bytes(range(256)) * (INLINE // 128)).decode()
    async with Studio(home) as studio:
        runtime = studio.runtime
        session = await studio.start(model=repeating(scripted), folder=folder)
        other = await studio.start(model=repeating(scripted), folder=folder)
        await other.prompt("pelicans elsewhere")
        await session.prompt((Text("pelicans here"), Image("image/png", picture)))
        names = runtime.attachments.names(session.row.n)
        search = Search(runtime.database)
        assert names
        assert len(await search.search("pelicans")) == 2
        last = runtime.sessions.get(session.id).last_index
        await session.clear()
        database, row = runtime.database, session.row
        assert types(database, row) == ["session_cleared"]
        assert [index for index, _ in rows(database, row)] == [last + 1]
        assert row.title == ""
        assert runtime.attachments.names(row.n) == []
        assert not any(runtime.blobs.has(name) for name in names)
        assert [hit.session_id for hit in await search.search("pelicans")] == [other.id]
        assert await session.chat() == []
        assert count(database, "inbox") == 1
        assert findings(studio) == []
        assert (await session.prompt("again")).success
        assert [index for index, _ in rows(database, row)][:3] == [last + 1, last + 2, last + 3]
        assert [words for _, words in await seen(session)] == ["again", "So be it."]
        assert findings(studio) == []


async def test_a_follower_from_before_a_clear_goes_on_after_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=repeating(scripted), folder=folder)
        await session.prompt("one")
        told: list[str] = []
        await session.clear()
        await session.prompt("two")
        async for frame in studio.runtime.log.follow(session.row.n, 2):
            told += [body.split(b'"')[3].decode() for _, body in frame.events]
            if told[-1] == "exchange_response":
                break
    assert told[0] == "session_cleared"
    assert told.count("user_message") == 1


async def test_a_title_that_was_given_stays_when_its_session_is_cleared(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=repeating(scripted), folder=folder)
        await session.prompt("one")
        await studio.runtime.sessions.rename(session.id, "My work")
        await session.clear()
        assert session.row.title == "My work"


@pytest.mark.requirement("C22")
async def test_a_closed_session_stops_what_runs_and_is_opened_by_the_next_prompt(
    home: Path, folder: Path, scripted: Scripted, tmp_path: Path
) -> None:
    shell = {"do": "call", "name": "shell_open", "input": {}}
    wait = [{"do": "say", "text": "I wait."}, {"do": "gate", "path": str(tmp_path / "never")}]
    model = scripted([shell], SAY, wait, SAY)
    async with Studio(home, flags={"mode": "allow", "sandbox": "off"}) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("open a shell")
        shells = studio.opened.hands.shells
        assert len(shells.list(str(folder), HOST)) == 1
        answer = session.prompt("wait")
        async for event in answer:
            if event.type == "text_delta":
                await session.close()
        assert shells.list(str(folder), HOST) == []
        ends = [e.data for e in await session.facts() if e.type == "exchange_response"]
        assert ends[-1].completion_reason == "user_stopped"
        assert len(await session.chat()) == 4
        assert (await session.prompt("go on")).success
        with pytest.raises(NotFound):
            shells.get(str(folder), HOST, "gone")


async def test_sweeping_finds_nothing_that_a_clear_left(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=repeating(scripted), folder=folder)
        await session.prompt("one")
        await session.clear()
        swept = await leftovers.sweep(studio.runtime.database, studio.runtime.blobs, 0)
        assert (swept.rows, swept.blobs) == (0, 0)
