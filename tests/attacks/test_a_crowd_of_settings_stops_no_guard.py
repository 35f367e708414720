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
from bottega.workspaces.git import files, scan, sensitive, staging
from bottega.workspaces.git import guard as guard_
from bottega.workspaces.git.contents import references
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
        "P=$(printf 'a/%.0s' $(seq 60000)); for d in 1 2 3 4 5 6; do mkdir d$d; echo gitdir: /far/$P > d$d/.git; done;"
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


def _fails(*_: object, **__: object) -> None:
    raise ValueError("an odd one")


MANY = 1_000
"""Names in place of 300,000."""
LISTS = {
    "resolutions": "cd .git/rr-cache; F=%.0f",
    "resolutions, with one less": "rm -r .git/rr-cache/0*; cd .git/rr-cache; F=%.0f",
    "resolutions further down": "mkdir -p .git/rr-cache/a; cd .git/rr-cache/a; F=%.0f",
    "branches": "cd .git/refs/heads; F=%.0f",
    "folders of branches": "cd .git/refs/heads; F=%.0f; touch() { mkdir $@; }; export -f touch",
    "deep branches": "P=.git/refs/heads/$(printf 'a/%.0s' $(seq 40)); mkdir -p $P; cd $P; F=%.0f",
    "replacements": "mkdir .git/refs/replace; cd .git/refs/replace; F=%.0f",
    "a rebase": "mkdir .git/rebase-merge; cd .git/rebase-merge; F=%.0f",
    "hooks": "mkdir -p .git/hooks; cd .git/hooks; F=%.0f",
    "hooks that may not be written": "mkdir -p .git/hooks; cd .git/hooks; F=%.0f; trap 'chmod 555 .' EXIT",
    "remotes": "mkdir .git/remotes; cd .git/remotes; F=%.0f",
    "work trees": "mkdir .git/worktrees; cd .git/worktrees; F=%.0f",
    "files beside packs": "cd .git/objects/pack; F=%.0f",
    "tables of packs": "cd .git/objects/pack; F=pack-%.0f.idx",
    "tables beside packs": "cd .git/objects/pack; F=pack-%.0f.rev",
    "objects": "mkdir -p .git/objects/ab; cd .git/objects/ab; F=%038.0f",
    "folders of objects": "cd .git/objects; F=x%.0f",
    "tables of commits": "mkdir .git/objects/info/commit-graphs; cd .git/objects/info/commit-graphs; F=%.0f",
    "files of the repository": "cd .git; F=x%.0f",
    "shared indexes": "cd .git; F=sharedindex.%040.0f",
    "another repository's": "git init -q n; mkdir n/.git/rr-cache; cd n/.git/rr-cache; F=%.0f",
}
PERSONS = """
printf '#!/bin/sh\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push; mkdir -p .git/rr-cache/12
echo 1 > .git/rr-cache/12/preimage; cp -r .git/rr-cache/12 .git/rr-cache/01
git gc -q; git worktree add -q ../tree; echo staged > staged; git add staged
"""
KEPT = (
    "hooks/pre-push",
    "rr-cache/12/preimage",
    "worktrees/tree/HEAD",
    "worktrees/tree/index",
    "HEAD",
)


@pytest.mark.parametrize("crowd", LISTS)
def test_a_list_that_is_too_long_hides_nothing_beside(
    scene: Scene, crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.outside(PERSONS)
    kept = {name: (scene.folder / ".git" / name).read_bytes() for name in KEPT}
    monkeypatch.setattr(files, "_NAMES", MANY)
    made = f"; seq -f $F {MANY + 1} | xargs bash -c 'touch \"$@\"' x"
    told = looked(scene, PLANT + f"({LISTS[crowd]}{made})")
    assert not (scene.folder / ".git/commondir").exists()
    assert os.listdir(scene.canary) == []
    assert ".git/commondir" in told
    assert "could not be checked" not in told
    assert {name: (scene.folder / ".git" / name).read_bytes() for name in KEPT} == kept
    assert scene.git("log", "-1", "--format=%s", "topic") == "two\n"
    assert scene.git("diff", "--cached", "--name-only") == "staged\n"


LIE = """
name=$(git rev-parse :file); place=.git/objects/$(echo $name | sed 's#^..#&/#'); rm $place file
python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(b"blob 5\\0evil\\n"))' > $place
"""


@pytest.mark.parametrize("step", ["complete", "judged", "lies", "targets", "scan", "of_targets"])
def test_objects_are_put_right_and_an_index_stays_where_nothing_else_can_be_judged(
    scene: Scene, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the person's is lost by it: neither what they have staged, nor where a branch is."""
    scene.outside(
        "git checkout -q --detach; git replace topic topic~1; git pack-refs --all; echo 1 > staged; git add ."
    )
    where = {"targets": guard_, "of_targets": guard_, "scan": scan.Scanner}.get(step, staging)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        subprocess.run(["bash", "-ec", LIE], cwd=scene.folder, check=True, capture_output=True)
        scene.outside(
            "git branch fresh; git pack-refs --all; ln .git/packed-refs second; ln .git/HEAD other;"
            "git symbolic-ref HEAD refs/heads/fresh"
        )
        with monkeypatch.context() as patched:
            patched.setattr(where, step, _fails)
            guard.check()
        told = " ".join(guard.reports())
        assert "an odd one" in guard.unfinished
        guard.check()
        assert not guard.unfinished
        guard.close()
    assert "other than their names say" in told
    assert scene.git("diff", "--cached", "--name-only") == "staged\n"
    assert scene.git("rev-parse", "HEAD", "main", "fresh", "topic").count("\n") == 4
    assert scene.git("symbolic-ref", "HEAD") == "refs/heads/fresh\n"
    assert scene.git("replace", "-l") != ""
    scene.outside("git reset -q; git restore . || true")
    assert not (scene.folder / "file").exists()


def test_an_index_that_could_not_be_judged_and_is_new_goes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        scene.outside("echo 2 > new; git add new")
        with monkeypatch.context() as patched:
            patched.setattr(staging, "judged", _fails)
            guard.check()
        assert "`git reset`" in guard.unfinished
        assert not (scene.folder / ".git/index").exists()
        guard.close()


def test_where_a_repository_cannot_be_looked_at_nobody_is_sent_to_git(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        scene.outside("echo 2 > new; git add new; git init -q n")
        with monkeypatch.context() as patched:
            patched.setattr(references, "symbolic", _fails)
            guard.check()
        assert "use no git in '.git'" in guard.unfinished
        assert "git reset" not in guard.unfinished
        assert (scene.folder / ".git/HEAD").exists()
        assert not (scene.folder / "n/.git/HEAD").exists(), "it was not there before, and is none"
        guard.close()


BESIDE = """
beside() { for t in $(seq 200); do mkdir $1$t; first=$(ls -Ua | grep -xE "$1$t|[.]git" | head -1)
    if [ $first = .git ]; then [ $2 = after ] && break; else [ $2 = before ] && break; fi; rmdir $1$t; done; }
beside z before; git init -q z$t; cd z$t; beside p after; mkdir -p p$t; cd p$t
"""
"""A folder that is listed before `.git`, and in it one that is listed after its own."""
CROWDED = {
    "pointers": BESIDE
    + "for i in $(seq 60); do mkdir $i; echo 'gitdir: ../../.git' > $i/.git; done",
    "links": BESIDE + "for i in $(seq 60); do mkdir $i; ln -s ../../.git $i/.git; done",
    "repositories": BESIDE + "for i in $(seq 60); do mkdir -p $i/.git; done",
    "odd files": BESIDE + "cd ../.git; for i in $(seq 60); do ln -s a $i; done",
    "within": "for i in $(seq 60); do mkdir -p .git/modules/$i/.git; done",
    "folders": BESIDE + "mkdir -p {1..1000}",
}


@pytest.mark.parametrize("crowd", CROWDED)
def test_no_crowd_keeps_the_persons_own_repositories_from_being_looked_at(
    scene: Scene, crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.outside("git clone -q . mine; git add mine; git init -q --bare bare")
    monkeypatch.setattr(scan, "_REPOSITORIES", 50)
    monkeypatch.setattr(scan, "_ODD", 50)
    monkeypatch.setattr(scan, "_FOLDERS", 600)
    script = (
        "git clone -q . new; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),new;"
    )
    plants = "".join(
        f"(cd {each}; {PLANT.strip()}; ln -s a .git/link);" for each in ("new", "mine", ".")
    )
    told = looked(scene, f"{script} ({CROWDED[crowd]}); {plants}")
    for folder in (".", "mine", "new"):
        scene.outside(f"cd {folder}; git -c safe.directory='*' status; true")
        assert not (scene.folder / folder / ".git/commondir").exists(), folder
        assert not (scene.folder / folder / ".git/link").is_symlink(), folder
    assert os.listdir(scene.canary) == []
    assert ".git/commondir" in told
    assert len(told) < 20_000
    if crowd in ("pointers", "links", "odd files"):
        assert "Not all of the folder" not in told, "the crowd was new, and has gone"


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
