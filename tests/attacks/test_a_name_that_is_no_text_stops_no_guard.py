"""Severity: medium (F10). A program gives folders names that are no UTF-8, or makes them too deep: the folder has
no sandbox any more, or what was planted there is not found.
"""

import os
from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.shields.shield import shields
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import bash

NAMED = """D=$(printf 'r\\377'); for R in "$D/.git" ".git/modules/$D"; do
mkdir -p "$R/objects" "$R/refs" "$R/hooks"; echo 'ref: refs/heads/main' > "$R/HEAD"
printf '[core]\\n\\trepositoryformatversion = 0\\n' > "$R/config"; done"""
PLANT = """D=$(printf 'r\\377'); for R in "$D/.git" ".git/modules/$D"; do
printf '[core]\\n\\tfsmonitor = "touch {canary}/ran; false"\\n' >> "$R/config"; done; echo done"""


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


@needs_bubblewrap
async def test_a_repository_whose_name_is_no_text_is_watched_like_any_other(scene: Scene) -> None:
    local = scene.local()
    sandbox = await local.open(Root(scene.folder))
    await bash(sandbox, NAMED)
    assert await sandbox.undone() == ()
    await sandbox.close()
    again = await local.open(Root(scene.folder))
    assert "done" in (await bash(again, PLANT)).out
    told = " ".join(await again.undone())
    await again.close()
    assert "core.fsmonitor" in told
    for place in (b"r\xff/.git/config", b".git/modules/r\xff/config"):
        assert "fsmonitor" not in (scene.folder / os.fsdecode(place)).read_text()


@pytest.mark.parametrize("step", ["a", "a/modules"])
def test_submodules_deep_beyond_all_use_can_only_be_read(scene: Scene, step: str) -> None:
    at = os.open(scene.folder / ".git", os.O_RDONLY)
    for name in ["modules", *(step.split("/") * (2200 // (len(step) + 1)))]:
        os.mkdir(name, dir_fd=at)
        if name == "a" and step != "a":
            os.close(os.open("a/HEAD", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("HEAD", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    found = shields(str(scene.folder))
    scene.outside("rm -r .git/modules")
    assert any(each.how == "freeze" and each.path.endswith("/modules") for each in found)
    assert len(found) < 1000
