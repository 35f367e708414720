"""A clear that is cut short: either nothing has happened, or nothing of what was said can be seen."""

import pytest

from bottega.events.facts import Compaction, CompactionUndone, SessionReset
from bottega.sessions.attach import Attachments
from bottega.sessions.care import leftovers
from bottega.sessions.care.check import check
from bottega.sessions.care.search import Search
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.turning import clear, undo_compaction
from bottega.storage.blobs import Blobs
from tests.events.logs import answer, end, prompt
from tests.events.logs import log as as_log
from tests.processes import run
from tests.sessions import stored

CLEAR = """
import asyncio, sys
from pathlib import Path
from bottega.sessions.log import Log
from bottega.sessions.session import Sessions
from bottega.sessions.tables import MIGRATIONS
from bottega.sessions.turning import clear
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home

async def main():
    database = Database.open(Home(Path(sys.argv[1])), MIGRATIONS)
    row = Sessions(database).get(sys.argv[2])
    await clear(Log(database), Blobs(database.home.blobs), row)

asyncio.run(main())
"""


async def filled(log_: Log, session: SessionRow, blobs: Blobs) -> None:
    await Attachments(log_.database, blobs).keep(session.n, b"mine")
    await stored.write(log_.database, session, as_log(*prompt("pelicans"), answer(), end("done")))
    await Search(log_.database).update()


@pytest.mark.chaos
async def test_a_kill_inside_its_transaction_leaves_all_as_it_was(
    log: Log, session: SessionRow, blobs: Blobs
) -> None:
    await filled(log, session, blobs)
    before = stored.rows(log.database, session)
    killed = run(CLEAR, log.database.home.path, session.id, failpoints="turning.after_clear=kill@1")
    assert killed.returncode == -9, killed.stderr
    assert stored.rows(log.database, session) == before
    assert len(await Search(log.database).search("pelicans")) == 1


@pytest.mark.chaos
async def test_a_kill_after_it_leaves_only_what_nobody_sees_and_a_sweep_removes(
    log: Log, session: SessionRow, blobs: Blobs
) -> None:
    await filled(log, session, blobs)
    killed = run(
        CLEAR, log.database.home.path, session.id, failpoints="turning.before_leftovers=kill@1"
    )
    assert killed.returncode == -9, killed.stderr
    assert stored.types(log.database, session) == ["session_cleared"]
    assert await Search(log.database).search("pelicans") == []
    assert {finding.next for finding in check(log.database.home)} == {
        "`bottega db trim` removes them."
    }
    assert await leftovers.sweep(log.database, blobs, grace=-1) == leftovers.Swept(1, 1)
    assert check(log.database.home) == []


async def test_a_long_session_is_cleared_with_all_its_words(
    log: Log, session: SessionRow, blobs: Blobs
) -> None:
    many = [each for _ in range(1200) for each in (*prompt("pelicans"), answer(), end("done"))]

    await stored.write(log.database, session, as_log(*many))
    await Search(log.database).update()
    await clear(log, blobs, Sessions(log.database).get(session.id))
    assert stored.count(log.database, "words") == 0
    assert stored.count(log.database, "events") == 1


async def test_undoing_names_what_it_undoes_and_does_so_once(log: Log, session: SessionRow) -> None:

    made = [*prompt("a"), answer(), Compaction(3, "one", True), Compaction(3, "two", True)]
    await stored.write(log.database, session, as_log(*made))
    assert await undo_compaction(log, session) == 5
    assert await undo_compaction(log, session) == 0, "to go further back it must be named"
    assert await undo_compaction(log, session, 5) == 0
    assert await undo_compaction(log, session, 3) == 0, "that is none"
    assert await undo_compaction(log, session, 4) == 4
    await stored.write(log.database, session, as_log(Compaction(3, "x", True), SessionReset()))
    assert await undo_compaction(log, session) == 0
    undone = [e.data for e in stored.events(log.database, session) if e.type == "compaction_undone"]
    assert undone == [CompactionUndone(5), CompactionUndone(4)]
