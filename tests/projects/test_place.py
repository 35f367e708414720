"""Which folders may be projects, and where in them a container is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import NotFound, Problem, Refused
from bottega.projects.place import folder_of, place_of
from bottega.projects.projects import Project, Projects
from bottega.runtime import MIGRATIONS
from bottega.sessions.session import HOST
from bottega.storage.database import Database
from bottega.storage.home import Home


@pytest.fixture
def projects(home: Path) -> Iterator[Projects]:
    database = Database.open(Home(home), MIGRATIONS)
    yield Projects(database)
    database.close()


def _project(folder: Path) -> Project:
    return Project(1, "prj_1", HOST, "demo", str(folder.resolve()), 0)


@pytest.mark.parametrize("place", ["/", "home", "home/blobs", "home/.."])
async def test_no_project_holds_or_lies_in_bottegas_own_home(
    projects: Projects, tmp_path: Path, place: str
) -> None:
    with pytest.raises(Refused):
        await projects.add(tmp_path / place, HOST)
    assert projects.of(HOST) == []


async def test_a_folder_beside_the_home_whose_name_begins_alike_is_a_project(
    projects: Projects, tmp_path: Path
) -> None:
    (tmp_path / "home-work").mkdir()
    added = await projects.add(tmp_path / "home-work", HOST)
    assert added.folder == str((tmp_path / "home-work").resolve())


async def test_a_link_into_the_home_is_no_project(projects: Projects, tmp_path: Path) -> None:
    (tmp_path / "innocent").symlink_to(tmp_path / "home")
    with pytest.raises(Refused):
        await projects.add(tmp_path / "innocent", HOST)


def test_a_container_is_a_folder_of_the_project(folder: Path) -> None:
    (folder / "app" / "web").mkdir(parents=True)
    assert folder_of(_project(folder)) == str(folder.resolve())
    assert folder_of(_project(folder), "app/web") == str(folder.resolve() / "app" / "web")


def test_a_container_by_a_link_is_the_folder_that_the_link_leads_to(folder: Path) -> None:
    (folder / "app").mkdir()
    (folder / "same").symlink_to("app")
    assert folder_of(_project(folder), "same") == str(folder.resolve() / "app")


@pytest.mark.parametrize(
    "container",
    ["..", "app/../..", "/", "/etc", "out", "out/deeper", "absolute", "a\0b", "notes.txt", "pipe"]
    + ["none", "x" * 300, "y/" * 3000, "\ud800", "loop"],
)
def test_a_container_that_is_no_folder_inside_is_refused(folder: Path, container: str) -> None:
    (folder / "app").mkdir()
    (folder / "out").symlink_to("../..")
    (folder / "absolute").symlink_to(folder / "app")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    with pytest.raises(Problem):
        folder_of(_project(folder), container)


def test_a_project_whose_folder_is_gone_says_so(folder: Path, tmp_path: Path) -> None:
    project = _project(folder)
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(NotFound, match="cannot be opened"):
        folder_of(project, "app")


def test_a_folder_is_found_in_the_innermost_project_that_holds_it() -> None:
    outer = Project(1, "prj_outer", HOST, "outer", "/x/outer", 0)
    inner = Project(2, "prj_inner", HOST, "inner", "/x/outer/inner", 0)
    assert place_of("/x/outer/a/b", [outer, inner]) == ("prj_outer", "a/b")
    assert place_of("/x/outer", [outer, inner]) == ("prj_outer", "")
    assert place_of("/x/outer/inner/c", [outer, inner]) == ("prj_inner", "c")
    assert place_of("/x/outer-two", [outer, inner]) == ("", "")
