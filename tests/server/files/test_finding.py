"""Files found by a few letters over HTTP."""

import asyncio
from typing import Any

from tests.server.files.conftest import Desk


async def found(desk: Desk, q: str, **more: Any) -> list[str]:
    answer = await desk.client.get(f"{desk.at}/find", params={"q": q, **more})
    return [each["path"] for each in answer["found"]]


async def test_files_and_folders_are_found_and_what_git_ignores_is_not(desk: Desk) -> None:
    inner = desk.folder / "find" / "inner"
    inner.mkdir(parents=True)
    (inner / "quokka.py").touch()
    (inner / "quokka.log").touch()
    (desk.folder / "find" / ".gitignore").write_text("*.log\n")
    (desk.folder / "find" / "quokka-out").symlink_to("/etc")
    answer = await desk.client.get(f"{desk.at}/find", params={"q": "quokka"})
    assert answer == {
        "found": [{"path": "find/inner/quokka.py", "kind": "file"}],
        "whole": True,
    }
    folder = await desk.client.get(f"{desk.at}/find", params={"q": "find/in", "limit": 1})
    assert folder["found"] == [{"path": "find/inner", "kind": "folder"}]


async def test_a_file_that_is_made_later_is_found_as_well(desk: Desk) -> None:
    assert await found(desk, "wombat") == []
    (desk.folder / "wombat.txt").touch()
    async with asyncio.timeout(20):
        while await found(desk, "wombat") != ["wombat.txt"]:
            pass
    (desk.folder / "wombat.txt").unlink()
    async with asyncio.timeout(20):
        while await found(desk, "wombat"):
            pass


async def test_only_what_lies_in_the_container_is_found(desk: Desk) -> None:
    for place in ("left", "right"):
        (desk.folder / place).mkdir()
        (desk.folder / place / "numbat.py").touch()
    async with asyncio.timeout(20):
        while len(await found(desk, "numbat")) < 2:
            pass
    assert await found(desk, "numbat", container="left") == ["left/numbat.py"]
    assert await found(desk, "numbat", container="left/") == ["left/numbat.py"]
    assert await found(desk, "numbat", container=".") == ["left/numbat.py", "right/numbat.py"]
    for container, expected in {"/etc": 422, "../..": 422, "nowhere": 404}.items():
        status, _ = await desk.client.call("GET", f"{desk.at}/find?container={container}")
        assert status == expected, container
