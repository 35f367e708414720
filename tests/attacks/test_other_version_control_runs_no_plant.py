"""Severity: medium (F12). A program writes settings of Mercurial or Jujutsu, which the person's next command runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.proposed import danger
from tests.attacks.test_a_planted_repository_runs_nothing import KINDS, Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.rooms import bash

SETTINGS = (
    *(".hg/hgrc", ".hg/hgrc-not-shared", ".jj/repo/config.toml", ".jj/workspace-config.toml"),
    ".jj/repo/workspace-config.toml",
)
MINE = "# the person's\n"


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


def put(folder: Path) -> None:
    for name in SETTINGS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(MINE)


PLANT = """for at in . there new/deep; do mkdir -p $at/.hg $at/.jj/repo
for f in SETTINGS; do echo planted > $at/$f; mv $at/$f $at/$f.x; echo planted > $at/$f; done; done
mkdir -p evil/a/.hg evil/b evil/c/.jj; echo planted > evil/hgrc; echo ../../ > evil/a/.hg/sharedpath
ln -s .. evil/b/.hg; ln -s .. evil/b/.jj; echo ../../store > evil/c/.jj/repo
mkdir -p fine/.hg fine/.jj; echo ../../there/.hg > fine/.hg/sharedpath; echo ../../there/.jj/repo > fine/.jj/repo
true""".replace("SETTINGS", " ".join(SETTINGS))


@pytest.mark.parametrize("kind", KINDS)
async def test_settings_are_put_back_and_new_ones_go(scene: Scene, kind: str) -> None:
    put(scene.folder)
    put(scene.folder / "there")
    sandbox = await scene.local(kind).open(Root(scene.folder))
    await bash(sandbox, f"exec 2>/dev/null; {PLANT}")
    told = " ".join(await sandbox.undone())
    await sandbox.close()
    for name in SETTINGS:
        assert (scene.folder / name).read_text() == MINE, name
        assert (scene.folder / "there" / name).read_text() == MINE, name
        assert not (scene.folder / "new" / "deep" / name).exists(), name
    for name in ("a/.hg/sharedpath", "b/.hg", "b/.jj", "c/.jj/repo"):
        assert not (scene.folder / "evil" / name).is_symlink(), name
        assert not (scene.folder / "evil" / name).exists(), name
    for name in (".hg/sharedpath", ".jj/repo"):
        assert (scene.folder / "fine" / name).exists(), name
    assert "Mercurial or Jujutsu" in told


@pytest.mark.parametrize("path", [*SETTINGS, "sub/.HG/hgrc"])
def test_a_file_tool_asks_before_it_writes_them(scene: Scene, path: str) -> None:
    with Root(scene.folder) as root:
        assert "Mercurial or Jujutsu" in danger(root, [path])
        assert danger(root, ["src/hgrc"]) == ""
