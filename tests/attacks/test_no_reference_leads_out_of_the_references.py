"""Severity: high. A reference that leads to `commondir`, or a table of references that a rebase moves, has the person's
own git write a file that it then takes its settings from.
"""

import os
import subprocess
from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.config import is_safe
from bottega.workspaces.git.contents.references import is_name
from bottega.workspaces.git.guard import Guard
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

PLANT = """
H=$(git rev-parse HEAD); D=.git/$H; mkdir -p $D/objects/info; cp -r .git/refs $D/
echo ../../objects > $D/objects/info/alternates
printf '[core]\\nbare = false\\nfsmonitor = "touch {canary}/ran; false"\\n' > $D/config
"""
"""Settings that hold once `.git/commondir` has the hash of the last commit in it."""
LEADS = ("commondir", "refs/../commondir", "refs/replace/x", "./commondir", "config.worktree")
WAYS = {
    **{f"ORIG_HEAD to {each}": f"echo 'ref: {each}' > .git/ORIG_HEAD" for each in LEADS},
    "a tag": "echo 'ref: commondir' > .git/refs/tags/t",
    "a branch of a remote": (
        "mkdir -p .git/refs/remotes/origin; echo 'ref:commondir' > .git/refs/remotes/origin/main"
    ),
    "a name of its own": "printf 'ref:\\tcommondir' > .git/REBASE_HEAD",
    "a table of a rebase": (
        "mkdir -p .git/rebase-merge;"
        " printf 'commondir\\n%040d\\n%s\\n' 0 $H > .git/rebase-merge/update-refs"
    ),
    "the end of a rebase": (
        "mkdir -p .git/rebase-merge; echo refs/replace/$H > .git/rebase-merge/head-name"
    ),
}


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


def looked(scene: Scene, script: str) -> str:
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        command = ["bash", "-c", script.replace("{canary}", str(scene.canary))]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
        guard.check()
        guard.close()
    return " ".join(guard.reports())


@pytest.mark.parametrize("way", WAYS)
def test_the_persons_git_writes_nothing_but_references(scene: Scene, way: str) -> None:
    told = looked(scene, PLANT + WAYS[way])
    for verb in ("reset -q --hard", "stash", "merge -q topic", "rebase --continue", "status"):
        command = ["git", "-c", "safe.directory=*", *verb.split()]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
    assert not (scene.folder / ".git/commondir").exists()
    assert not (scene.folder / ".git/refs/replace/x").exists()
    assert os.listdir(scene.canary) == []
    assert "Undone" in told


ORDINARY = """
git clone -q . copy; cd copy; git config user.name P; git config user.email p@e; git checkout -qb ä/b origin/topic
git commit -q --allow-empty -m 'ref: a message'; git symbolic-ref refs/heads/other refs/heads/main; git reset -q --hard
git worktree add -q ../tree -b tree; git notes add -m n; git bisect start -q; git bisect reset; git tag x
git update-ref ORIG_HEAD HEAD
"""


def test_ordinary_references_stay(scene: Scene) -> None:
    assert looked(scene, ORDINARY) == ""
    assert (scene.folder / "copy/.git/refs/heads/other").read_text() == "ref: refs/heads/main\n"
    assert (scene.folder / "copy/.git/COMMIT_EDITMSG").exists()


def test_what_was_there_before_stays(scene: Scene) -> None:
    (scene.folder / ".git/MINE").write_text("ref: wherever\n")
    assert looked(scene, "git tag x") == ""
    assert (scene.folder / ".git/MINE").exists()


NAMES = ("refs/heads/main", "refs/heads/a/b.c", "refs/remotes/origin/HEAD", "refs/replaces/x")
ODD = (
    *("commondir", "refs", "refs/", "refs/../x", "refs/heads/../../x", "refs/heads/.x", "refs//x"),
    *("refs/replace/x", "refs/Replace/x", "refs/heads/a..b", "refs/heads/a.lock", "refs/heads/a b"),
    *("refs/heads/a\\b", "refs/heads/\u200c../\u200c../x", "refs/heads/a@{b", "refs/heads/a\n"),
)


def test_a_name_of_a_reference_is_what_git_takes_for_one() -> None:
    for name in NAMES:
        assert is_name(name.encode()), name
    for name in ODD:
        assert not is_name(name.encode()), name


def test_a_fetch_or_a_push_replaces_no_object() -> None:
    for key in ("remote.x.fetch", "remote.x.push"):
        for value in (
            "refs/heads/*:refs/remotes/x/*",
            "refs/pull/*/head:refs/remotes/x/pr-*",
            "refs/heads/a",
            "HEAD:refs/heads/a",
            "a:b",
            "",
        ):
            assert is_safe((key, value)), value
        for value in (
            *("refs/tags/*:refs/replace/*", "a:refs/replace/b", "refs/*:refs/Replace/*"),
            *("refs/x/*:refs/re*", "refs/x/*:refs/*/ab", "refs/x/*:refs/*", "refs/x/*:re*"),
            *("refs/*:*", "a:replace/b", "a:refs/stash", "a:refs//replace/b", "a:refs/bisect/bad"),
        ):
            assert not is_safe((key, value)), value
            assert not is_safe((key, f"+{value}")), value
    assert is_safe(("remote.x.fetch", "+refs/heads/*:refs/remotes/x/*"))
    assert is_safe(("remote.x.fetch", "refs/replace/*"))  # which are written nowhere
    assert not is_safe(("remote.x.push", "refs/replace/*"))
    assert not is_safe(("branch.a.merge", "refs/replace/x"))


def test_a_push_takes_nothing_away_elsewhere() -> None:
    for value in ("+a:b", "+refs/heads/*:refs/heads/*", ":refs/heads/a", ":"):
        assert not is_safe(("remote.x.push", value)), value
    assert not is_safe(("remote.x.mirror", "true"))
