"""Severity: high. What costs the guard more than it costs an agent to write (settings that include thousands, paths of
a megabyte, huge tables of references) keeps it from undoing what lies beside, or takes the memory of all.
"""

import os
import subprocess
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git import sensitive, staging
from bottega.workspaces.git.contents.replacements import cut, lines
from bottega.workspaces.git.guard import Guard
from tests.attacks.indexes import entry, whole
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

PLANT = """
mkdir -p .git/x/objects/info .git/x/refs/heads; echo ../../objects > .git/x/objects/info/alternates
cp -r .git/refs/. .git/x/refs/; cp .git/HEAD .git/x/
printf '[core]\\nbare = false\\nfsmonitor = "touch {canary}/ran; false"\\n' > .git/x/config
echo x > .git/commondir
"""
"""The person's next `git status` runs it."""
CROWDS = {
    "includes": (
        "for r in n m; do git init -q $r; for f in config config.worktree; do"
        " { echo '[include]'; seq -f 'path = /'$r$f'%.0f' 40000; } > $r/.git/$f; done; done"
    ),
    "long paths": (
        "P=$(printf 'a/%.0s' $(seq 60000)); for d in 1 2 3 4 5 6; do mkdir d$d; echo gitdir: /work/$P > d$d/.git; done;"
        " git init -q n; echo ../$P > n/.git/commondir; printf '[core]\\nworktree = %s\\n' $P >> n/.git/config"
    ),
    "long names": (
        "P=$(printf 'a%.0s' $(seq 300)); git init -q n; echo ../$P/objects > n/.git/objects/info/alternates;"
        " printf '[core]\\nworktree = ../../%s/b\\nhooksPath = ../%s\\n[include]\\npath = ../../x/%s/b\\n' $P $P $P"
        " > n/.git/config; mkdir x"
    ),
    "lenders": (
        "for r in n m; do git init -q $r; seq -f '../x/a/b/c/%.0f' 50000 > $r/.git/objects/info/alternates; done"
    ),
    "harmless settings": (
        "git init -q n; { echo '[user]'; seq -f 'name = n%.0f' 5000; printf '[core]\npager = x\n'; }"
        " > n/.git/config"
    ),
}


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


def looked(scene: Scene, script: str) -> str:
    """What is told of what a command did; the person then works on."""
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        command = ["bash", "-c", script.replace("{canary}", str(scene.canary))]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
        guard.check()
        guard.close()
    scene.outside("git -c safe.directory='*' status")
    return " ".join(guard.reports())


@pytest.mark.parametrize("crowd", CROWDS)
def test_what_lies_beside_a_crowd_is_undone(scene: Scene, crowd: str) -> None:
    began = time.process_time()
    told = looked(scene, CROWDS[crowd] + PLANT)
    assert not (scene.folder / ".git/commondir").exists()
    assert os.listdir(scene.canary) == []
    assert ".git/commondir" in told
    assert time.process_time() - began < 8, "no more than what it costs to read it"


@pytest.mark.parametrize("names", [("head",), ("head", "objects", "refs")])
def test_an_index_of_many_repositories_holds_nothing_up(scene: Scene, names: tuple[str]) -> None:
    files = (
        b"%06d/%s" % (number, os.fsencode(name))
        for number in range(12_000 // len(names) ** 2)
        for name in names
    )
    (scene.base / "index").write_bytes(whole([entry(name, mode=0o100644) for name in files]))
    began = time.process_time()
    told = looked(scene, "git init -q n; cp ../index n/.git/index;" + PLANT)
    assert os.listdir(scene.canary) == []
    assert ".git/commondir" in told
    assert ("n/.git/index" in told) == (len(names) > 1)
    assert time.process_time() - began < 10, "no more than what it costs to read it"


def test_settings_of_the_persons_that_include_too_many_are_told(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensitive, "_READ", 3)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
    assert "too many" in guard.unfinished


def test_where_nothing_can_be_judged_nothing_new_of_gits_stays(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it was that a program has found to stop the judge with."""
    script = (
        PLANT.replace("{canary}", str(scene.canary))
        + """
        git init -q n; printf '#!/bin/sh\\ntouch %s/ran\\n' "$CANARY" > n/.git/hooks/post-index-change
        chmod +x n/.git/hooks/*
        mkdir .githooks; cp n/.git/hooks/post-index-change .githooks; printf '[alias]\\nx = !x\\n' > .gitconfig-local
        echo two > new; git add new"""
    )
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        command = ["bash", "-c", script]
        environment = {**os.environ, "CANARY": str(scene.canary)}
        subprocess.run(command, cwd=scene.folder, env=environment, check=True, capture_output=True)
        for left in os.listdir(scene.canary):
            os.unlink(scene.canary / left)
        with monkeypatch.context() as patched:
            patched.setattr(staging, "complete", _fails)
            guard.check()
        told = " ".join(guard.reports())
        assert "an odd one" in guard.unfinished
        for path in (".git/commondir", ".githooks/post-index-change", ".gitconfig-local"):
            assert not (scene.folder / path).exists(), path
            assert path in told, path
        scene.outside("git -c safe.directory='*' status; git -C n -c safe.directory='*' status")
        assert os.listdir(scene.canary) == []
        assert scene.git("log", "-1", "--format=%s") == "one\n"
        guard.check()
        assert not guard.unfinished
        guard.close()


def _fails(*_: object) -> None:
    raise ValueError("an odd one")


def test_a_table_of_references_costs_no_more_than_its_bytes() -> None:
    known, fresh = b"ab refs/replace/cd\n^ef\n", b"12 refs/replace/34\n^56\n^78\n"
    rest = b"# pack-refs with: peeled \nab refs/heads/x\n"
    assert cut(rest + known + fresh + rest, lines(known)) == rest + known + rest
    assert cut(fresh[:-5], ()) == b""
    branch = b"ab refs/heads/refs/replace/cd\n"
    assert cut(branch + fresh.replace(b" ", b"\t"), ()) == branch
    huge = b"ab\n" * (1 << 21) + fresh
    tracemalloc.start()
    try:
        assert cut(huge, ()) == huge[: -len(fresh)]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 3 * len(huge)
