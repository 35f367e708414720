"""After a crash: how far a change came is told from the files alone, and half of one is brought back."""

import hashlib
import os
from pathlib import Path

import pytest

from bottega.errors import NotFound
from bottega.events.facts import FileChange
from bottega.storage.blobs import Blobs
from bottega.workspaces.changes.kept import blobs_of, keep
from bottega.workspaces.changes.reconcile import reconcile, settle
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Fence
from tests.processes import run
from tests.workspaces.changes.conftest import Apply, tree

EDITS = (
    Edit("a.txt", b"one\n", b"uno\n"),
    Edit("new/c.txt", None, b"three\n"),
    Edit("src/b.txt", b"two\n", None),
)

VICTIM = """
    import sys
    from pathlib import Path
    from bottega.workspaces.changes.apply import apply
    from bottega.workspaces.confine import Root
    from bottega.workspaces.fence import Fence
    from tests.workspaces.changes.test_reconcile import EDITS
    from bottega.workspaces.edit import Change
    with Root(sys.argv[1]) as root:
        apply(root, Change(EDITS), Fence(Path(sys.argv[2]), "ses_1", 1))
    """

POINTS = ("files.before_write", "files.before_rename", "files.after_rename", "files.before_sync")


@pytest.fixture
def store(tmp_path: Path) -> Blobs:
    (tmp_path / "blobs").mkdir()
    return Blobs(tmp_path / "blobs")


@pytest.fixture
def writes(store: Blobs) -> tuple[FileChange, ...]:
    return keep(Change(EDITS), store)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_both_sides_are_kept_before_anything_happens(
    store: Blobs, writes: tuple[FileChange, ...]
) -> None:
    assert writes == (
        FileChange("a.txt", sha(b"one\n"), sha(b"uno\n")),
        FileChange("new/c.txt", "", sha(b"three\n")),
        FileChange("src/b.txt", sha(b"two\n"), ""),
    )
    assert [store.read(name) for name in blobs_of(writes)] == [
        b"one\n",
        b"uno\n",
        b"three\n",
        b"two\n",
    ]


def test_all_none_and_some_are_told_apart(
    root: Root, place: Path, change: Apply, writes: tuple[FileChange, ...]
) -> None:
    assert reconcile(root, writes).state == "none"
    change(EDITS[0])
    some = reconcile(root, writes)
    assert (some.state, some.made, some.unmade) == ("some", ("a.txt",), ("new/c.txt", "src/b.txt"))
    change(*EDITS[1:])
    assert reconcile(root, writes).state == "all"
    (place / "a.txt").write_bytes(b"a person's")
    edited = reconcile(root, writes)
    assert (edited.state, edited.other) == ("some", ("a.txt",))


def test_a_write_that_changes_nothing_says_nothing(root: Root, place: Path) -> None:
    same = FileChange("a.txt", sha(b"one\n"), sha(b"one\n"))
    other = FileChange("src/b.txt", sha(b"two\n"), sha(b"dos\n"))
    assert reconcile(root, (same, other)).state == "none"
    (place / "src/b.txt").write_bytes(b"dos\n")
    assert reconcile(root, (same, other)).state == "all"


def test_what_is_no_file_any_more_counts_as_somebody_elses(root: Root, place: Path) -> None:
    (place / "a.txt").unlink()
    os.mkfifo(place / "a.txt")
    (place / "src/b.txt").unlink()
    (place / "src/b.txt").symlink_to("../../outside.txt")
    writes = [FileChange(name, sha(b"one\n"), sha(b"x")) for name in ("a.txt", "src/b.txt", "../x")]
    assert reconcile(root, writes).other == ("a.txt", "src/b.txt", "../x")


@pytest.mark.chaos
@pytest.mark.parametrize("passage", [1, 2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_leaves_old_or_new_and_the_truth_is_told(
    place: Path,
    tmp_path: Path,
    store: Blobs,
    writes: tuple[FileChange, ...],
    point: str,
    passage: int,
) -> None:
    before = tree(place)
    dead = run(VICTIM, place, tmp_path / "state", failpoints=f"{point}=kill@{passage}")
    if dead.returncode == 0:
        assert (point, passage) == ("files.before_write", 3), "only two files are written"
    else:
        assert dead.returncode == -9, dead.stderr
    with Root(place) as root:
        found = reconcile(root, writes)
        assert not found.other
        for write in writes:
            file = place / write.path
            now = sha(file.read_bytes()) if file.exists() else ""
            assert now == (write.after if write.path in found.made else write.before)
        assert not [name for name in tree(place) if ".bottega-" in name]
        settled = settle(root, writes, store.read, Fence(tmp_path / "state", "ses_1", 2))
        assert settled.undone == found.made
        assert settled.refused == {}
        assert reconcile(root, writes).state == "none"
    assert tree(place) == before


def test_what_a_person_edited_since_is_left_alone(
    root: Root,
    place: Path,
    change: Apply,
    store: Blobs,
    writes: tuple[FileChange, ...],
    fence: Fence,
) -> None:
    change(*EDITS)
    (place / "a.txt").write_bytes(b"a person's")
    settled = settle(root, writes, store.read, fence)

    assert settled.undone == ("new/c.txt", "src/b.txt")
    assert list(settled.refused) == ["a.txt"]
    assert tree(place) == {"a.txt": b"a person's", "src/b.txt": b"two\n"}


def test_bytes_that_are_no_longer_kept_cannot_be_brought_back(
    root: Root,
    place: Path,
    change: Apply,
    store: Blobs,
    writes: tuple[FileChange, ...],
    fence: Fence,
) -> None:
    change(*EDITS)
    store.drop(sha(b"one\n"))
    with pytest.raises(NotFound):
        store.read(sha(b"one\n"))
    settled = settle(root, writes, store.read, fence)

    assert list(settled.refused) == ["a.txt"]
    assert (place / "a.txt").read_bytes() == b"uno\n"
