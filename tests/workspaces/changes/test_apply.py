"""A change is made whole or not at all, never through a link, and what is in the way is said plainly."""

import os
import socket
import stat
import unicodedata
from pathlib import Path

import pytest

from bottega import failpoint
from bottega.errors import BadUsage, Conflict
from bottega.workspaces.confine import NotAFile, NotAFolder, PathOutsideWorkspace, Root
from bottega.workspaces.edit import Edit
from bottega.workspaces.problems import DiskFull, HalfMade, Stale, WorkspaceGone
from tests.processes import run
from tests.workspaces.changes.conftest import Apply, tree

BOTH = {"a.txt": b"one\n", "src/b.txt": b"two\n"}


@pytest.fixture
def armed() -> object:
    yield failpoint.arm
    failpoint.arm("")


def test_files_are_changed_made_and_removed_together(change: Apply, place: Path) -> None:
    change(
        ("a.txt", b"one\n", b"uno\n"),
        ("new/deep/c.txt", None, b"three\n"),
        ("src/b.txt", b"two\n", None),
    )

    assert tree(place) == {"a.txt": b"uno\n", "new/deep/c.txt": b"three\n"}


@pytest.mark.requirement("C20")
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("a.txt", b"what it once was\n", b"x"), "has changed since it was read"),
        (("a.txt", b"One\n", b"x"), "has changed since it was read"),
        (("a.txt", None, b"x"), "is there by now"),
        (("gone.txt", b"was here", b"x"), "is gone"),
        (("no/folder.txt", b"was here", None), "is gone"),
    ],
)
def test_a_file_that_changed_since_is_refused_and_nothing_is_written(
    change: Apply, place: Path, edit: tuple[str, bytes | None, bytes | None], said: str
) -> None:
    with pytest.raises(Stale, match=said) as refused:
        change(("src/b.txt", b"two\n", b"dos\n"), ("new/c.txt", None, b"3"), edit)

    assert refused.value.code == "stale"
    assert isinstance(refused.value, Conflict)
    assert "Read it again" in str(refused.value)
    assert edit[0] in str(refused.value)
    assert tree(place) == BOTH
    assert not (place / "new").exists()


def test_an_old_file_keeps_its_rights_and_a_new_one_gets_the_usual_ones(
    change: Apply, place: Path
) -> None:
    (place / "a.txt").chmod(0o640)
    usual = os.umask(0o027)
    try:
        change(
            ("a.txt", b"one\n", b"uno\n"),
            ("plain", None, b""),
            Edit("run", None, b"#!", mode=0o755),
        )
    finally:
        os.umask(usual)

    modes = {
        name: stat.S_IMODE((place / name).stat().st_mode) for name in ("a.txt", "plain", "run")
    }
    assert modes == {"a.txt": 0o640, "plain": 0o640, "run": 0o750}


def test_the_bits_that_lend_rights_are_not_carried_to_other_bytes(
    change: Apply, place: Path
) -> None:
    (place / "a.txt").chmod(0o6755)
    change(("a.txt", b"one\n", b"uno\n"), Edit("new", None, b"", mode=0o4777))

    assert stat.S_IMODE((place / "a.txt").stat().st_mode) == 0o755
    assert not (place / "new").stat().st_mode & stat.S_ISUID


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_makes_belongs_to_the_owner_of_the_workspace(change: Apply, place: Path) -> None:
    os.chown(place, 12345, 23456)
    os.chown(place / "a.txt", 777, 888)
    change(("new/deep/c.txt", None, b"3"), ("a.txt", b"one\n", b"uno\n"))

    owners = {
        name: ((place / name).stat().st_uid, (place / name).stat().st_gid)
        for name in ("new", "new/deep", "new/deep/c.txt", "a.txt")
    }
    ours = (12345, 23456)
    assert owners == {"new": ours, "new/deep": ours, "new/deep/c.txt": ours, "a.txt": (777, 888)}


def test_attributes_of_a_file_stay_with_it(change: Apply, place: Path) -> None:
    try:
        os.setxattr(place / "a.txt", "user.colour", b"green")
    except OSError:
        pytest.skip("this disk has no attributes")
    change(("a.txt", b"one\n", b"uno\n"))

    assert os.getxattr(place / "a.txt", "user.colour") == b"green"


def test_another_name_of_a_file_keeps_the_old_bytes(change: Apply, place: Path) -> None:
    os.link(place / "a.txt", place.parent / "elsewhere")
    change(("a.txt", b"one\n", b"uno\n"))

    assert (place / "a.txt").read_bytes() == b"uno\n"
    assert (place.parent / "elsewhere").read_bytes() == b"one\n"


@pytest.mark.parametrize("target", ["../outside.txt", "src/b.txt", "/etc/passwd", "nowhere"])
def test_a_link_in_the_files_place_is_not_followed(change: Apply, place: Path, target: str) -> None:
    (place / "a.txt").unlink()
    (place / "a.txt").symlink_to(target)
    for before in (b"one\n", None):
        with pytest.raises(Stale, match="symbolic link"):
            change(("a.txt", before, b"x"))

    assert (place / "src/b.txt").read_bytes() == b"two\n"
    assert (place.parent / "outside.txt").read_bytes() == b"canary"


@pytest.mark.parametrize("target", ["..", "other", "/tmp"])
def test_a_link_on_the_way_is_not_followed_even_where_it_stays_inside(
    change: Apply, place: Path, target: str
) -> None:
    (place / "other").mkdir()
    (place / "src").rename(place / "was")
    (place / "src").symlink_to(target)
    with pytest.raises(NotAFolder):
        change(("src/new.txt", None, b"x"))
    with pytest.raises(NotAFolder):
        change(("src/deep/new.txt", None, b"x"))

    assert list((place / "other").iterdir()) == []
    assert not (place.parent / "new.txt").exists()


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "src/../../x", "a\0b", "n" * 256, "\ud800", ".", "", "src/.."]
)
def test_a_path_that_names_no_file_inside_is_refused(change: Apply, place: Path, path: str) -> None:
    with pytest.raises((PathOutsideWorkspace, NotAFile)):
        change(("a.txt", b"one\n", b"uno\n"), (path, None, b"x"))

    assert tree(place) == BOTH


def test_a_folder_pipe_or_socket_in_the_way_is_said(
    change: Apply, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)  # a socket's address must be short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        for name, kind in (("pipe", "pipe"), ("socket", "socket"), ("src", "folder")):
            for before in (None, b"x"):
                with pytest.raises(NotAFile, match=kind):
                    change(("a.txt", b"one\n", b"uno\n"), (name, before, b"y"))
    assert tree(place) == BOTH


def test_a_file_where_a_folder_is_wanted_is_said(change: Apply, place: Path) -> None:
    with pytest.raises(NotAFolder):
        change(("src/b.txt", b"two\n", b"dos\n"), ("a.txt/inner", None, b"x"))
    assert tree(place) == BOTH


def test_edits_that_stand_in_each_others_way_leave_nothing(change: Apply, place: Path) -> None:
    with pytest.raises((NotAFile, Stale)):
        change(("a.txt", b"one\n", b"uno\n"), ("x/y", None, b"1"), ("x", None, b"2"))
    assert tree(place) == BOTH
    assert not (place / "x").exists()
    with pytest.raises(BadUsage, match="twice"):
        change(("a.txt", b"one\n", b"1"), ("a.txt", b"1", b"2"))
    assert tree(place) == BOTH


@pytest.mark.parametrize(
    "name",
    ["n" * 255, "\u202egnp.exe", unicodedata.normalize("NFD", "é"), "ß\u200d", "-rf", " ", "a\nb"],
)
def test_every_name_that_the_system_takes_is_taken_as_it_is(
    change: Apply, place: Path, name: str
) -> None:
    change((name, None, b"x"))
    change((name, b"x", b"y"))

    assert os.fsencode(name) in os.listdir(os.fsencode(place))
    assert (place / name).read_bytes() == b"y"


def test_names_that_look_alike_are_not_the_same_file(change: Apply, place: Path) -> None:
    alike = ["é", unicodedata.normalize("NFD", "é"), "A.txt", "а.txt"]
    change(*((name, None, name.encode()) for name in alike))

    assert {name: (place / name).read_bytes() for name in alike} == {n: n.encode() for n in alike}
    assert (place / "a.txt").read_bytes() == b"one\n"


POINTS = ["files.before_write", "files.before_rename", "files.after_rename", "files.before_sync"]


@pytest.mark.parametrize("passage", [1, 2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_a_failure_at_any_point_leaves_every_file_as_it_was(
    change: Apply, place: Path, armed: object, point: str, passage: int
) -> None:
    (place / "more").write_bytes(b"more")
    (place / "a.txt").chmod(0o604)
    before, inodes = tree(place), (place / "a.txt").stat().st_ino
    assert callable(armed)
    armed(f"{point}=error@{passage}")
    with pytest.raises(DiskFull, match="full"):
        change(
            ("a.txt", b"one\n", b"uno\n"),
            ("new/deep/c.txt", None, b"three\n"),
            ("more", b"more", b"less"),
            ("src/b.txt", b"two\n", None),
        )

    assert tree(place) == before
    assert not (place / "new").exists()
    assert (place / "a.txt").stat().st_ino == inodes
    assert stat.S_IMODE((place / "a.txt").stat().st_mode) == 0o604


def test_what_could_not_be_put_back_is_named(change: Apply, place: Path, armed: object) -> None:
    assert callable(armed)
    armed(",".join(("files.after_rename=error@2", "files.before_switch_back=error@2")))
    with pytest.raises(HalfMade, match=r"could not be put back: 'a\.txt'") as told:
        change(("a.txt", b"one\n", b"uno\n"), ("src/b.txt", b"two\n", b"dos\n"))

    assert "disk is full" in str(told.value)
    assert tree(place) == {"a.txt": b"uno\n", "src/b.txt": b"two\n"}


def test_what_the_system_refuses_without_a_word_of_ours_is_still_said_plainly(
    place: Path, tmp_path: Path
) -> None:
    done = run(
        """
        import resource, sys
        from pathlib import Path
        from bottega.errors import Problem
        from bottega.workspaces.changes.apply import apply
        from bottega.workspaces.confine import Root
        from bottega.workspaces.edit import Change, Edit
        from bottega.workspaces.fence import Fence
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            with Root(sys.argv[1]) as root:
                edits = (Edit("a.txt", b"one\\n", b"uno\\n"), Edit("big", None, b"x" * 2000))
                apply(root, Change(edits), Fence(Path(sys.argv[2])))
        except Problem as problem:
            print(problem.code, problem)
        """,
        place,
        tmp_path / "state",
    )

    assert done.stdout == "not_written The file 'big' could not be written: File too large.\n"
    assert tree(place) == BOTH


def test_a_workspace_that_went_is_said(change: Apply, place: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    place.rename(moved)
    with pytest.raises(WorkspaceGone, match="deleted, moved or replaced"):
        change(("a.txt", b"one\n", b"uno\n"))
    place.mkdir()
    with pytest.raises(WorkspaceGone):
        change(("new", None, b"uno\n"))

    assert tree(moved) == BOTH
    assert tree(place) == {}


def test_a_deleted_workspace_is_said(tmp_path: Path, change: Apply, place: Path) -> None:
    for path in ("a.txt", "src/b.txt"):
        (place / path).unlink()
    (place / "src").rmdir()
    place.rmdir()
    with pytest.raises(WorkspaceGone):
        change(("new", None, b"uno\n"))


def test_passing_files_of_the_dead_are_removed_and_those_of_the_living_stay(
    change: Apply, place: Path, root: Root
) -> None:
    assert root
    began = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19]
    dead = [f".bottega-{2**22 + 1}-0-{'a' * 24}.tmp", f".bottega-{os.getpid()}-1-{'b' * 24}.tmp"]
    kept = [f".bottega-{os.getpid()}-{began}-{'c' * 24}.tmp", ".bottega-notes.tmp"]
    for name in (*dead, *kept):
        (place / name).write_text("left over")
    change(("a.txt", b"one\n", b"uno\n"))

    assert {name for name in os.listdir(place) if name.startswith(".")} == set(kept)
