"""Severity: high (H1, its kind). A person renames or removes a folder while a command runs, which has just planted
something there: it becomes what was there before.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.accepting import Meant, accepting
from bottega.workspaces.git.guard import Guard
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
