"""Disks that are full or read-only, files of others, and links that are swapped while a change is made."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import Problem
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Fence
from tests.hunt import examples
from tests.processes import run
from tests.workspaces.changes.conftest import tree

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")

TRY = """
    import os, sys
    from pathlib import Path
    from bottega.errors import Problem
    from bottega.workspaces.changes.apply import apply
    from bottega.workspaces.confine import Root
    from bottega.workspaces.edit import Change, Edit
    from bottega.workspaces.fence import Fence

    folder, state, user = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    Root(folder).close()  # all that is imported late is imported here: the other user may not
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    with Root(folder) as root:
        for spec in sys.argv[4:]:
            names = spec.split("+")
            edits = tuple(
                Edit(n, (folder / n).read_bytes() if (folder / n).exists() else None, b"new" * 100_000)
                for n in names
            )
            try:
                apply(root, Change(edits), Fence(state))
                print("made")
            except Problem as problem:
                print(problem.code, str(problem))
    """


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that everybody can reach, with one beneath it for the workspace and one for the state."""
    place = Path(tempfile.mkdtemp(prefix="files-"))
    place.chmod(0o755)
    (place / "ws").mkdir()
    (place / "state").mkdir()
    (place / "state").chmod(0o777)
    yield place
    shutil.rmtree(place)


@ROOT_ONLY
def test_a_folder_or_file_of_somebody_else_is_said_and_left(open_place: Path) -> None:
    work = open_place / "ws"
    work.chmod(0o777)
    (work / "theirs").mkdir()
    (work / "theirs" / "kept.txt").write_text("kept")
    (work / "read-only.txt").write_text("mine alone")
    (work / "secret.txt").write_text("mine alone")
    (work / "secret.txt").chmod(0o600)
    before = tree(work)

    specs = ("theirs/new.txt", "theirs/kept.txt", "own.txt+theirs/new.txt", "read-only.txt")
    done = run(TRY, work, open_place / "state", "65534", *specs)

    assert [line.split()[0] for line in done.stdout.splitlines()] == ["no_permission"] * 4, done
    assert tree(work) == before


@ROOT_ONLY
def test_somebody_who_may_write_keeps_the_file_writable_for_others(open_place: Path) -> None:
    work = open_place / "ws"
    work.chmod(0o777)
    (work / "for-all.txt").write_text("x")
    (work / "for-all.txt").chmod(0o666)

    done = run(TRY, work, open_place / "state", "65534", "for-all.txt")
    assert done.stdout == "made\n", done
    assert (work / "for-all.txt").stat().st_mode & 0o777 == 0o666


def mounted(script: str) -> str:
    """Run a shell script as root of a mount space of its own; skip where that is not allowed."""
    unshare = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-Urm")
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount in a name space of their own")
    done = subprocess.run(
        [*unshare, "sh", "-ec", script],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, "TRY": textwrap.dedent(TRY)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_full_disk_is_said_and_leaves_every_file_as_it_was(open_place: Path) -> None:
    work, state = open_place / "ws", open_place / "state"
    told = mounted(
        f"""
        mount -t tmpfs -o size=700k tmpfs {work}
        echo old >{work}/a; echo old >{work}/b; echo old >{work}/c
        {sys.executable} -c "$TRY" {work} {state} 0 a+b+new/c a
        ls -A {work}; cat {work}/b {work}/c
        """
    )

    full, made, *rest = told.splitlines()
    assert full.startswith("disk_full")
    assert "Free some space" in full
    assert made == "made"
    assert rest == ["a", "b", "c", "old", "old"]


def test_a_workspace_that_became_read_only_is_said(open_place: Path) -> None:
    work, state = open_place / "ws", open_place / "state"
    (work / "a").write_text("old")
    told = mounted(
        f"""
        mount --bind {work} {work}
        mount -o remount,bind,ro {work}
        {sys.executable} -c "$TRY" {work} {state} 0 a new deep/new
        """
    )

    assert [line.split()[0] for line in told.splitlines()] == ["read_only"] * 3
    assert "Make it writable" in told
    assert tree(work) == {"a": b"old"}


def test_a_file_that_is_mounted_in_place_is_said(open_place: Path) -> None:
    work, state = open_place / "ws", open_place / "state"
    (work / "a").write_text("old")
    (work / "held").write_text("old")
    told = mounted(
        f"""
        mount --bind {work}/held {work}/held
        {sys.executable} -c "$TRY" {work} {state} 0 a+held
        cat {work}/a; ls -A {work}
        """
    )

    assert told.startswith("read_only")
    assert told.splitlines()[1:] == ["olda", "held"]


@pytest.mark.fuzz
@pytest.mark.parametrize("walking", [False, True])
def test_a_thief_who_swaps_folders_for_links_gets_nothing_written_outside(
    tmp_path: Path, walking: bool
) -> None:
    inside, outside = tmp_path / "ws", tmp_path / "outside"
    (inside / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "f").write_bytes(b"canary")
    (inside / "link").symlink_to(outside)
    (inside / "src" / "f").write_bytes(b"0")
    stop = threading.Event()

    exchange = ctypes.CDLL(None).renameat2
    pair = [os.fsencode(inside / name) for name in ("src", "link")]

    def swap() -> None:
        while not stop.is_set():
            assert exchange(-100, pair[0], -100, pair[1], 2) == 0
        if (inside / "src").is_symlink():
            exchange(-100, pair[0], -100, pair[1], 2)

    thief = threading.Thread(target=swap)
    thief.start()
    made = refused = 0
    try:
        with Root(inside, walking=walking) as root:
            for turn in range(examples(400, 50_000)):
                edit = Edit("src/f", b"%d" % made, b"%d" % (made + 1))
                fresh = Edit(f"src/new{turn}", None, b"x")
                try:
                    apply(root, Change((edit, fresh)), Fence(tmp_path / "state"))
                    made += 1
                except Problem:
                    refused += 1
            stop.set()
            thief.join()
            apply(root, Change((Edit("src/f", b"%d" % made, b"end"),)), Fence(tmp_path / "state"))
    finally:
        stop.set()
        thief.join()

    assert tree(outside) == {"f": b"canary"}
    assert (inside / "src" / "f").read_bytes() == b"end"
    assert refused
    print(f"{made} made, {refused} refused, 0 outside")
