"""Severity: high (H1, its kind). Somebody who is signed in makes a repository of plain files, or settings of another
version control, over the routes for files: the next command of whoever works at the machine would run what they name.
"""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.two_people import Person, both, crowded
from tests.server.serving import Serving

HEAD = "ref: refs/heads/main\n"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with crowded(tmp_path_factory.mktemp("routes")) as server:
        yield server


@pytest.fixture
async def people(serving: Serving) -> AsyncIterator[tuple[Person, Person]]:
    async with both(serving) as found:
        yield found


async def put(person: Person, path: str, content: str = "x") -> tuple[int, Any]:
    url = f"/api/projects/{person.project}/file?path={path}"
    return await person.client.call("PUT", url, {"content": content, "version": ""})


async def upload(person: Person, path: str) -> tuple[int, Any]:
    url = f"/api/projects/{person.project}/upload?path={path}"
    async with person.client.session.post(url, data=b"x") as answer:
        return answer.status, await answer.json()


async def make(person: Person, path: str) -> tuple[int, Any]:
    url = f"/api/projects/{person.project}/folders"
    return await person.client.call("POST", url, {"path": path})


async def move(person: Person, path: str, to: str) -> tuple[int, Any]:
    _, made = await put(person, path)
    url = f"/api/projects/{person.project}/move"
    wanted = {"path": path, "to": to, "version": made["version"]}
    return await person.client.call("POST", url, wanted)


def git(folder: Path, *words: str) -> None:
    """As whoever works at the machine would."""
    subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)


async def folder_of(person: Person) -> Path:
    projects = (await person.client.get("/api/projects"))["projects"]
    return next(Path(each["folder"]) for each in projects if each["id"] == person.project)


@pytest.mark.parametrize("way", ["put", "upload", "move"])
async def test_the_last_part_of_a_repository_is_refused(
    people: tuple[Person, Person], tmp_path: Path, way: str
) -> None:
    guest, _ = people
    folder = await folder_of(guest) / way
    canary = tmp_path / "ran"
    config = f'[core]\n\tworktree = {folder}\n\tfsmonitor = "touch {canary}; false"\n'
    assert (await put(guest, f"{way}/config", config))[0] in (200, 201)
    for name in ("objects/keep", "refs/keep"):
        assert (await put(guest, f"{way}/{name}"))[0] in (200, 201)
    head = f"{way}/HEAD"
    last = {
        "put": lambda: put(guest, head, HEAD),
        "upload": lambda: upload(guest, head),
        "move": lambda: move(guest, f"{way}/draft", head),
    }
    status, told = await last[way]()
    assert (status, told["code"]) == (403, "protected"), told
    assert "for a repository" in told["detail"]
    assert not (folder / "HEAD").exists()
    git(folder, "status")
    assert not canary.exists()


async def test_parts_that_are_sent_at_once_do_not_add_up_to_a_repository(
    people: tuple[Person, Person],
) -> None:
    guest, _ = people
    folder = await folder_of(guest)
    for n in range(5):
        parts = (put(guest, f"r{n}/HEAD", HEAD), make(guest, f"r{n}/objects"))
        await asyncio.gather(*parts, make(guest, f"r{n}/refs"), put(guest, f"r{n}/config"))
        there = {each.name for each in (folder / f"r{n}").iterdir()}
        assert not {"HEAD", "objects", "refs"} <= there


@pytest.mark.parametrize(
    "path", [".hg/hgrc", "sub/.HG/hgrc", ".bottega/.hg/hgrc", ".jj/repo/config.toml", ".jj"]
)
async def test_settings_of_other_version_control_are_refused(
    people: tuple[Person, Person], path: str
) -> None:
    guest, _ = people
    status, told = await put(guest, path, "[hooks]\nupdate = touch x\n")
    assert (status, told["code"]) == (403, "protected"), told
    status, told = await make(guest, path)
    assert (status, told["code"]) == (403, "protected"), told


async def test_what_settings_of_the_repository_lead_to_is_refused(
    people: tuple[Person, Person],
) -> None:
    guest, _ = people
    folder = await folder_of(guest)
    git(folder, "init", "-q")
    for key, value in (("core.hooksPath", "tools/hooks"), ("include.path", "../tools/conf")):
        git(folder, "config", key, value)
    for path in ("tools/hooks/pre-commit", "tools/conf", "tools"):
        status, told = await (make if path == "tools" else put)(guest, path)
        assert (status, told["code"]) == (403, "protected"), told
    assert (await put(guest, "tools/other.sh"))[0] in (200, 201)


async def test_whose_machine_it_is_writes_what_they_like(people: tuple[Person, Person]) -> None:
    _, host = people
    for name in ("objects/keep", "refs/keep", "HEAD", "hooks/update"):
        assert (await put(host, f"store/{name}"))[0] in (200, 201), name
