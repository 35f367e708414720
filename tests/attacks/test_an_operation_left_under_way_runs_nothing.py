"""Severity: high (H1). An agent leaves a rebase, a cherry-pick or an index behind that makes git run a program, or
write its own hooks, when the person goes on with it.
"""

import hashlib
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents.index import is_plain
from bottega.workspaces.git.contents.state import FOLDERS, TOP, is_harmless
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import bash

HISTORY = """
set -e; git config user.name P; git config user.email p@e
git checkout -qb f; echo two > file; git commit -qam 2; echo b > b; git add b; git commit -qm 3
git checkout -q main; echo five > file; git commit -qam 5
"""
SCRIPT = """mkdir -p .x git-merge-x; printf '#!/bin/sh\\ntouch {canary}/ran\\n' > .x/s; chmod +x .x/s
"""
LEFT = {
    "a rebase": ("git checkout -q f; git rebase main", "git rebase --continue"),
    "a cherry-pick": ("git cherry-pick f~1 f", "git cherry-pick --continue"),
}
PLANTS = {
    "a rebase": "printf x/../.x/s > .git/rebase-merge/strategy",
    "a cherry-pick": "printf '[options]\\n\\tstrategy = x/../.x/s\\n' > .git/sequencer/opts",
}


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


def goes_on(scene: Scene, command: str) -> None:
    script = f"echo six > file; git add file; GIT_EDITOR=true {command}"
    subprocess.run(["bash", "-c", script], cwd=scene.folder, check=False, capture_output=True)


@needs_bubblewrap
@pytest.mark.parametrize("what", LEFT)
async def test_a_merge_strategy_that_is_a_path_is_not_run_when_the_person_goes_on(
    scene: Scene, what: str
) -> None:
    scene.outside(HISTORY)
    begin, go_on = LEFT[what]
    sandbox = await scene.local().open(Root(scene.folder))
    await bash(sandbox, f"{begin}; {SCRIPT.format(canary=scene.canary)}{PLANTS[what]}")
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    goes_on(scene, go_on)
    assert not list(scene.canary.iterdir())
    assert "could run outside" in undone
    assert scene.git("log", "--format=%s", "-1").strip() == "3", "it went on without it"


@needs_bubblewrap
@pytest.mark.parametrize("what", LEFT)
async def test_an_operation_of_the_agents_that_is_plain_can_be_gone_on_with(
    scene: Scene, what: str
) -> None:
    scene.outside(HISTORY)
    begin, go_on = LEFT[what]
    sandbox = await scene.local().open(Root(scene.folder))
    await bash(sandbox, begin)
    told = await sandbox.undone()
    assert all("is under way" in each for each in told)
    assert f"A {what.removeprefix('a ')} is under way" in told[0]
    await bash(sandbox, "echo 1")
    assert await sandbox.undone() == (), "it is told once"
    await sandbox.close()
    goes_on(scene, go_on)
    assert scene.git("log", "--format=%s", "-1").strip() == "3"


@needs_bubblewrap
async def test_what_git_would_record_of_a_resolved_conflict_goes_without_a_word(
    scene: Scene,
) -> None:
    """Git writes to the files that it names, past links as well; a plain one is no attack, and is not told."""
    scene.outside(HISTORY + "git config rerere.enabled true")
    sandbox = await scene.local().open(Root(scene.folder))
    await bash(
        sandbox, "git merge f; mkdir n; git init -q n; printf 'ab\\t../x\\0' > n/.git/MERGE_RR"
    )
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    assert "n/.git/MERGE_RR" in undone
    assert "'.git/MERGE_RR'" not in undone
    assert (scene.folder / ".git" / "MERGE_RR").read_bytes() == b""


HOSTILE = (b"x/../.x/s", b"'a'; touch /tmp/x", b"$(touch x)", b"--exec=touch x\n", b"!touch x\n")
TEXTS = {
    *("current-fixups", "done", "final-commit", "git-rebase-todo.backup", "info", "message"),
    *("message-fixup", "message-squash", "msg", "msg-clean", "patch", "patch-merge-index"),
    "rebased-patches",
}
"""What people and patches say: git runs none of it."""
REFS = {"onto_name", "BISECT_START"}


@pytest.mark.parametrize("content", HOSTILE)
def test_no_file_of_state_may_hold_a_command_whatever_its_name(content: bytes) -> None:
    names = ["strategy", "strategy_opts", "apply-opt", "author-script", "gpg_sign_opt", "onto"]
    names += ["update-refs", "head-name", "refs-to-delete"]
    names += ["opts", "head", "quiet", "msgnum", "cmd", "exec", "invented-later", "autostash"]
    for folder in FOLDERS:
        for name in names:
            assert not is_harmless(f"a/.git/{folder}/{name}", content), (folder, name)
        assert not is_harmless(f"a/.git/{folder}/strategy", None)
    for name in TOP:
        if name not in REFS:
            assert not is_harmless(f".git/{name}", content), name
    for name in TEXTS:
        assert is_harmless(f".git/rebase-merge/{name}", content), name


def test_what_git_itself_writes_there_is_harmless() -> None:
    fine = {
        "rebase-merge/strategy": b"ort\n",
        "rebase-merge/strategy_opts": b" '--theirs' '--find-renames=50%'\n",
        "rebase-apply/apply-opt": b" '-C1' '--whitespace=fix'",
        "rebase-merge/author-script": b"GIT_AUTHOR_NAME='O'\\''N'\nGIT_AUTHOR_EMAIL='a@b'\nGIT_AUTHOR_DATE='@1 +0'\n",
        "rebase-merge/head-name": b"refs/heads/topic\n",
        "rebase-apply/0001": b"anything",
        "sequencer/opts": b"[options]\n\tstrategy = ort\n\tstrategy-option = theirs\n\tedit = true\n",
        "rebase-merge/update-refs": b"refs/heads/a-\xc3\xa4/b\n%s\n%s\n" % (b"0" * 40, b"a" * 40),
        "rebase-merge/refs-to-delete": b"refs/rewritten/onto\n",
        "BISECT_NAMES": b" 'src' 'it'\\''s'\n",
        "BISECT_LOG": b"git bisect start\n# bad: [1f] x; y\ngit bisect bad 1f\ngit bisect start 'a' '--' 'b c'\n",
        "BISECT_TERMS": b"bad\ngood\n",
        "MERGE_MODE": b"no-ff",
        "gc.pid": b"12 host.example\n",
    }
    for name, content in fine.items():
        assert is_harmless(f".git/{name}", content), name


def _renamed(raw: bytes, old: bytes, new: bytes) -> bytes:
    """An index of version 2 with another name in it, in order and with the right sum."""
    count = struct.unpack(">I", raw[8:12])[0]
    at, entries = 12, list[tuple[bytes, bytes]]()
    for _ in range(count):
        length = struct.unpack_from(">H", raw, at + 60)[0] & 0xFFF
        size = (62 + length + 8) // 8 * 8
        entry = raw[at : at + size].replace(old, new)
        entries.append((entry[62 : 62 + length], entry))
        at += size
    body = raw[:12] + b"".join(entry for _, entry in sorted(entries))
    return body + hashlib.sha1(body).digest()


PLANTED_INDEX = """
mkdir -p xgit/hooks; cp .x/s xgit/hooks/post-checkout; git add xgit; rm -r xgit
"""


@needs_bubblewrap
async def test_an_index_that_names_a_hook_writes_none(scene: Scene) -> None:
    """Git never adds such a path, and checks out each that it finds."""
    sandbox = await scene.local().open(Root(scene.folder))
    await bash(sandbox, SCRIPT.format(canary=scene.canary) + PLANTED_INDEX)
    index = scene.folder / ".git" / "index"
    fresh = _renamed(index.read_bytes(), b"xgit/hooks/", b".git/hooks/")
    (scene.folder / "fresh").write_bytes(fresh)
    await bash(sandbox, "mv fresh .git/index")
    assert scene.outside("git ls-files").startswith(".git/hooks/post-checkout")
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    scene.outside("git checkout -- . || git reset -q --hard; git checkout -q -- .")
    assert not (scene.folder / ".git" / "hooks" / "post-checkout").exists()
    assert not list(scene.canary.iterdir())
    assert ".git/index" in undone


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_every_kind_of_index_is_read(tmp_path: Path, version: int, kind: str) -> None:
    script = f"""
    git init -q --object-format={kind} .; mkdir -p a/b/agit/hooks; touch a/b/agit/hooks/x a/b/agit/y a/z long.git
    git add -A; touch later; git add -N later; git update-index --index-version {version}
    """
    subprocess.run(["sh", "-ec", script], cwd=tmp_path, check=True, capture_output=True)
    raw = (tmp_path / ".git" / "index").read_bytes()
    size = 32 if kind == "sha256" else 20
    assert is_plain(raw, size)
    for name in (b".git", b".GIT", b"git~"):
        spoiled = raw.replace(b"agit", name)
        if name != b"git~":
            assert not is_plain(spoiled, size), name
    assert not is_plain(raw[:60], size)
    assert not is_plain(raw.replace(b"a/z", b"../"), size) or version == 4
