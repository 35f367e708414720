"""Severity: high. A command cannot see a person's linked work tree outside of its folder and thinks it gone: `git gc`
would throw away what that work tree is known by, its index, its `HEAD` and its log."""

from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import bash


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


@needs_bubblewrap
@pytest.mark.parametrize("verb", ["gc -q --prune=now", "worktree prune", "gc --auto"])
async def test_no_verb_of_a_command_takes_it_away(scene: Scene, verb: str) -> None:
    scene.outside(
        "git worktree add -q ../elsewhere -b elsewhere; git worktree add -q inside -b inside;"
        "cd ../elsewhere; echo staged > new; git add new; find ../project/.git/worktrees -exec touch -d 2020-01-01 {} +"
    )
    before = scene.git("worktree", "list")
    sandbox = await scene.local().open(Root(scene.folder))
    done = await bash(sandbox, f"git {verb}; git -C inside commit -q --allow-empty -m more")
    assert await sandbox.undone() == ()
    await sandbox.close()
    assert done.code == 0, done.err
    scene.outside("git gc -q")
    after = scene.git("worktree", "list")
    assert after.count("\n") == before.count("\n") == 3
    assert "A  new" in scene.outside("cd ../elsewhere; git status --short")
    scene.outside("cd ../elsewhere; git commit -qm staged")


@needs_bubblewrap
async def test_the_person_works_in_it_meanwhile(scene: Scene) -> None:
    scene.outside("git worktree add -q ../elsewhere -b elsewhere")
    sandbox = await scene.local().open(Root(scene.folder))
    await bash(sandbox, "true")
    scene.outside(
        "cd ../elsewhere; echo n > new; git add new; git commit -qm n; git switch -qc other"
    )
    assert (await bash(sandbox, "git status")).code == 0
    assert await sandbox.undone() == ()
    await sandbox.close()
    assert "other" in scene.git("worktree", "list")
