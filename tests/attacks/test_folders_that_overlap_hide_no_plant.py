"""Severity: high (H1). Two sandboxes work in folders of which one holds the other, or one makes its folder too
large to be looked at: what is planted there is taken for the person's.
"""

import os
import resource
import tracemalloc
from collections.abc import Iterator
from itertools import count, islice

import pytest

from bottega.errors import Refused
from bottega.workspaces.confine import Root
from bottega.workspaces.git import scan
from bottega.workspaces.git.scan import Scanner
from tests.attacks.test_a_planted_repository_runs_nothing import Scene, everything
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import bash

PLANT = """mkdir -p {at}n/.git/objects {at}n/.git/refs; echo 'ref: refs/heads/main' > {at}n/.git/HEAD
printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch {canary}/ran; false"\\n' > {at}n/.git/config
mkdir -p {at}mine/.git/hooks; printf '#!/bin/sh\\n' > {at}mine/.git/hooks/pre-commit
"""


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        scene = Scene(base)
        (scene.folder / "sub").mkdir()
        scene.outside(
            "git init -q sub/mine; git -C sub/mine config alias.mine status;"
            "printf '#!/bin/sh\\n# mine\\n' > sub/mine/.git/hooks/pre-push; touch sub/.bottega.toml"
        )
        yield scene


@needs_bubblewrap
@pytest.mark.parametrize(("first", "second"), [("", "sub"), ("sub", "")])
async def test_what_one_plants_is_not_what_was_there_before_the_other(
    scene: Scene, first: str, second: str
) -> None:
    def plant(folder: str) -> str:
        return PLANT.format(at="" if folder else "sub/", canary=scene.canary)

    one = await scene.local().open(Root(scene.folder / first))
    await bash(one, plant(first))
    other = await scene.local().open(Root(scene.folder / second))
    await bash(other, plant(second))
    await one.close()
    await bash(other, plant(second))
    told = " ".join(await other.undone())
    await other.close()
    scene.outside("cd sub/n; git -c safe.directory=* status || true")
    assert not list(scene.canary.iterdir())
    assert "n/.git/config" in told
    mine = scene.folder / "sub" / "mine" / ".git"
    assert not (mine / "hooks" / "pre-commit").exists()
    assert (mine / "hooks" / "pre-push").read_text() == "#!/bin/sh\n# mine\n"
    assert "mine = status" in (mine / "config").read_text()
    assert (scene.folder / "sub" / ".bottega.toml").exists()


@needs_bubblewrap
async def test_what_the_person_had_stays_where_folders_overlap(scene: Scene) -> None:
    inside = [scene.folder / "sub", scene.folder / "sub" / "mine"]
    files = everything(scene.folder)
    opened = [await scene.local().open(Root(each)) for each in (scene.folder, *inside)]
    for each in opened:
        await bash(each, "git status")
        assert await each.undone() == ()
    for each in opened:
        await each.close()
    assert everything(scene.folder) == files


@needs_bubblewrap
async def test_a_folder_that_cannot_be_looked_at_whole_has_no_commands_and_forgets_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = scene.local()
    sandbox = await local.open(Root(scene.folder))
    monkeypatch.setattr(scan, "_FOLDERS", 300)
    trap = "mkdir -p trap/{1..400}; "
    await bash(sandbox, trap + PLANT.format(at="", canary=scene.canary))
    told = " ".join(await sandbox.undone())
    assert "Not all of the folder" in told
    with pytest.raises(Refused, match="Not all of the folder"):
        await bash(sandbox, "true")
    await sandbox.close()
    with pytest.raises(Refused, match="Not all of the folder"):
        await local.open(Root(scene.folder))
    scene.outside("rm -r trap")
    again = await local.open(Root(scene.folder))
    assert "fsmonitor" not in (scene.folder / "n" / ".git" / "config").read_text()
    assert "mine = status" in (scene.folder / "sub/mine/.git/config").read_text()
    assert "core.fsmonitor" in told + " ".join(await again.undone())
    await again.close()


def test_a_deep_and_wide_tree_takes_neither_time_nor_memory() -> None:
    with rooms.open_folder() as base:
        at = os.open(base, os.O_RDONLY)
        for _ in range(400):
            os.mkdir("d", dir_fd=at)
            below = os.open("d", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        for number in range(1000):
            os.mkdir(str(number), dir_fd=at)
        os.mkdir("9/.git", dir_fd=at)
        tracemalloc.start()
        with Root(base) as root:
            found = Scanner().scan(root)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        for number in (*range(1000),):
            if number != 9:
                os.rmdir(str(number), dir_fd=at)
        os.rmdir("9/.git", dir_fd=at)
        os.rmdir("9", dir_fd=at)
        os.close(at)
        _emptied(str(base), 400)
    assert (found.whole, found.folders) == (True, 1402)
    assert len(found.repositories) == 1
    assert peak < 1_100_000, "no whole path is kept for each folder: they alone would be 800 KB"


def _emptied(base: str, depth: int) -> None:
    """Deeper than what deletes trees can go."""
    for level in range(depth, 0, -1):
        os.rmdir(base + "/d" * level)


@needs_bubblewrap
async def test_a_repository_in_a_folder_whose_name_is_no_text_stops_nothing(scene: Scene) -> None:
    """Severity: medium (H1, its kind)."""
    local = scene.local()
    sandbox = await local.open(Root(scene.folder))
    evil = "git init -q $'r\\377'; git config -f $'r\\377'/.git/config core.fsmonitor evil"
    await bash(sandbox, evil)
    assert "core.fsmonitor" in " ".join(await sandbox.undone())
    assert (await bash(sandbox, "echo on")).out == "on\n"
    await bash(sandbox, evil)
    await sandbox.close()
    assert "evil" not in (scene.folder / os.fsdecode(b"r\xff") / ".git/config").read_text()
    again = await local.open(Root(scene.folder))
    assert await again.undone() == ()
    await again.close()


def test_a_look_without_a_free_descriptor_is_not_taken_for_a_whole_one(scene: Scene) -> None:
    """Severity: high (M8, its kind)."""
    with Root(scene.folder) as root:
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (_first_free_after(3), before[1]))
        try:
            whole = Scanner().scan(root).whole
        except OSError:
            whole = False
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        assert not whole
        assert Scanner().scan(root).whole


def _first_free_after(number: int) -> int:
    """The descriptor that would be given out once so many more are open."""
    taken = set(map(int, os.listdir("/proc/self/fd")))
    free = (each for each in count() if each not in taken)
    return next(islice(free, number, None))


@needs_bubblewrap
async def test_a_sandbox_takes_few_descriptors_however_many_repositories_there_are(
    scene: Scene,
) -> None:
    """Severity: high (M8, its kind)."""
    scene.outside(
        "for i in {1..40}; do mkdir -p .git/modules/$i/{hooks,remotes,branches,objects,refs};"
        " cp .git/HEAD .git/config .git/modules/$i/; done"
    )
    before = len(os.listdir("/proc/self/fd"))
    sandbox = await scene.local().open(Root(scene.folder))
    taken = len(os.listdir("/proc/self/fd")) - before
    await sandbox.close()
    assert taken < 50
