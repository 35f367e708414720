"""What is kept for each person: up to a bound, the oldest outputs first to go, and never the last of the disk."""

from pathlib import Path

import pytest

from bottega.sessions.attach import Attachments
from bottega.sessions.bounds.keeping import Keeping, TooMuchKept
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.disk import Disk, DiskNearlyFull
from bottega.workspaces.outputs.outputs import Outputs

MOST = 1_000_000


@pytest.fixture
def keeping(database: Database) -> Keeping:
    return Keeping(database, lambda: MOST, Disk(database.home.path))


def outputs(database: Database, keeping: Keeping, row: SessionRow) -> Outputs:
    folder = database.home.outputs / row.id

    def extend(size: int) -> None:
        keeping.extend(row.owner, size)

    return Outputs(folder, head=400_000, tail=0, extend=extend)


def kept(place: Outputs, size: int) -> tuple[str, str]:
    """The id of a new output, and why not all of it was kept."""
    output = place.create()
    output.spool("stdout").write(b"x" * size)
    output.close(keep=True)
    return output.id, output.failed


async def test_a_persons_oldest_outputs_make_room_whichever_session_they_are_of(
    database: Database, keeping: Keeping, session: SessionRow
) -> None:
    second = await Sessions(database).create(model="m", agent="coder", folder="/nowhere")
    first = outputs(database, keeping, session)
    old, _ = kept(first, 400_000)
    kept(outputs(database, keeping, second), 400_000)
    _, failed = kept(outputs(database, keeping, second), 400_000)
    assert not failed
    assert old not in first.names()


async def test_another_person_has_a_bound_of_their_own(
    database: Database, blobs: Blobs, keeping: Keeping, session: SessionRow
) -> None:
    hers = await Sessions(database).create(model="m", agent="coder", folder="/nowhere", owner=7)
    attachments = Attachments(database, blobs, keeping)
    await attachments.keep(session.n, b"x" * 900_000, session.owner)
    with pytest.raises(TooMuchKept, match="for one person") as refused:
        await attachments.keep(session.n, b"y" * 900_000, session.owner)
    assert "person_storage_mb" in refused.value.hint
    await attachments.keep(hers.n, b"y" * 900_000, hers.owner)


async def test_blobs_that_are_there_already_count(
    database: Database, blobs: Blobs, session: SessionRow
) -> None:
    await Attachments(database, blobs).keep(session.n, b"x" * 600_000)
    later = Keeping(database, lambda: MOST, Disk(database.home.path))
    attachments = Attachments(database, blobs, later)
    with pytest.raises(TooMuchKept):
        await attachments.keep(session.n, b"y" * 600_000, session.owner)
    assert len(blobs.names()) == 1
    await attachments.keep(session.n, b"y" * 300_000, session.owner)


def test_the_last_of_the_disk_is_left_free(database: Database, session: SessionRow) -> None:
    disk = Disk(database.home.path, reserve=1 << 60)
    full = Keeping(database, lambda: MOST, disk)
    with pytest.raises(DiskNearlyFull, match="less than"):
        full.admit(session.owner, 1)
    _, failed = kept(outputs(database, full, session), 10)
    assert "less than" in failed
    assert not list(Path(database.home.outputs).rglob("stdout"))
