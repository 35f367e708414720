"""Changing a project's files: each change names what it is about, and none is lost."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.server.files.conftest import Desk


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def _put(desk: Desk, path: str, content: str, version: str) -> tuple[int, Any]:
    body = {"content": content, "version": version}
    return await desk.client.call("PUT", f"{desk.at}/file", body, params={"path": path})


async def test_a_file_is_written_by_whoever_has_read_it(desk: Desk) -> None:
    status, made = await _put(desk, "deep/down/new.txt", "first\n", "")
    assert (status, made["created"]) == (200, True)
    read = await desk.client.get(f"{desk.at}/file", params={"path": "deep/down/new.txt"})
    assert read["version"] == made["version"]
    status, made = await _put(desk, "deep/down/new.txt", "second\n", read["version"])
    assert (status, made["created"]) == (200, False)
    assert (desk.folder / "deep/down/new.txt").read_text() == "second\n"


async def test_a_stale_version_writes_nothing_and_tells_the_one_that_is_there(desk: Desk) -> None:
    file = desk.folder / "stale.txt"
    file.write_text("theirs\n")
    for version in (_version(b"mine\n"), ""):
        status, problem = await _put(desk, "stale.txt", "lost?\n", version)
        assert (status, problem["code"]) == (409, "stale")
        assert problem["version"] == _version(b"theirs\n")
    assert file.read_text() == "theirs\n"
    file.unlink()
    status, problem = await _put(desk, "stale.txt", "back?\n", _version(b"theirs\n"))
    assert (status, problem["version"]) == (409, "")
    assert not file.exists()


async def test_of_fifty_writers_at_once_one_wins_and_the_others_are_told(desk: Desk) -> None:
    file = desk.folder / "raced.txt"
    file.write_text("begin\n")
    version = _version(b"begin\n")
    answers = await asyncio.gather(
        *(_put(desk, "raced.txt", f"writer {n}\n", version) for n in range(50))
    )
    won = [n for n, (status, _) in enumerate(answers) if status == 200]
    assert len(won) == 1
    assert file.read_text() == f"writer {won[0]}\n"
    current = _version(file.read_bytes())
    assert {answer["version"] for status, answer in answers if status == 409} == {current}
    assert [each.name for each in desk.folder.glob(".bottega-*.tmp")] == []


async def test_of_fifty_who_create_a_file_at_once_one_does(desk: Desk) -> None:
    answers = await asyncio.gather(*(_put(desk, "born.txt", f"{n}", "") for n in range(50)))
    won = [n for n, (status, _) in enumerate(answers) if status == 200]
    assert len(won) == 1
    assert (desk.folder / "born.txt").read_text() == str(won[0])


async def test_writers_who_read_again_when_they_are_told_lose_nothing(desk: Desk) -> None:
    """Each appends its line to what it has read, until it wins: then all lines are there."""
    (desk.folder / "appended.txt").write_text("")

    async def append(n: int) -> None:
        status = 0
        while status != 200:
            read = await desk.client.get(f"{desk.at}/file", params={"path": "appended.txt"})
            status, _ = await _put(desk, "appended.txt", f"{read['content']}{n}\n", read["version"])

    await asyncio.gather(*(append(n) for n in range(12)))
    lines = (desk.folder / "appended.txt").read_text().split()
    assert sorted(map(int, lines)) == [*range(12)]


async def test_what_is_written_keeps_its_encoding_and_rights(desk: Desk) -> None:
    file = desk.folder / "wide.sh"
    file.write_bytes("\ufeffhallo".encode("utf-16-le"))
    file.chmod(0o750)
    status, _ = await _put(desk, "wide.sh", "größer", _version(file.read_bytes()))
    assert status == 200
    assert file.read_bytes() == "\ufeffgrößer".encode("utf-16-le")
    assert file.stat().st_mode & 0o777 == 0o750


async def test_writing_through_a_link_writes_what_it_leads_to(desk: Desk) -> None:
    (desk.folder / "target.txt").write_text("old")
    (desk.folder / "alias.txt").symlink_to("target.txt")
    status, made = await _put(desk, "alias.txt", "new", _version(b"old"))
    assert (status, made["path"]) == (200, "target.txt")
    assert (desk.folder / "alias.txt").is_symlink()
    assert (desk.folder / "target.txt").read_text() == "new"


async def test_a_folder_is_made_once(desk: Desk) -> None:
    made = await desk.client.post(f"{desk.at}/folders", {"path": "some/new/folder"})
    assert made == {"path": "some/new/folder"}
    assert (desk.folder / "some/new/folder").is_dir()
    status, _ = await desk.client.call("POST", f"{desk.at}/folders", {"path": "some/new"})
    assert status == 409


async def test_a_file_is_removed_only_as_it_was_read(desk: Desk) -> None:
    file = desk.folder / "doomed.txt"
    file.write_text("x")
    for version, expected in (("", 409), (_version(b"y"), 409), (_version(b"x"), 204)):
        ask = {"path": "doomed.txt", "version": version}
        status, answer = await desk.client.call("DELETE", f"{desk.at}/file", params=ask)
        assert status == expected, answer
        assert file.exists() == (expected == 409)


async def test_removing_a_link_leaves_what_it_leads_to(desk: Desk) -> None:
    outside = desk.folder.parent / "precious"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (desk.folder / "way-out").symlink_to(outside)
    status, _ = await desk.client.call("DELETE", f"{desk.at}/file", params={"path": "way-out"})
    assert status == 204
    assert (outside / "kept.txt").read_text() == "kept"
    assert not (desk.folder / "way-out").is_symlink()


async def test_a_folder_with_something_in_it_is_removed_only_when_that_is_said(desk: Desk) -> None:
    outside = desk.folder.parent / "treasure"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    full = desk.folder / "full"
    (full / "inner").mkdir(parents=True)
    (full / "inner" / "a").write_text("a")
    (full / "link").symlink_to(outside)
    status, problem = await desk.client.call("DELETE", f"{desk.at}/file", params={"path": "full"})
    assert status == 409
    assert "recursive" in problem["hint"]
    ask = {"path": "full", "recursive": "true"}
    status, _ = await desk.client.call("DELETE", f"{desk.at}/file", params=ask)
    assert status == 204
    assert not full.exists()
    assert (outside / "kept.txt").exists()


async def test_the_project_itself_is_neither_removed_nor_moved(desk: Desk) -> None:
    for path in (".", "deep/..", "./"):
        ask = {"path": path, "recursive": "true"}
        status, _ = await desk.client.call("DELETE", f"{desk.at}/file", params=ask)
        assert status == 422
        body = {"path": path, "to": "elsewhere"}
        status, _ = await desk.client.call("POST", f"{desk.at}/move", body)
        assert status == 422
    assert desk.folder.is_dir()


async def test_a_move_replaces_nothing(desk: Desk) -> None:
    (desk.folder / "from.txt").write_text("from")
    (desk.folder / "to.txt").write_text("to")
    (desk.folder / "empty").mkdir()
    version = _version(b"from")
    for to in ("to.txt", "empty"):
        body = {"path": "from.txt", "to": to, "version": version}
        status, problem = await desk.client.call("POST", f"{desk.at}/move", body)
        assert (status, problem["code"]) == (409, "stale")
    assert (desk.folder / "to.txt").read_text() == "to"
    stale = {"path": "from.txt", "to": "there.txt", "version": _version(b"other")}
    assert (await desk.client.call("POST", f"{desk.at}/move", stale))[0] == 409
    body = {"path": "from.txt", "to": "empty/there.txt", "version": version}
    assert await desk.client.post(f"{desk.at}/move", body) == {"path": "empty/there.txt"}
    assert (desk.folder / "empty/there.txt").read_text() == "from"
    assert not (desk.folder / "from.txt").exists()


async def test_a_folder_is_moved_with_all_in_it_but_not_into_itself(desk: Desk) -> None:
    (desk.folder / "moving" / "inner").mkdir(parents=True)
    (desk.folder / "moving" / "inner" / "a").write_text("a")
    status, _ = await desk.client.call(
        "POST", f"{desk.at}/move", {"path": "moving", "to": "moving/inner/self"}
    )
    assert status == 422
    await desk.client.post(f"{desk.at}/move", {"path": "moving", "to": "moved"})
    assert (desk.folder / "moved" / "inner" / "a").read_text() == "a"


@pytest.mark.parametrize("path", [".git/hooks/post-commit", ".git/config", "sub/.GIT/x", ".git"])
async def test_what_belongs_to_git_is_read_and_never_changed(desk: Desk, path: str) -> None:
    git = desk.folder / ".git" / "hooks"
    git.mkdir(parents=True, exist_ok=True)
    (desk.folder / "hook").write_text("#!/bin/sh\n")
    version = _version(b"#!/bin/sh\n")
    move = {"path": "hook", "to": path, "version": version}
    ask = {"path": path, "recursive": "true"}
    body = {"content": "x", "version": ""}
    for status, problem in (
        await _put(desk, path, "x", ""),
        await desk.client.call("POST", f"{desk.at}/move", move),
        await desk.client.call("POST", f"{desk.at}/folders", {"path": path}),
        await desk.client.call("DELETE", f"{desk.at}/file", params=ask),
        await desk.client.call("POST", f"{desk.at}/upload", body, params={"path": path}),
    ):
        assert (status, problem["code"]) == (403, "protected")
    listed = await desk.client.get(f"{desk.at}/files", params={"path": ".git"})
    assert [each["name"] for each in listed["entries"]] == ["hooks"]
    assert [*git.iterdir()] == []


async def test_a_link_to_git_is_no_way_around(desk: Desk) -> None:
    git: Path = desk.folder / ".git" / "hooks"
    git.mkdir(parents=True, exist_ok=True)
    (desk.folder / "innocent").symlink_to(".git/hooks")
    status, problem = await _put(desk, "innocent/post-commit", "#!/bin/sh\n", "")
    assert (status, problem["code"]) == (403, "protected")
    assert [*git.iterdir()] == []


async def test_a_difference_shows_what_a_write_would_change_and_writes_nothing(desk: Desk) -> None:
    file = desk.folder / "compared.txt"
    file.write_text("one\ntwo\nthree\n")
    body = {"path": "compared.txt", "content": "one\n2\nthree\n"}
    compared = await desk.client.post(f"{desk.at}/diff", body)
    assert (compared["added"], compared["removed"]) == (1, 1)
    assert "-two\n+2\n" in compared["text"]
    assert compared["version"] == _version(b"one\ntwo\nthree\n")
    assert not compared["cut"]
    assert file.read_text() == "one\ntwo\nthree\n"
