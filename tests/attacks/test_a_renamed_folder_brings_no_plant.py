"""Severity: high (H1, its kind). A person renames or removes a folder while a command runs, which has just planted
something there: it becomes what was there before. Or an agent renames the folder in which another one works.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git import baseline
from bottega.workspaces.git.accepting import Meant, accepting
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.recovery import recover, recover_all
from tests.attacks.indexes import git
from tests.workspaces.sandbox import rooms

MINE = "[core]\n\tpager = less\n"
EVIL = "[core]\n\tfsmonitor = evil\n"


class Place:
    """A project with a folder that has a repository of the person's, and a container beside it."""

    def __init__(self, base: Path) -> None:
        self.state = base / "state"
        self.folder = base / "project"
        (self.folder / "docs").mkdir(parents=True)
        (self.folder / "sub").mkdir()
        git(self.folder, "init", "-q", "docs/mine")
        (self.folder / "docs/mine/.git/config").write_text(MINE)

    def plant(self, at: str) -> None:
        git(self.folder, "init", "-q", at)
        (self.folder / at / ".git/config").write_text(EVIL)

    def says(self, at: str) -> str:
        path = self.folder / at / ".git/config"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def place() -> Iterator[Place]:
    with rooms.open_folder() as base:
        yield Place(base)


@pytest.mark.parametrize("guarded", [".", "docs", "sub"])
@pytest.mark.parametrize("to", ["other", "sub/docs"])
def test_a_rename_accepts_what_was_known_and_nothing_else(
    place: Place, guarded: str, to: str
) -> None:
    with Root(place.folder) as root, Root(place.folder / guarded) as around:
        guard = Guard(place.state, around)
        guard.open()
        if guarded != "sub":  # whose programs do not reach it yet
            place.plant("docs/planted")
        moved = Meant(moved=("docs", to))
        with accepting(place.state, root, ("docs", to), moved):
            os.rename(place.folder / "docs", place.folder / to)
            if guarded != "sub" or to == "sub/docs":
                place.plant(f"{to}/quick")
        guard.close()
    assert place.says(f"{to}/mine") == MINE
    assert "evil" not in place.says(f"{to}/planted")
    assert "evil" not in place.says(f"{to}/quick")


def test_what_is_put_back_while_a_folder_is_removed_is_not_the_persons(place: Place) -> None:
    with Root(place.folder) as root:
        guard = Guard(place.state, root)
        guard.open()
        with accepting(place.state, root, ("docs",), Meant()):
            shutil.rmtree(place.folder / "docs")
            place.plant("docs")
        guard.close()
    assert "evil" not in place.says("docs")


@pytest.mark.parametrize("looks", ["itself", "the renamed folder", "the project"])
def test_a_workspace_that_was_renamed_is_compared_with_what_it_was(
    place: Place, looks: str
) -> None:
    """Whoever works under the old name afterwards has a state of their own."""
    sub, old = place.folder / "sub", place.folder / "old"
    with Root(sub) as root:
        guard = Guard(place.state, root)
        guard.open()
        os.rename(sub, old)
        sub.mkdir()
        with Root(sub) as fresh:
            second = Guard(place.state, fresh)
            second.open()
            second.close()
        place.plant("old/n")
        if looks == "itself":
            guard.close()
            told = guard.reports()
        else:  # its process is gone
            os.close(guard._holder)  # pyright: ignore[reportPrivateUsage]
            told = recover(
                place.state, Root(old if looks == "the renamed folder" else place.folder)
            )
    assert "evil" not in place.says("old/n")
    assert "n/.git/config" in " ".join(told)
    assert [*(place.state / "git").glob("*/baseline")] == [], "what comes now is the person's"


def test_a_number_that_is_given_again_makes_nothing_a_plant(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash left a baseline of a folder that is gone; another one has its number now."""
    with Root(place.folder / "sub") as root:
        guard = Guard(place.state, root)
        guard.open()
        os.close(guard._holder)  # pyright: ignore[reportPrivateUsage]
    os.rename(place.folder / "sub", place.folder / "other")
    place.plant("other/n")
    monkeypatch.setattr(baseline, "born", lambda _: 1)
    assert recover(place.state, Root(place.folder / "other")) == ()
    assert "evil" in place.says("other/n")


def _crashed(place: Place, at: str) -> Path:
    """The state of a workspace whose process died."""
    with Root(place.folder / at) as root:
        guard = Guard(place.state, root)
        guard.open()
        os.close(guard._holder)  # pyright: ignore[reportPrivateUsage]
        return place.state / "git" / baseline.name_of(root.identity)


@pytest.mark.parametrize("looks", ["itself", "the project", "everything"])
def test_a_folder_that_was_made_anew_is_another_one(
    place: Place, looks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the path and the number of the one that is gone, and was made at another time."""
    _crashed(place, "sub")
    place.plant("sub/n")
    monkeypatch.setattr(baseline, "born", lambda _: 1)
    if looks == "everything":
        recover_all(place.state, last=True)
    else:
        assert (
            recover(place.state, Root(place.folder / ("sub" if looks == "itself" else "."))) == ()
        )
    assert "evil" in place.says("sub/n")


@pytest.mark.parametrize("looks", ["itself", "the project", "everything"])
@pytest.mark.parametrize("opened", [True, False])
def test_a_disk_with_another_number_loses_no_baseline(
    place: Place, looks: str, opened: bool
) -> None:
    """The number of a disk is given anew when the machine starts; the folder is the same."""
    old = _crashed(place, "sub")
    known = baseline.load(old / baseline.NAME)
    assert known is not None
    assert known.born
    elsewhere = old.with_name(baseline.name_of((known.device + 1, known.inode)))
    os.rename(old, elsewhere)
    if opened:  # somebody has worked here before, when the disk had this number
        old.mkdir()
    changed = msgspec.structs.replace(known, device=known.device + 1)
    baseline.save(elsewhere / baseline.NAME, changed)
    place.plant("sub/n")
    if looks == "everything":
        recover_all(place.state, last=True)
    else:
        recover(place.state, Root(place.folder / ("sub" if looks == "itself" else ".")))
    assert "evil" not in place.says("sub/n")
    if looks != "the project":
        assert [*(place.state / "git").glob("*/baseline")] == []
