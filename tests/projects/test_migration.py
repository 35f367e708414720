"""A home of the first build: its sessions name folders, and are matched to the projects of whoever they belong to."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from bottega.cli.main import call
from bottega.projects.folders import NoProject, ProjectRemoved
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.studio import Studio

FIRST_BUILD = tuple(each for each in MIGRATIONS if each.number <= 9)


@pytest.fixture
def first_build(home: Path, tmp_path: Path) -> Path:
    """A home of that time, with two people, three projects and a session for each case."""
    for name in ("shop/web/src", "shop-two", "elsewhere", "guests"):
        (tmp_path / name).mkdir(parents=True)
    Database.open(Home(home), FIRST_BUILD).close()
    connection = sqlite3.connect(home / "bottega.db")
    with connection:
        connection.execute(
            "INSERT INTO people (n, id, name, created_at) VALUES (2, 'per_2', 'g', 0)"
        )
        for n, (owner, folder) in enumerate([(1, "shop"), (1, "shop/web"), (2, "guests")], 1):
            connection.execute(
                "INSERT INTO projects VALUES (?, ?, ?, ?, ?, 0)",
                (n, f"prj_{n}", owner, folder, str(tmp_path / folder)),
            )
        for name, (owner, folder) in CASES.items():
            connection.execute(
                "INSERT INTO sessions (id, created_at, updated_at, title, model, folder, owner)"
                " VALUES (?, 1, 1, ?, 'guide', ?, ?)",
                (f"ses_{name}", name, f"{tmp_path}{folder}", owner),
            )
    connection.close()
    return home


CASES: dict[str, tuple[int, str]] = {
    "whole": (1, "/shop"),
    "inner": (1, "/shop/web"),
    "deep": (1, "/shop/web/src"),
    "alike": (1, "/shop-two"),
    "leaves": (1, "/shop/../elsewhere"),
    "none": (1, "/elsewhere"),
    "foreign": (2, "/shop"),
    "own": (2, "/guests"),
    "slashes": (1, "/shop/web//src/"),
}


def places(home: Path) -> dict[str, tuple[Any, ...]]:
    with sqlite3.connect(home / "bottega.db") as connection:
        rows = connection.execute("SELECT title, project, container FROM sessions").fetchall()
    connection.close()
    return {title: (project, container) for title, project, container in rows}


def test_each_session_gets_the_innermost_project_of_its_owner(first_build: Path) -> None:
    Database.open(Home(first_build), MIGRATIONS).close()
    assert places(first_build) == {
        "whole": (1, ""),
        "inner": (2, ""),
        "deep": (2, "src"),
        "alike": (None, ""),
        "leaves": (None, ""),
        "none": (None, ""),
        "foreign": (None, ""),
        "own": (3, ""),
        "slashes": (2, "src"),
    }


async def test_what_is_in_no_project_can_be_read_and_not_gone_on_with(first_build: Path) -> None:
    async with Studio(first_build) as studio:
        assert len(await studio.sessions()) == len(CASES)
        for name in ("foreign", "none"):
            session = studio.find(f"ses_{name}")
            assert await session.facts() == []
            with pytest.raises(NoProject, match="can only be read") as refused:
                await session.prompt("hello")
            assert "bottega projects add" in refused.value.hint
            with pytest.raises(NoProject):
                await session.changes()
            with pytest.raises(NoProject):
                await session.revert()
        response = await studio.find("ses_deep").prompt("hello")
        assert response.success


async def test_who_sits_here_goes_on_with_a_session_of_theirs_that_was_in_no_project(
    first_build: Path, tmp_path: Path
) -> None:
    async with Studio(first_build) as studio:
        session = await studio.resume("ses_none")
        assert (await session.prompt("hello")).success
        assert session.row.container == ""
        theirs = await studio.resume("ses_foreign")
        with pytest.raises(NoProject):
            await theirs.prompt("hello")
        (tmp_path / "shop-two").rmdir()
        with pytest.raises(NoProject):
            await (await studio.resume("ses_alike")).prompt("hello")


async def test_a_session_of_an_old_home_does_not_follow_its_folder_through_a_link(
    first_build: Path, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "shop-two").rmdir()
    (tmp_path / "shop-two").symlink_to(tmp_path / "private")
    async with Studio(first_build) as studio:
        with pytest.raises(NoProject):
            await (await studio.resume("ses_alike")).prompt("hello")


async def test_a_project_that_is_removed_and_added_again_has_its_sessions(
    first_build: Path, tmp_path: Path
) -> None:
    async with Studio(first_build) as studio:
        projects = studio.runtime.folders.projects
        await studio.opened.remove(projects.get("prj_1"))
        with pytest.raises(ProjectRemoved, match="was removed"):
            await studio.find("ses_whole").prompt("hello")
        assert (await projects.add(tmp_path / "shop", 1)).id == "prj_1"
        assert (await studio.find("ses_whole").prompt("hello")).success


def test_the_command_line_says_what_to_do(
    first_build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ["--home", str(first_build)]
    assert call([*here, "show", "ses_foreign"]) == 0
    assert call([*here, "export", "ses_foreign"]) == 0
    capsys.readouterr()
    assert call([*here, "run", "--session", "ses_foreign", "hello"]) == 1
    assert "bottega projects add" in capsys.readouterr().err
    assert call([*here, "run", "--session", "ses_none", "hello"]) == 0
