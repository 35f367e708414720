"""Severity: high. Beside branches, a repository has many places from which git takes contents or parents of commits
with nobody asking for it: stashes of an operation, recorded resolutions, tables that repeat what objects say.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents import index as indexes
from bottega.workspaces.git.contents.staged import extensions
from bottega.workspaces.git.contents.trees import agrees
from bottega.workspaces.git.guard import Guard
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

HOOK = ".githooks/pre-commit"
PERSON = """
git config core.hooksPath .githooks; mkdir .githooks; printf '#!/bin/sh\\n' > .githooks/pre-commit
chmod +x .githooks/*; git -c core.hooksPath=/ add -A; git -c core.hooksPath=/ commit -qm hook
"""
BEGIN = """
G="git -c core.hooksPath=/"
export GIT_INDEX_FILE=$PWD/../other-index; $G read-tree HEAD
EVIL=$(printf '#!/bin/sh\\ntouch {canary}/ran\\n' | $G hash-object -w --stdin)
$G update-index --add --cacheinfo 100755,$EVIL,.githooks/pre-commit
$G update-index --add --cacheinfo 100755,$EVIL,.githooks/post-commit
TREE=$($G write-tree); COMMIT=$($G commit-tree -p HEAD -m evil $TREE)
STASH=$($G commit-tree -p HEAD -p $($G commit-tree -p HEAD -m i HEAD^{tree}) -m wip $TREE); unset GIT_INDEX_FILE
"""


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        scene = Scene(base)
        scene.outside(PERSON)
        yield scene


def looked(scene: Scene, script: str) -> str:
    """What is told of what a command did."""
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        filled = (BEGIN + script).replace("{canary}", str(scene.canary))
        command = ["bash", "-c", filled]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
        guard.check()
        guard.close()
        assert not guard.unfinished
    return " ".join(guard.reports())


def works(scene: Scene, *verbs: str) -> None:
    for verb in (*verbs, "status"):
        command = ["git", "-c", "safe.directory=*", "-c", "user.name=x", "-c", "user.email=x@x"]
        subprocess.run(
            [*command, *verb.split()], cwd=scene.folder, check=False, capture_output=True
        )


STASHES = {
    "MERGE_AUTOSTASH": ("commit -qam mine", "commit -q --allow-empty -m more"),
    "rebase-merge/autostash": ("rebase --quit", "commit -q --allow-empty -m more"),
}


@pytest.mark.parametrize("name", STASHES)
def test_a_stash_that_nobody_made_is_not_applied(scene: Scene, name: str) -> None:
    told = looked(scene, f"mkdir .git/rebase-merge; echo $STASH > .git/{name}")
    (scene.folder / "file").write_text("mine\n")
    works(scene, *STASHES[name])
    assert os.listdir(scene.canary) == []
    assert "git stash pop" in told
    assert "touch" not in (scene.folder / HOOK).read_text()


def test_a_resolution_that_nobody_recorded_is_not_taken(scene: Scene) -> None:
    told = looked(
        scene,
        "mkdir -p .git/rr-cache/ab; cd .git/rr-cache/ab; echo 1 > preimage; echo 2 > postimage",
    )
    assert "rr-cache/ab/postimage" in told
    assert "preimage" not in told
    assert os.listdir(scene.folder / ".git/rr-cache/ab") == []


def test_no_commit_gets_other_parents(scene: Scene) -> None:
    told = looked(scene, "mkdir -p .git/info; echo $($G rev-parse HEAD) $COMMIT > .git/info/grafts")
    works(scene, "revert --no-edit HEAD")
    assert os.listdir(scene.canary) == []
    assert "info/grafts" in told


TABLES = """
$G repack -adq --write-bitmap-index; $G multi-pack-index write; $G commit-graph write --reachable; $G gc -q
"""


@pytest.mark.parametrize("packed", [True, False])
def test_no_history_is_hidden_from_git(scene: Scene, packed: bool) -> None:
    """What is hidden, the next `git gc` deletes."""
    scene.outside("for n in 1 2 3; do echo $n > file; git -c core.hooksPath=/ commit -qam $n; done")
    if packed:
        scene.outside("git gc -q")
    before = scene.git("log", "--format=%H")
    lines = ("git rev-parse HEAD", "git rev-parse HEAD~1 HEAD~2", "seq -f %040.0f 30000")
    for line in lines:
        assert ".git/shallow' held lines that hide the history" in looked(
            scene, f"{line} > .git/shallow"
        )
        assert scene.git("log", "--format=%H") == before
    assert not (scene.folder / ".git/shallow").exists()


def test_git_fetches_nothing_by_itself_where_it_did_not_before(scene: Scene) -> None:
    told = looked(
        scene,
        "git config remote.up.url ssh://collect.example/x; git config remote.up.promisor true;"
        " git config remote.up.partialclonefilter blob:none",
    )
    assert "remote.up.promisor" in told
    assert (
        scene.git("config", "--get-regexp", "^remote") == "remote.up.url ssh://collect.example/x\n"
    )
    scene.outside("git config uploadpack.allowFilter true")
    assert looked(scene, "git clone -q --no-checkout --filter=blob:none file://$PWD part") == ""
    assert scene.git("-C", "part", "config", "remote.origin.promisor") == "true\n"


def test_a_history_that_was_fetched_in_part_stays_so(scene: Scene) -> None:
    work = "for n in 1 2 3; do echo $n > file; git -c core.hooksPath=/ commit -qam $n; done"
    scene.outside(
        f"git clone -q . ../other; cd ../other; git config user.name x; git config user.email x; {work}"
    )
    assert looked(scene, "git clone -q --depth 1 file://$PWD/../other part") == ""
    assert scene.git("-C", "part", "log", "--format=%s") == "3\n"
    scene.outside(f"cd ../other; {work}")
    fetch = "git fetch -q --depth 1 file://$PWD/../other main; git tag fetched FETCH_HEAD"
    assert looked(scene, fetch) == ""
    assert looked(scene, f"cd part; {fetch.replace('..', '../..')}") == ""
    for folder in (".", "part"):
        assert scene.git("-C", folder, "log", "--format=%s", "fetched") == "3\n"
        assert scene.git("-C", folder, "fsck", "--no-dangling") == ""
    assert looked(scene, "git fetch -q --unshallow file://$PWD/../other main") == ""
    assert not (scene.folder / ".git/shallow").exists()


def test_tables_that_repeat_what_objects_say_go_without_a_word(scene: Scene) -> None:
    assert looked(scene, TABLES) == ""
    packs = [each.rpartition(".")[2] for each in os.listdir(scene.folder / ".git/objects/pack")]
    assert {"pack", "idx"} <= {*packs} <= {"pack", "idx", "mtimes"}
    assert not (scene.folder / ".git/objects/info/commit-graph").exists()
    assert scene.git("fsck", "--no-dangling") == ""


def test_tables_that_were_there_before_stay(scene: Scene) -> None:
    scene.outside("git commit-graph write --reachable; git repack -adq --write-bitmap-index")
    kept = {*os.listdir(scene.folder / ".git/objects/pack")}
    assert looked(scene, "git log") == ""
    assert {*os.listdir(scene.folder / ".git/objects/pack")} == kept
    assert (scene.folder / ".git/objects/info/commit-graph").exists()


LIE = """
import hashlib, subprocess, sys
def git(*words): return subprocess.run(["git", *words], capture_output=True, check=True).stdout.decode().strip()
tree, was = sys.argv[1:]
raw = open(".git/index", "rb").read()[:-20]
at = raw.index(b"TREE")
assert bytes.fromhex(was) in raw[at:]
raw = raw[:at] + raw[at:].replace(bytes.fromhex(was), bytes.fromhex(tree))
open(".git/index", "wb").write(raw + hashlib.sha1(raw).digest())
open("../done", "w")
"""


@pytest.mark.parametrize("at", [":.githooks", ""])
def test_an_index_commits_no_other_trees_than_its_own(scene: Scene, at: str) -> None:
    (scene.base / "lie.py").write_text(LIE)
    looked(
        scene,
        "$G read-tree HEAD; $G update-index --refresh; $G write-tree;"
        f" python3 ../lie.py $($G rev-parse $TREE{at}) $($G rev-parse HEAD{at or '^{tree}'})",
    )
    assert (scene.base / "done").exists()
    if at:
        (scene.folder / "file").write_text("mine\n")
    works(scene, "add file", "-c core.hooksPath=/ commit --allow-empty -qm mine")
    assert scene.git("log", "-1", "--format=%s") == "mine\n"
    assert scene.git("show", "--format=", "--name-only", "HEAD") == ("file\n" if at else "")


FORMS = (
    "true",
    "git update-index --index-version 4",
    "git update-index --split-index; echo 1 > a/five; git add a/five; git write-tree",
    "git rm -q --cached a/b/x; git write-tree",
    "echo n > a/b/new; git add -N a/b/new; git write-tree",
    "git sparse-checkout set --cone --sparse-index 'a-b'",
)


@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
@pytest.mark.parametrize("form", FORMS)
def test_the_trees_of_an_index_that_git_has_written_agree(
    tmp_path: Path, form: str, hashes: str
) -> None:
    script = f"""git init -q --object-format={hashes}; git config user.name P; git config user.email p@e
        mkdir -p a/b a-b a0 c/d/e; for each in a/b/x a/b/y a/z a-b/1 a0/1 a.txt c/d/e/f; do echo $each > $each; done
        ln -s a link; chmod +x a/z; git add .; git commit -qm 1; git read-tree HEAD; {form}"""
    subprocess.run(["bash", "-ec", script], cwd=tmp_path, check=True, capture_output=True)
    with Root(tmp_path) as root:
        index = indexes.read(root, ".git")
    assert index is not None
    assert agrees(index)
    body = extensions(index.raw, index.size)[b"TREE"]
    other = index.raw.replace(body, body[:-1] + bytes([body[-1] ^ 1]))
    assert not agrees(index._replace(raw=other))


def test_a_work_tree_is_one_of_this_folder(scene: Scene) -> None:
    script = "$G worktree add -q tree -b tree; $G worktree add -q other -b other;"
    told = looked(scene, f"{script} echo {scene.base}/elsewhere/.git > .git/worktrees/other/gitdir")
    assert "worktrees/other/gitdir" in told
    assert "worktrees/tree/gitdir" not in told
