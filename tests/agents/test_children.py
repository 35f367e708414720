"""Children on their own: stopped, opened, deleted, searched and looked after beside their parents."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bottega import Reply
from bottega.errors import NotFound
from bottega.sessions.care.check import check
from bottega.sessions.care.retention import delete, trim
from bottega.sessions.care.search import Search
from bottega.sessions.exports.bring_in import bring_in
from bottega.sessions.exports.export import export
from bottega.studio import Session, Studio
from tests.agents.test_delegation import HOUSE, by_task, hand, told
from tests.agents.test_types import call, of, say

Scripted = Callable[..., str]
ASKS = [[call("write_file", file_path="a", content="x")], [say("Written, said the marmot.")]]


async def parked(home: Path, model: str, folder: Path) -> Session:
    """A tree that waits for an answer, and that no process runs."""
    async with Studio(home, flags={"patience": 0}, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        async with asyncio.timeout(10):
            async for _ in session.prompt("parent"):
                pass
        assert studio.runtime.sessions.get(session.id).status == "waiting"
    return session


async def test_a_child_that_is_stopped_alone_is_a_clear_result_for_its_parent(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("Then not.")]],
        child=[[call("bash_exec", command="touch begun; sleep 60")], [say("never")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        waiting = asyncio.ensure_future(session.prompt("parent")._end())
        while not (folder / "begun").exists():
            await asyncio.sleep(0.01)
        (child,) = session.children()
        assert await child.cancel(child.row.task_id)
        end = await waiting
        (result,) = of(await session.facts(), "tool_result")
    assert end.success
    assert end.final_response == "Then not."
    assert told(result)["error"]["code"] == "CHILD_FAILED"
    assert "a person stopped it" in told(result)["error"]["message"]


async def test_a_child_that_is_stopped_while_its_tree_is_parked_no_longer_asks(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(scripted, parent=[[hand("child")], [say("Then not.")]], child=ASKS)
    session = await parked(home, model, folder)
    async with Studio(home, agents=HOUSE) as studio:
        session = studio.find(session.id)
        (child,) = session.children()
        (ask,) = session.asks()
        assert ask.child == child.id
        await child.cancel(child.row.task_id)
        async with asyncio.timeout(10):
            while session.asks():
                await asyncio.sleep(0.01)
        again = session.resume()
        assert again
        assert (await again).final_response == "Then not."
    assert not (folder / "a").exists()


async def test_opening_a_child_of_a_parked_tree_runs_nothing(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(scripted, parent=[[hand("child")], [say("Done.")]], child=ASKS)
    session = await parked(home, model, folder)
    async with Studio(home, agents=HOUSE, on_crash="resume") as studio, asyncio.timeout(10):
        (row,) = studio.runtime.sessions.children(studio.find(session.id).row.n)
        child = await studio.resume(row.id)
        assert child.row.status == "waiting"
        await studio.opened.worker.attend(child.row)
        assert studio.find(child.id).row.status == "waiting"
        session = studio.find(session.id)
        assert len(session.asks()) == 1
        again = session.resume(on_approval=lambda _: Reply("allow_once"), wait=True)
        assert again
        assert (await again).success
    assert (folder / "a").read_text() == "x"


async def test_calls_of_two_steps_with_the_same_id_have_a_child_each(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    def same(task: str) -> dict[str, Any]:
        return {**hand(task), "id": "call_1"}

    model = by_task(
        scripted,
        parent=[[same("one")], [same("two")], [say("Both.")]],
        one=[[say("1")]],
        two=[[say("2")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("parent")
        assert [(await each.chat())[-1].content for each in session.children()] == ["1", "2"]


async def test_a_person_goes_on_with_a_child_as_with_any_session(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("Done.")]],
        child=[[say("Yes.")]],
        more=[[say("Still here.")]],
    )
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("parent")
        (child,) = session.children()
        assert (await child.prompt("more")).success
        newest = studio.runtime.sessions.last_in([str(folder)])
        assert newest is not None
        assert newest.id == session.id, "only a session at the top is continued by itself"


async def made(studio: Studio, folder: Path, scripted: Scripted) -> Session:
    model = by_task(
        scripted,
        parent=[[hand("child")], [say("Done.")]],
        child=[[hand("deep")], [say("Passed on.")]],
        deep=ASKS,
    )
    session = await studio.start(model=model, folder=folder, mode="allow")
    assert (await session.prompt("parent")).success
    return session


async def test_a_deleted_session_takes_all_that_its_children_had_with_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await made(studio, folder, scripted)
        runtime = studio.runtime
        (child,) = session.children()
        (deep,) = child.children()
        blobs = [each for each in runtime.database.home.blobs.rglob("*") if each.is_file()]
        assert blobs, "what was written is kept"
        await Search(runtime.database).update()
        await delete(runtime.database, runtime.log, runtime.blobs, session.row)
        for gone in (session, child, deep):
            try:
                runtime.sessions.get(gone.id)
            except NotFound:
                continue
            raise AssertionError(gone.id)
        assert not [each for each in runtime.database.home.blobs.rglob("*") if each.is_file()]
    connection = sqlite3.connect(home / "bottega.db")
    for table in ("sessions", "events", "inbox", "asks", "attachments", "words"):
        assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,), table  # noqa: S608
    connection.close()


async def test_a_cleared_session_has_no_children_any_more(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await made(studio, folder, scripted)
        await session.clear()
        assert session.children() == []
        assert check(studio.runtime.database.home) == []


async def test_the_check_the_search_trimming_and_exports_know_children(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await made(studio, folder, scripted)
        runtime = studio.runtime
        (child,) = session.children()
        (deep,) = child.children()
        hits = await Search(runtime.database).search("marmot")
        assert {(hit.session_id, hit.child_of) for hit in hits} == {
            (deep.id, child.id),
            (child.id, session.id),
        }
        await trim(runtime.database)
        assert check(runtime.database.home) == []
        lines = list(export(runtime.database, runtime.blobs, child.row))
        brought = await bring_in(runtime.database, runtime.blobs, lines, folder=str(folder))
        assert (brought.parent, brought.depth) == (None, 0)
        markdown = b"".join(
            export(runtime.database, runtime.blobs, runtime.sessions.get(session.id), "md")
        )
        assert child.id.encode() in markdown
        await runtime.database.write(
            lambda c: c.execute("UPDATE sessions SET depth = 3 WHERE n = ?", (child.row.n,)).close()
        )
        (found, *_) = check(runtime.database.home)
        assert child.id in found.what
