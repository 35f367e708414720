"""Severity: high where settings name hooks. A branch of the person's has the same hash as before, and checking it out
writes an agent's hook all the same: git believes the names of objects, and hashes none of them again.
"""

import os
import subprocess
from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents import stores
from bottega.workspaces.git.guard import Guard
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

PERSON = """
git config core.hooksPath .githooks; git checkout -q topic; mkdir .githooks
printf '#!/bin/sh\\n' > .githooks/post-checkout
chmod +x .githooks/*; git -c core.hooksPath=/ add -A; git -c core.hooksPath=/ commit -qm hook; git checkout -q main
"""
LIE = """
import glob, hashlib, os, struct, subprocess, sys, zlib

def git(*words, **more):
    return subprocess.run(["git", "-c", "core.hooksPath=/", *words], capture_output=True, check=True, **more).stdout

def name(of): return git("rev-parse", of).decode().strip()
def place(name): return ".git/objects/" + name[:2] + "/" + name[2:]
evil = b"#!/bin/sh\\ntouch {canary}/ran\\n"
wrong = git("hash-object", "-w", "--stdin", input=evil).decode().strip()
what = sys.argv[1]
if what == "blob":
    target, kind, content = name("topic:.githooks/post-checkout"), b"blob", evil
elif what == "tree":
    target, kind = name("topic:.githooks"), b"tree"
    content = b"100755 post-checkout\\0" + bytes.fromhex(wrong)
elif what == "commit":
    target, kind = name("topic"), b"commit"
    tree = git("mktree", input=b"100755 blob " + wrong.encode() + b"\\tpost-checkout\\n").decode().strip()
    tree = git("mktree", input=b"040000 tree " + tree.encode() + b"\\t.githooks\\n").decode().strip()
    content = b"tree " + tree.encode() + b"\\nauthor a <a@a> 1 +0000\\ncommitter a <a@a> 1 +0000\\n\\nx\\n"
elif what == "packed":
    target = name("topic:.githooks/post-checkout")
    git("pack-objects", ".git/objects/pack/pack", input=wrong.encode())
    (table,) = glob.glob(".git/objects/pack/*.idx")
    raw = bytearray(open(table, "rb").read())
    for first in range(256):
        struct.pack_into(">I", raw, 8 + first * 4, first >= int(target[:2], 16))
    raw[1032:1052] = bytes.fromhex(target)
    raw[-20:] = hashlib.sha1(raw[:-20]).digest()
    os.chmod(table, 0o644)
    open(table, "wb").write(raw)
if what != "packed":
    os.chmod(place(target), 0o644)
    open(place(target), "wb").write(zlib.compress(kind + b" %d\\0" % len(content) + content))
else:
    os.unlink(place(target))
open("../done", "w")
"""


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        scene = Scene(base)
        scene.outside(PERSON)
        yield scene


def looked(scene: Scene, script: str) -> str:
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        command = ["bash", "-c", script]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
        guard.check()
        guard.close()
        assert not guard.unfinished
    return " ".join(guard.reports())


@pytest.mark.parametrize("what", ["blob", "tree", "commit", "packed"])
def test_a_branch_holds_what_its_hash_says(scene: Scene, what: str) -> None:
    (scene.base / "lie.py").write_text(LIE.replace("{canary}", str(scene.canary)))
    told = looked(scene, f"python3 ../lie.py {what}")
    assert (scene.base / "done").exists()
    for verb in ("checkout topic", "status"):
        command = ["git", "-c", "safe.directory=*", *verb.split()]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
    assert os.listdir(scene.canary) == []
    assert "objects that are other than their names say" in told


ORDINARY = """
G="git -c core.hooksPath=/"; $G clone -q . copy; head -c 3000000 /dev/zero > zero; $G add zero; $G commit -qm zero
for i in $(seq 30); do echo $i > file; $G commit -qam $i; done; $G repack -adq; $G gc -q; $G tag -a x -m x; $G fsck
git init -q --object-format=sha256 long; cd long; git config user.name P; git config user.email p@e; echo 1 > 1
$G add 1; $G commit -qm 1; $G repack -adq; echo 2 > 2; $G add 2; $G commit -qm 2
"""


def test_what_git_has_written_stays(scene: Scene) -> None:
    assert looked(scene, ORDINARY) == ""
    for folder in (".", "copy", "long"):
        assert scene.git("-C", folder, "fsck", "--no-dangling") == ""


def test_a_hole_in_a_small_object_is_not_unpacked(scene: Scene) -> None:
    told = looked(
        scene,
        "mkdir -p .git/objects/ab; python3 -c 'import sys, zlib; c = zlib.compressobj();"
        ' sys.stdout.buffer.write(c.compress(b"blob 200000000\\0") + c.compress(bytes(200000000)) + c.flush())\''
        " > .git/objects/ab/$(printf '%038d' 0)",
    )
    assert ".git/objects/ab/" in told


def test_a_loose_object_that_was_there_before_is_not_read_again(scene: Scene) -> None:
    """It may be one of hundreds of thousands."""
    (there,) = [
        each
        for each in (scene.folder / ".git/objects").glob("??/*")
        if each.parent.name + each.name == scene.git("rev-parse", "topic").strip()
    ]
    there.chmod(0o644)
    there.write_bytes(b"broken long ago")
    assert looked(scene, "true") == ""
    assert there.read_bytes() == b"broken long ago"


@pytest.mark.parametrize(
    "missing",
    [("_PROGRAMS", "/nowhere"), ("_LIMITED", 'ulimit -v 25000; exec "$@"')],
    ids=["git", "memory"],
)
def test_a_pack_that_cannot_be_checked_stays_and_stops_commands(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, str]
) -> None:
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        scene.outside(
            "head -c 30000000 /dev/urandom > file; git -c core.compression=0 commit -qam 2;"
            " git -c core.compression=0 repack -adq"
        )
        with monkeypatch.context() as patched:
            patched.setattr(stores, *missing)
            guard.check()
        assert "could not be run" in guard.unfinished
        assert scene.git("fsck", "--no-dangling") == ""
        guard.check()
        assert not guard.unfinished
        guard.close()
