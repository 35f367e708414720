"""A worker that lost its session changes nothing any more, however long it slept, and a dead one blocks nobody."""

import os
import signal
import threading
from pathlib import Path

import pytest

from bottega.errors import Conflict, Fenced, StorageFailed
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Fence
from tests.processes import run, running

WRITER = """
    import sys
    from pathlib import Path
    from bottega.errors import Problem
    from bottega.workspaces.changes.apply import apply
    from bottega.workspaces.confine import Root
    from bottega.workspaces.edit import Change, Edit
    from bottega.workspaces.fence import Fence

    folder, state, session, generation = sys.argv[1:5]
    fence = Fence(Path(state), session, int(generation))
    with Root(folder) as root:
        change = Change((Edit("a.txt", b"old", b"from " + generation.encode()),))
        print("ready", flush=True)
        try:
            apply(root, change, fence)
            print("made")
        except Problem as problem:
            print(problem.code)
    """


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a.txt").write_bytes(b"old")
    return tmp_path / "ws"


def change(folder: Path, fence: Fence, after: bytes) -> None:
    with Root(folder) as root:
        apply(root, Change((Edit("a.txt", (folder / "a.txt").read_bytes(), after),)), fence)


def test_an_older_generation_is_refused_and_a_newer_one_notes_itself(
    work: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    change(work, Fence(state, "ses_1", 2), b"second")
    change(work, Fence(state, "ses_1", 2), b"second again")
    with pytest.raises(Fenced, match="taken this session over"):
        change(work, Fence(state, "ses_1", 1), b"first")
    with pytest.raises(Fenced):
        Fence(state, "ses_1", 1).take_over()
    Fence(state, "ses_1", 3).take_over()
    with pytest.raises(Fenced):
        change(work, Fence(state, "ses_1", 2), b"second once more")

    assert (work / "a.txt").read_bytes() == b"second again"


def test_sessions_and_people_do_not_fence_each_other(work: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    Fence(state, "ses_1", 9).take_over()
    change(work, Fence(state, "ses_2", 1), b"other session")
    change(work, Fence(state), b"a person")

    assert (work / "a.txt").read_bytes() == b"a person"


@pytest.mark.chaos
def test_a_worker_that_slept_before_the_lock_writes_nothing_once_another_took_over(
    work: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    asleep = "fence.before_lock=stop"
    with running(WRITER, work, state, "ses_1", "1", failpoints=asleep) as sleeper:
        os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
        Fence(state, "ses_1", 2).take_over()
        os.kill(sleeper.pid, signal.SIGCONT)
        said = sleeper.communicate(timeout=20)[0]

    assert said == "fenced\n"
    assert (work / "a.txt").read_bytes() == b"old"


@pytest.mark.chaos
def test_the_same_sleeper_writes_if_nobody_took_over(work: Path, tmp_path: Path) -> None:
    asleep = "fence.before_lock=stop"
    with running(WRITER, work, tmp_path / "state", "ses_1", "1", failpoints=asleep) as sleeper:
        os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
        os.kill(sleeper.pid, signal.SIGCONT)
        said = sleeper.communicate(timeout=20)[0]

    assert said == "made\n"
    assert (work / "a.txt").read_bytes() == b"from 1"


@pytest.mark.chaos
@pytest.mark.parametrize("point", ["files.before_rename", "files.after_rename"])
def test_a_worker_killed_inside_leaves_the_lock_free(
    work: Path, tmp_path: Path, point: str
) -> None:
    dead = run(WRITER, work, tmp_path / "state", "ses_1", "1", failpoints=f"{point}=kill")
    assert dead.returncode == -9

    change(work, Fence(tmp_path / "state", "ses_1", 2, patience=0), b"new")

    assert (work / "a.txt").read_bytes() == b"new"
    assert os.listdir(work) == ["a.txt"]


@pytest.mark.chaos
def test_a_kill_while_taking_over_leaves_the_old_or_the_new_generation(
    work: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    code = """
        import sys
        from pathlib import Path
        from bottega.workspaces.fence import Fence
        Fence(Path(sys.argv[1]), "ses_1", 2).take_over()
        """
    assert run(code, state, failpoints="fence.before_lock=kill").returncode == -9
    change(work, Fence(state, "ses_1", 1), b"one")
    assert run(code, state, failpoints="fence.after_take_over=kill").returncode == -9
    with pytest.raises(Fenced):
        change(work, Fence(state, "ses_1", 1), b"two")


def test_one_that_is_stuck_inside_is_waited_for_and_then_named(work: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with (
        Fence(state, "ses_1", 1).held(),
        pytest.raises(Conflict, match="does not go on"),
    ):
        change(work, Fence(state, "ses_1", 2, patience=0.02), b"x")

    change(work, Fence(state, "ses_1", 2, patience=0), b"x")


def test_one_that_waits_gets_its_turn(work: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    waiter = threading.Thread(target=change, args=(work, Fence(state, "ses_1", 1), b"waited"))
    with Fence(state).held():
        waiter.start()
        assert (work / "a.txt").read_bytes() == b"old"
    waiter.join()

    assert (work / "a.txt").read_bytes() == b"waited"


def test_a_note_that_cannot_be_read_refuses_everything(work: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    Fence(state, "ses_1", 1).take_over()
    (state / "generations" / "ses_1").write_bytes(b"not a number")
    with pytest.raises(StorageFailed, match="cannot be used"):
        change(work, Fence(state, "ses_1", 5), b"x")

    assert (work / "a.txt").read_bytes() == b"old"


def test_a_state_folder_that_cannot_be_made_is_said(work: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="Not a directory"):
        change(work, Fence(tmp_path / "file" / "state"), b"x")
    (tmp_path / "state" / "generations").mkdir(parents=True)
    (tmp_path / "state" / "generations" / "ses_1.part").mkdir()
    with pytest.raises(StorageFailed, match="Is a directory"):
        change(work, Fence(tmp_path / "state", "ses_1", 1), b"x")

    assert (work / "a.txt").read_bytes() == b"old"
