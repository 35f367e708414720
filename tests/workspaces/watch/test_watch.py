"""What a command changed is noticed, with both sides kept; what somebody else did before it is not."""

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import Problem
from bottega.events.facts import FileChange
from bottega.storage.blobs import Blobs
from bottega.storage.home import Home
from bottega.workspaces.changes.reconcile import settle
from bottega.workspaces.confine import Root
from bottega.workspaces.fence import Fence
from bottega.workspaces.watch.gone import forget_gone
from bottega.workspaces.watch.manifest import Caps
from bottega.workspaces.watch.watch import Noticed, Watch
from tests.processes import run
from tests.workspaces.changes.conftest import tree


@pytest.fixture
def place(tmp_path: Path) -> Path:
    inside = tmp_path / "ws"
    (inside / "src").mkdir(parents=True)
    (inside / "src" / "main.py").write_bytes(b"print(1)\n")
    (inside / "README.md").write_bytes(b"read me\n")
    (inside / ".gitignore").write_bytes(b"build/\n*.log\n")
    return inside


@pytest.fixture
def root(place: Path) -> Iterator[Root]:
    with Root(place) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Blobs:
    (tmp_path / "blobs").mkdir()
    return Blobs(tmp_path / "blobs")


@pytest.fixture
def watch(root: Root, tmp_path: Path) -> Watch:
    return Watch(root, tmp_path / "state")


@pytest.fixture
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had last changed long ago, so that its times can be trusted."""
    monkeypatch.setattr("bottega.workspaces.watch.watch._RACY", 0)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_changed_new_and_removed_files_are_noticed_with_both_sides(
    watch: Watch, place: Path, store: Blobs
) -> None:
    before = watch.look("call_1")
    (place / "src" / "main.py").write_bytes(b"print(2)\n")
    (place / "new").mkdir()
    (place / "new" / "file").write_bytes(b"new")
    (place / "README.md").unlink()
    (place / "empty").touch()
    found = watch.noticed(before, store)

    assert found == Noticed(
        (
            FileChange("README.md", sha(b"read me\n"), "", 0o644),
            FileChange("empty", "", sha(b"")),
            FileChange("new/file", "", sha(b"new")),
            FileChange("src/main.py", sha(b"print(1)\n"), sha(b"print(2)\n")),
        )
    )
    assert store.read(sha(b"print(1)\n")) == b"print(1)\n"
    assert store.read(sha(b"read me\n")) == b"read me\n"
    assert len(store.names()) == 5


def test_nothing_changed_is_nothing_kept(watch: Watch, place: Path, store: Blobs) -> None:
    before = watch.look("call_1")
    os.utime(place / "README.md")
    (place / "src" / "main.py").chmod(0o755)
    (place / "README.md").write_bytes(b"read me\n")

    assert watch.noticed(before, store) == Noticed()
    assert store.names() == set()


def test_what_a_person_edits_between_two_commands_belongs_to_neither(
    watch: Watch, place: Path, store: Blobs
) -> None:
    watch.noticed(watch.look("call_1"), store)
    (place / "README.md").write_bytes(b"a person's\n")
    before = watch.look("call_2")
    (place / "src" / "main.py").write_bytes(b"print(2)\n")

    assert [write.path for write in watch.noticed(before, store).writes] == ["src/main.py"]


def test_a_change_of_the_same_size_in_the_same_moment_is_noticed(
    watch: Watch, place: Path, store: Blobs
) -> None:
    """Clocks are coarse: a file that is written twice in a few milliseconds may have the same times."""
    for turn in range(20):
        was = (place / "README.md").read_bytes()
        before = watch.look("call_1")
        times = (place / "README.md").stat()
        (place / "README.md").write_bytes(b"%07d\n" % turn)
        os.utime(place / "README.md", ns=(times.st_atime_ns, times.st_mtime_ns))
        found = watch.noticed(before, store).writes
        assert found == (FileChange("README.md", sha(was), sha(b"%07d\n" % turn)),)


def test_ignored_files_git_and_links_are_not_looked_at(
    watch: Watch, place: Path, store: Blobs, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"canary")
    before = watch.look("call_1")
    for name in ("build/out", ".git/config", "src/x.log", "sub/.git/HEAD"):
        (place / name).parent.mkdir(exist_ok=True, parents=True)
        (place / name).write_bytes(b"x")
    (place / "link").symlink_to(tmp_path / "outside")
    (place / "file-link").symlink_to("../outside/secret")
    os.mkfifo(place / "pipe")

    assert watch.noticed(before, store) == Noticed()
    assert b"canary" not in tree(tmp_path / "state").values()


@pytest.mark.usefixtures("long_ago")
def test_other_rules_make_no_change_of_files_that_were_there_all_along(
    watch: Watch, place: Path, store: Blobs
) -> None:
    (place / "build").mkdir()
    (place / "build" / "old").write_bytes(b"old")
    before = watch.look("call_1")
    (place / ".gitignore").write_bytes(b"src/\n")
    (place / "build" / "new").write_bytes(b"new")

    changed = [write.path for write in watch.noticed(before, store).writes]
    assert changed == [".gitignore", "build/new"]


def test_a_renamed_folder_is_all_of_its_files(watch: Watch, place: Path, store: Blobs) -> None:
    before = watch.look("call_1")
    (place / "src").rename(place / "lib")

    assert watch.noticed(before, store).writes == (
        FileChange("lib/main.py", "", sha(b"print(1)\n")),
        FileChange("src/main.py", sha(b"print(1)\n"), "", 0o644),
    )


def test_what_is_beyond_the_caps_is_named(root: Root, tmp_path: Path, store: Blobs) -> None:
    place = Path(root.path)
    (place / "big").write_bytes(b"b" * 50)
    watch = Watch(root, tmp_path / "state", Caps(file=40, total=70, changes=2, named=3))
    before = watch.look("call_1")
    assert {path: bool(known.sha) for path, known in before.files.items()} == {
        ".gitignore": True,
        "README.md": True,
        "big": False,
        "src/main.py": True,
    }
    (place / "big").write_bytes(b"c" * 50)
    (place / "README.md").write_bytes(b"d" * 50)
    for name in ("a1", "a2", "a3", "a4"):
        (place / name).write_bytes(name.encode())
    found = watch.noticed(before, store)

    assert [write.path for write in found.writes] == ["a1", "a2"]
    assert (found.unkept, found.more) == (("README.md", "big", "a3"), 1)
    assert found.whole


@pytest.mark.usefixtures("long_ago")
def test_more_files_than_are_looked_at_are_said(root: Root, tmp_path: Path, store: Blobs) -> None:
    place = Path(root.path)
    for number in range(5):
        (place / f"f{number}").write_bytes(b"%d" % number)
    watch = Watch(root, tmp_path / "state", Caps(files=4))
    before = watch.look("call_1")
    assert len(before.files) == 4
    (place / "README.md").unlink()
    found = watch.noticed(before, store)

    assert not found.whole
    assert [write.path for write in found.writes] == ["README.md"]


def test_a_name_that_is_no_text_is_named_and_not_kept(
    watch: Watch, place: Path, store: Blobs
) -> None:
    before = watch.look("call_1")
    (place / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    found = watch.noticed(before, store)

    assert found == Noticed(unkept=("caf?",))


def test_what_a_command_did_can_be_undone_with_its_rights(
    watch: Watch, root: Root, place: Path, store: Blobs, tmp_path: Path
) -> None:
    (place / "run.sh").write_bytes(b"#!")
    (place / "run.sh").chmod(0o755)
    whole = tree(place)
    before = watch.look("call_1")
    (place / "run.sh").unlink()
    (place / "src" / "main.py").write_bytes(b"spoilt")
    (place / "extra").write_bytes(b"extra")
    found = watch.noticed(before, store)
    settle(root, found.writes, store.read, Fence(tmp_path / "state"))

    assert tree(place) == whole
    assert (place / "run.sh").stat().st_mode & 0o777 == 0o755


LOOK = """
    import os, signal, sys
    from pathlib import Path
    from bottega.workspaces.confine import Root
    from bottega.workspaces.watch.watch import Watch
    folder = Path(sys.argv[1])
    with Root(folder) as root:
        Watch(root, Path(sys.argv[2])).look("ses_1/call_1")
        (folder / "README.md").write_bytes(b"half done")
        os.kill(os.getpid(), signal.SIGKILL)
    """


@pytest.mark.chaos
def test_after_a_crash_inside_a_command_it_can_still_be_told_what_changed(
    watch: Watch, place: Path, store: Blobs, tmp_path: Path
) -> None:
    assert run(LOOK, place, tmp_path / "state").returncode == -9
    left = watch.left("ses_1/call_1")
    assert left
    assert watch.left("ses_1/call_2") is None

    assert watch.noticed(left, store).writes == (
        FileChange("README.md", sha(b"read me\n"), sha(b"half done")),
    )
    watch.forget("ses_1/call_1")
    assert watch.left("ses_1/call_1") is None


@pytest.mark.usefixtures("long_ago")
def test_a_second_process_reads_only_what_changed(
    root: Root, place: Path, tmp_path: Path, store: Blobs
) -> None:
    Watch(root, tmp_path / "state").look("call_1")
    (place / "README.md").write_bytes(b"changed\n")
    shutil.rmtree(tmp_path / "state" / "shelf")  # whatever is read is put there again
    Watch(root, tmp_path / "state").look("call_2")

    assert list(tree(tmp_path / "state" / "shelf").values()) == [b"changed\n"]


def test_copies_that_were_lost_are_named_and_damaged_ones_are_not_believed(
    watch: Watch, place: Path, store: Blobs, tmp_path: Path
) -> None:
    before = watch.look("call_1")
    shelf = tmp_path / "state" / "shelf"
    gone, spoilt = sha(b"read me\n"), sha(b"print(1)\n")
    (shelf / gone).unlink()
    (shelf / spoilt).write_bytes(b"other bytes")
    (place / "README.md").write_bytes(b"1")
    (place / "src" / "main.py").write_bytes(b"2")
    (place / "fine").write_bytes(b"3")
    found = watch.noticed(before, store)

    assert [write.path for write in found.writes] == ["fine"]
    assert found.unkept == ("README.md", "src/main.py")


def test_a_look_that_cannot_be_read_is_no_look(
    watch: Watch, root: Root, place: Path, store: Blobs, tmp_path: Path
) -> None:
    watch.look("call_1")
    for path in (tmp_path / "state" / "looks").iterdir():
        path.write_bytes(b"\x93torn")
    again = Watch(root, tmp_path / "state")
    assert again.left("call_1") is None
    (place / "README.md").write_bytes(b"1")

    assert again.noticed(again.look("call_2"), store) == Noticed()


def test_old_copies_are_dropped_and_those_that_are_needed_stay(
    root: Root, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Blobs
) -> None:
    monkeypatch.setattr("bottega.workspaces.watch.watch._SPARE", 3)
    watch = Watch(root, tmp_path / "state")
    kept = watch.look("kept")
    shelf = tmp_path / "state" / "shelf"
    for turn in range(20):
        (place / "README.md").write_bytes(b"turn %d" % turn)
        for path in shelf.iterdir():
            os.utime(path, (0, 0))
        watch.look("other")
    held = set(tree(shelf).values())

    assert b"turn 3" not in held
    assert {b"read me\n", b"turn 19"} <= held
    (change,) = watch.noticed(kept, store).writes
    assert (change.before, change.after) == (sha(b"read me\n"), sha(b"turn 19"))


def test_copies_of_a_folder_that_is_gone_are_forgotten(
    watch: Watch, root: Root, place: Path, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    state = home.workspace(root.path)
    Fence(state, "ses_1", 1).take_over()
    Watch(root, state).look("call_1")
    assert state.parent == home.workspaces
    assert forget_gone(home.workspaces) == 0
    assert (state / "shelf").exists()
    place.rename(tmp_path / "moved")

    assert forget_gone(home.workspaces) == 1
    assert sorted(os.listdir(state)) == ["fence", "generations"]
    assert forget_gone(home.workspaces) == 0


def test_folders_that_are_too_deep_are_said(watch: Watch, place: Path, store: Blobs) -> None:
    deep = place.joinpath(*["d"] * 70)
    deep.mkdir(parents=True)
    before = watch.look("call_1")
    (deep / "file").write_bytes(b"x")

    assert not before.whole
    assert watch.noticed(before, store) == Noticed(whole=False)


def test_a_home_without_room_or_a_workspace_that_went_is_said(
    root: Root, place: Path, tmp_path: Path, store: Blobs
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match="could not be written"):
        Watch(root, tmp_path / "file").look("call_1")
    watch = Watch(root, tmp_path / "state")
    before = watch.look("call_1")
    place.rename(tmp_path / "moved")
    with pytest.raises(Problem, match="is gone"):
        watch.noticed(before, store)


@pytest.mark.usefixtures("long_ago")
def test_files_that_did_not_change_are_not_read_again(
    root: Root, place: Path, tmp_path: Path, store: Blobs
) -> None:
    for number in range(500):
        folder = place / f"pkg{number // 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{number}.py").write_bytes(b"x = %d\n" % number)
    watch = Watch(root, tmp_path / "state")
    first = time.perf_counter()
    watch.look("call_0")
    first = time.perf_counter() - first
    times: list[float] = []
    for turn in range(5):
        began = time.perf_counter()
        before = watch.look(f"call_{turn}")
        times.append(time.perf_counter() - began)
        began = time.perf_counter()
        assert watch.noticed(before, store) == Noticed()
        times.append(time.perf_counter() - began)

    assert min(times) < first / 3
