"""Which folders may be projects, where in them a container is, and how they are opened."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import NotFound, Problem, Refused
from bottega.projects.folders import Folders, innermost, inside
from bottega.projects.projects import Project, Projects
from bottega.runtime import MIGRATIONS
from bottega.sessions.session import HOST
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.workspaces.fit import refuse_unfit


@pytest.fixture
def folders(home: Path) -> Iterator[Folders]:
    database = Database.open(Home(home), MIGRATIONS)
    yield Folders(database)
    database.close()


@pytest.fixture
def projects(folders: Folders) -> Projects:
    return folders.projects


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


def test_a_container_is_a_folder_of_the_project(folders: Folders, folder: Path) -> None:
    (folder / "app" / "web").mkdir(parents=True)
    assert folders.container(_project(folder), "") == ""
    assert folders.container(_project(folder), "app/./web/") == "app/web"
    with folders.open_project(_project(folder), "app/web") as root:
        assert root.path == str(folder.resolve() / "app" / "web")
        assert root.top.path == str(folder.resolve())


def test_a_container_by_a_link_is_the_folder_that_the_link_leads_to(
    folders: Folders, folder: Path
) -> None:
    (folder / "app").mkdir()
    (folder / "same").symlink_to("app")
    assert folders.container(_project(folder), "same") == "app"


@pytest.mark.parametrize(
    "container",
    ["..", "app/../..", "/", "/etc", "out", "out/deeper", "absolute", "a\0b", "notes.txt", "pipe"]
    + ["none", "x" * 300, "y/" * 3000, "\ud800", "loop"],
)
def test_a_container_that_is_no_folder_inside_is_refused(
    folders: Folders, folder: Path, container: str
) -> None:
    (folder / "app").mkdir()
    (folder / "out").symlink_to("../..")
    (folder / "absolute").symlink_to(folder / "app")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    with pytest.raises(Problem):
        folders.container(_project(folder), container)
    with pytest.raises(Problem):
        folders.open_project(_project(folder), container)


def test_a_project_whose_folder_is_gone_says_so(
    folders: Folders, folder: Path, tmp_path: Path
) -> None:
    project = _project(folder)
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(NotFound, match="cannot be opened"):
        folders.container(project, "app")


def test_a_folder_is_found_in_the_innermost_project_that_holds_it() -> None:
    outer = Project(1, "prj_outer", HOST, "outer", "/x/outer", 0)
    inner = Project(2, "prj_inner", HOST, "inner", "/x/outer/inner", 0)
    assert innermost("/x/outer/a/b", [outer, inner]) == outer
    assert innermost("/x/outer/inner/c", [outer, inner]) == inner
    assert innermost("/x/outer-two", [outer, inner]) is None
    assert (inside("/x/outer/a/b", outer), inside("/x/outer", outer)) == ("a/b", "")


@pytest.mark.parametrize(
    "folder",
    ["/", "/etc/cron.d", "/usr/local", "/var/lib", "/dev/shm", "/var/tmp", "/root/.ssh"]
    + ["/home/eva/.aws/sso", "/home/eva/.gnupg", "/run/user/1000", "/boot/x", "/lib64/a\nb"]
    + ["/root", "/home", "/home/eva", "/home/eva/.config", "/home/eva/.local/share"],
)
def test_what_is_the_systems_or_keeps_keys_may_not_be_worked_in(folder: str) -> None:
    with pytest.raises(Refused, match="cannot be a project"):
        refuse_unfit(folder)


@pytest.mark.parametrize(
    "folder",
    [
        "/tmp/x",
        "/root/x",
        "/home/eva/.config/nvim",
        "/home/eva/work",
        "/var/tmp/x",
        "/var/www/shop",
        "/srv/a",
    ]
    + ["/home/eva/work/.docker", "/opt/app", "/etcetera", "/data/usr", "/dev/shm/x"],
)
def test_a_folder_of_somebodys_own_may_be_worked_in(folder: str) -> None:
    refuse_unfit(folder, ["/home/eva/.bottega"])


async def test_who_sits_here_works_in_any_folder_and_a_repository_is_one_project(
    folders: Folders, tmp_path: Path
) -> None:
    (tmp_path / "shop/web/src").mkdir(parents=True)
    (tmp_path / "plain/deep").mkdir(parents=True)
    (tmp_path / "shop/.git").mkdir()
    (tmp_path / "shop/.git/HEAD").write_text("ref: refs/heads/main\n")
    project, container = await folders.place(tmp_path / "shop/web/src", HOST)
    assert (project.folder, container) == (str(tmp_path / "shop"), "web/src")
    assert await folders.place(tmp_path / "shop", HOST) == (project, "")
    other, container = await folders.place(tmp_path / "plain/deep", HOST)
    assert (other.folder, container) == (str(tmp_path / "plain/deep"), "")
    with pytest.raises(Refused, match="in no project of that person"):
        await folders.place(tmp_path / "shop", 2)


async def test_a_project_that_is_added_again_is_the_same_one(
    folders: Folders, projects: Projects, folder: Path
) -> None:
    before = await projects.add(folder, HOST)
    await projects.remove(before)
    assert (projects.of(HOST), projects.all()) == ([], [])
    assert None not in projects.removal_times().values()
    with pytest.raises(NotFound):
        projects.get(before.id)
    assert await projects.add(folder, HOST) == before
