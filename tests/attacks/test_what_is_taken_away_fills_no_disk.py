"""Severity: high. An agent plants huge sparse hooks, which weigh nothing in its folder: of what is taken away little is
kept in the home, a bounded share for each person, and nothing of the disk's reserve."""

import os
from pathlib import Path

import pytest

from bottega.fairness import acting_for
from bottega.sessions.bounds.keeping import Keeping
from bottega.storage.database import Database
from bottega.storage.disk import Disk
from bottega.storage.home import Home
from bottega.workspaces.confine import Root
from bottega.workspaces.git import files
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.undoing.quarantine import LARGEST, MOST, MOST_BYTES, Quarantine
from bottega.workspaces.outputs.outputs import size_of
from tests.attacks.indexes import git

EVERYTHING = 1 << 60


def planted(folder: Path, count: int) -> None:
    git(folder, "init", "-q", "x")
    for number in range(count):
        hook = folder / f"x/.git/hooks/h{number}"
        hook.touch(mode=0o755)
        os.truncate(hook, 8 << 20)


def looked_at(state: Path, folder: Path, count: int, reserve: int = 0) -> str:
    """What is told of so many hooks that were planted while a program ran there."""
    folder.mkdir(parents=True)
    with Root(folder) as root:
        guard = Guard(state, root, reserve)
        guard.open()
        planted(folder, count)
        guard.close()
        assert not any((folder / "x/.git/hooks").glob("h*"))
        return " ".join(guard.reports())


def test_only_the_beginning_of_a_huge_file_is_kept(tmp_path: Path) -> None:
    looked_at(tmp_path / "state", tmp_path / "project", 20)
    assert 0 < size_of(tmp_path / "state/quarantine") <= 21 * LARGEST


def test_where_the_disk_has_nothing_to_spare_it_is_undone_without_a_copy(tmp_path: Path) -> None:
    told = looked_at(tmp_path / "state", tmp_path / "project", 2, EVERYTHING)
    assert size_of(tmp_path / "state/quarantine") == 0
    assert "No copy could be kept" in told


def kept(place: Path, folder: Path, size: int, times: int) -> None:
    """So many copies of one file, as if each was found in another workspace."""
    (folder / "hook").touch()
    os.truncate(folder / "hook", size)
    with Root(folder) as root:
        found = files.look(root, "hook")
        assert found is not None
        for _ in range(times):
            Quarantine(place).keep(root, "hook", found)


@pytest.mark.parametrize("size", [0, 8 << 20])
def test_one_person_has_a_bounded_share_in_all_folders_together(tmp_path: Path, size: int) -> None:
    place, folder = tmp_path / "quarantine", tmp_path / "project"
    folder.mkdir()
    with acting_for(1):
        kept(place, folder, 5, 1)
    (mine,) = (place / "person-1").iterdir()
    with acting_for(2):
        kept(place, folder, size, 600)
    theirs = place / "person-2"
    assert len(os.listdir(theirs)) <= MOST
    assert size_of(theirs) <= MOST_BYTES
    assert len(os.listdir(theirs)) > 100, "the newest stay"
    assert mine.exists(), "nobody's copies make room for another's"


def test_what_is_kept_counts_to_the_person(tmp_path: Path) -> None:
    from bottega.runtime import MIGRATIONS

    database = Database.open(Home(tmp_path / "home"), MIGRATIONS)
    try:
        folder = database.home.quarantine / "person-2"
        folder.mkdir(parents=True)
        (folder / "1-hook").write_bytes(b"x" * 1_000)
        keeping = Keeping(database, lambda: 1_500, Disk(tmp_path))
        keeping.admit(3, 1_000)
        with pytest.raises(Exception, match="kept for one person"):
            keeping.admit(2, 1_000)
    finally:
        database.close()
