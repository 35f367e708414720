"""A session's work on files is what its facts say was done: first before, last after, and what the log still holds."""

import hashlib
from pathlib import Path

import pytest

from bottega.errors import NotFound
from bottega.events import facts as f
from bottega.messages.block import Text
from bottega.sessions.attach import Attachments
from bottega.sessions.care.check import check
from bottega.sessions.care.leftovers import sweep
from bottega.sessions.care.retention import delete
from bottega.sessions.changes.work import Work, held, work
from bottega.sessions.exports.bring_in import bring_in
from bottega.sessions.exports.export import export
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.workspaces.changes.kept import blobs_of
from tests.events.logs import answer, call, end, prompt
from tests.events.logs import log as made
from tests.sessions import stored


def write(path: str, before: str = "", after: str = "", mode: int = 0) -> f.FileChange:
    return f.FileChange(path, before, after, mode)


def meant(tool_id: str, *writes: f.FileChange) -> f.ToolIntent:
    return f.ToolIntent(tool_id, "write_file", "hash", ("write",), writes)


def ended(
    tool_id: str, *writes: f.FileChange, failed: bool = False, seen: str = ""
) -> f.ToolResultFact:
    known = (f.FileSeen("a", seen),) if seen else ()
    return f.ToolResultFact(
        tool_id, "tool", (Text("done"),), is_error=failed, writes=writes, seen=known
    )


def test_the_first_before_and_the_last_after_of_each_file_count() -> None:
    events = made(
        meant("c1", write("a", "1", "2"), write("b", "", "x")),
        ended("c1"),
        ended("c2", write("a", "2", "3"), write("gone", "y", "", 0o755)),
        meant("c3", write("b", "x", "z")),
        ended("c3"),
    )

    assert work(events) == (
        Work("a", "1", "3"),
        Work("b", "", "z"),
        Work("gone", "y", "", 0o755),
    )
    assert [each.kind for each in work(events)] == ["modified", "added", "deleted"]


def test_what_failed_or_never_ended_was_not_done_but_what_a_failed_command_did_was() -> None:
    events = made(
        meant("c1", write("a", "1", "2")),
        ended("c1", failed=True),
        meant("c2", write("b", "1", "2")),
        ended("c3", write("c", "1", "2"), failed=True),
    )

    assert work(events) == (Work("c", "1", "2"),)


def test_calls_that_share_an_id_are_told_apart_by_their_order() -> None:
    events = made(
        meant("call_0", write("a", "1", "2")),
        ended("call_0"),
        meant("call_0", write("b", "1", "2")),
        ended("call_0", failed=True),
    )

    assert work(events) == (Work("a", "1", "2"),)


def test_a_file_that_is_as_it_was_is_no_work() -> None:
    events = made(
        ended("c1", write("a", "1", "2"), write("b", "", "x")),
        ended("c2", write("a", "2", "1"), write("b", "x", "")),
    )

    assert work(events) == ()


def test_a_file_that_somebody_else_changed_in_between_is_marked() -> None:
    mixed = made(ended("c1", write("a", "1", "2")), ended("c2", write("a", "theirs", "3")))
    brought_back = made(ended("c1", write("a", "1", "2")), ended("c2", write("a", "1", "3")))

    assert work(mixed) == (Work("a", "1", "3", mixed=True),)
    assert work(brought_back) == (Work("a", "1", "3"),)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.requirement("C17")
def test_the_log_holds_what_was_last_written_or_seen_of_a_file(tmp_path: Path) -> None:
    store = Blobs(tmp_path)
    one, two, three = (store.keep(content) for content in (b"one", b"two", b"three"))
    first = [meant("c1", write("a", one, two)), ended("c1")]

    assert held(made(*first), "a", store.read) == b"two"
    assert held(made(*first), "b", store.read) is None
    assert held(made(*first, ended("c2", write("a", two, three))), "a", store.read) == b"three"
    assert held(made(*first, ended("c2", seen=three)), "a", store.read) == b"three"
    assert held(made(*first, ended("c2", seen=sha(b"not kept"))), "a", store.read) == b"two"
    assert held(made(meant("c1", write("a", one, two))), "a", store.read) is None
    assert held(made(ended("c1", write("a", one, two), failed=True)), "a", store.read) == b"two"
    store.drop(two)
    assert held(made(*first), "a", store.read) == b"one"


@pytest.mark.requirement("C17")
def test_a_file_that_the_session_itself_removed_is_not_held(tmp_path: Path) -> None:
    store = Blobs(tmp_path)
    one, two = store.keep(b"one"), store.keep(b"two")
    events = [ended("c1", write("a", one, two)), ended("c2", write("a", two, ""))]

    assert held(made(*events), "a", store.read) is None
    assert held(made(*events, ended("c3", write("a", "", one))), "a", store.read) == b"one"


@pytest.fixture
def changed(blobs: Blobs) -> list[object]:
    """A log whose changes name four blobs."""
    names = blobs.keep_all([b"one", b"two", b"three", b"four"])
    return [
        *prompt("go"),
        f.MessageStart("m"),
        answer(call("c1"), call("c2")),
        meant("c1", write("a", names[0], names[1])),
        ended("c1"),
        f.ToolIntent("c2", "bash_exec", "hash"),
        ended("c2", write("b", names[2], names[3])),
        f.MessageStart("m"),
        answer(Text("done")),
        end("done"),
    ]


async def told(
    database: Database, session: SessionRow, blobs: Blobs, changed: list[object]
) -> SessionRow:
    """Store the log with its blobs attached, as a worker does."""
    events = made(*changed)
    named = [
        name
        for event in events
        if isinstance(event.data, f.ToolIntent | f.ToolResultFact)
        for name in blobs_of(event.data.writes)
    ]
    attachments = Attachments(database, blobs)
    await database.write(lambda connection: attachments.add(connection, session.n, named))
    return await stored.write(database, session, events)


async def test_a_sweep_keeps_the_blobs_of_changes_and_a_deletion_drops_them(
    database: Database, session: SessionRow, blobs: Blobs, changed: list[object], log: Log
) -> None:
    row = await told(database, session, blobs, changed)
    blobs.keep(b"nobody's")
    assert (await sweep(database, blobs, grace=-10)).blobs == 1
    assert {blobs.read(name) for name in blobs.names()} == {b"one", b"two", b"three", b"four"}
    assert check(database.home) == []
    await delete(database, log, blobs, row)

    assert blobs.names() == set()


async def test_a_check_says_which_session_lacks_what_it_changed(
    database: Database, session: SessionRow, blobs: Blobs, changed: list[object]
) -> None:
    row = await told(database, session, blobs, changed)
    lost = sha(b"two")
    await database.write(
        lambda connection: connection.execute(
            "DELETE FROM attachments WHERE blob = ?", (lost,)
        ).close()
    )
    said = [finding.what for finding in check(database.home)]

    assert any(
        what.startswith(f"1 contents of files that session {row.id!r} changed") for what in said
    )


async def test_an_exported_session_brings_the_bytes_of_its_changes_with_it(
    database: Database, session: SessionRow, blobs: Blobs, changed: list[object], log: Log
) -> None:
    row = await told(database, session, blobs, changed)
    lines = list(export(database, blobs, row))
    await delete(database, log, blobs, row)
    assert blobs.names() == set()
    copy = await bring_in(database, blobs, lines, folder="/elsewhere")

    works = work(stored.events(database, copy))
    read = Attachments(database, blobs).read
    assert {each.path: (read(copy.n, each.before), read(copy.n, each.after)) for each in works} == {
        "a": (b"one", b"two"),
        "b": (b"three", b"four"),
    }
    assert check(database.home) == []
    with pytest.raises(NotFound):
        read(copy.n, sha(b"five"))


async def test_the_last_session_of_a_folder_is_found(database: Database) -> None:
    sessions = Sessions(database)
    await sessions.create(model="m", agent="a", folder="/one")
    last = await sessions.create(model="m", agent="a", folder="/one")
    await sessions.create(model="m", agent="a", folder="/two")

    found = sessions.last_in({"/one", "/real/one"})
    assert found
    assert found.id == last.id
    assert sessions.last_in({"/three"}) is None
