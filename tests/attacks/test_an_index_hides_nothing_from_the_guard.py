"""Severity: high (H1, its kind). An index that the guard takes for harmless and git reads as another one: by its
lengths, its tables, its hashes, the index that it is based on, or because it changes where no time of the file tells.
"""

import hashlib
import os
import resource
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents.index import is_plain
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.sandbox.sandbox import Launch
from tests.attacks import indexes
from tests.attacks.indexes import HOOK, entry, extension, git, whole
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import line_of


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        scene = Scene(base)
        git(scene.folder, "config", "--unset", "core.hooksPath")
        yield scene


def _length(folder: Path, canary: Path) -> None:
    oid = indexes.hook(folder, canary)
    (folder / ".git" / "index").write_bytes(indexes.hides_by_length(oid))


def _table(folder: Path, canary: Path) -> None:
    oid = indexes.hook(folder, canary)
    (folder / ".git" / "index").write_bytes(indexes.hides_by_table(oid))


def _split(folder: Path, canary: Path) -> None:
    indexes.split(folder / ".git", indexes.hook(folder, canary))


def _hashes(folder: Path, canary: Path) -> None:
    indexes.sha256_worktree(folder / "n", canary)


PLANTS: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "a name that is longer than it looks": (_length, "."),
    "a table that leads elsewhere": (_table, "."),
    "the index that it is based on": (_split, "."),
    "hashes of a repository elsewhere": (_hashes, "n/w"),
}


@pytest.mark.parametrize("way", PLANTS)
@pytest.mark.parametrize("guarded", [True, False])
def test_the_persons_next_checkout_runs_nothing(scene: Scene, way: str, guarded: bool) -> None:
    """Without a guard each of them runs: git reads them so."""
    plant, place = PLANTS[way]
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        plant(scene.folder, scene.canary)
        if guarded:
            guard.close()
            assert "index" in " ".join(guard.reports())
        threads = ("-c", "index.threads=4")
        indexes.checks_out(scene.folder / place, *threads)
        indexes.checks_out(scene.folder / place, *threads)  # the hook is there by now
        guard.close()
    assert os.listdir(scene.canary) == ([] if guarded else ["ran"])


def test_what_was_harmless_is_judged_again_when_the_repository_changes(scene: Scene) -> None:
    """The same bytes are another index to a repository with longer hashes."""
    folder = scene.folder / "n"
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        git(scene.folder, "init", "-q", "n")
        (folder / ".git" / "index").write_bytes(whole([entry(b"a" * 10 + b"\x80\x18" + HOOK)]))
        guard.check()
        assert (folder / ".git" / "index").exists()
        git(folder, "config", "core.repositoryformatversion", "1")
        git(folder, "config", "extensions.objectformat", "sha256")
        guard.close()
    assert not (folder / ".git" / "index").exists()


MAPPED = """
import mmap, os, sys
good, bad = (open(each, "rb").read() for each in sys.argv[1:3])
assert len(good) == len(bad)
file = os.open(".git/index.new", os.O_RDWR | os.O_CREAT)
os.write(file, good); os.fsync(file); os.rename(".git/index.new", ".git/index")
there = mmap.mmap(file, len(good)); there[:] = good
before = os.fstat(file)
print("mapped", flush=True)
sys.stdin.readline()
there[:] = bad
after = os.fstat(file)
print((before.st_mtime_ns, before.st_ctime_ns) == (after.st_mtime_ns, after.st_ctime_ns), flush=True)
sys.stdin.readline()
"""


@needs_bubblewrap
async def test_a_store_into_mapped_memory_is_seen_though_no_time_changes(scene: Scene) -> None:
    oid = indexes.hook(scene.folder, scene.canary)
    for name, path in (("good", HOOK.replace(b".", b"-", 1)), ("bad", HOOK)):
        (scene.folder / name).write_bytes(whole([entry(path, oid)]))
    sandbox = await scene.local().open(Root(scene.folder))
    python = rooms.python_in(scene.folder)
    program = await sandbox.start(Launch((python, "-c", MAPPED, "good", "bad"), feed=True))
    assert await line_of(program) == "mapped"
    assert await sandbox.undone() == ()
    os.write(program.stdin, b"\n")
    assert await line_of(program) == "True"
    await sandbox.close()
    rooms.dropped(program)
    assert not (scene.folder / ".git" / "index").exists()
    assert ".git/index" in " ".join(await sandbox.undone())


def test_an_index_that_was_there_before_stays_whatever_it_is(scene: Scene) -> None:
    index = scene.folder / ".git" / "index"
    odd = whole([entry(b"a")], extension(b"ZZZZ", b"of a later git"))
    index.write_bytes(odd)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        guard.check()
        assert index.read_bytes() == odd
        index.write_bytes(whole([entry(b"b")], extension(b"ZZZZ", b"of a later git")))
        guard.close()
    assert index.read_bytes() == odd


ODD = {
    "a length that is too short": whole([entry(b"abc", flags=2)]),
    "a length that is too long": whole([entry(b"abc", flags=4)]),
    "a long length for a short name": whole([entry(b"abc", flags=0xFFF)]),
    "padding that says something": whole([entry(b"abcd")[:-1] + b"x"]),
    "names out of order": whole([entry(b"b"), entry(b"a")]),
    "a name twice": whole([entry(b"a"), entry(b"a")]),
    "a name of nothing": whole([entry(b"")]),
    "a folder that is a file": whole([entry(b"a/")]),
    "a mode of nothing": whole([entry(b"a", mode=0o100777)]),
    "flags that its version does not have": whole([entry(b"a", flags=0x4001)]),
    "bytes between entries and what follows": whole([entry(b"a")], entry(HOOK)),
    "more entries than there are": whole([entry(b"a")], count=2),
    "fewer entries than there are": whole([entry(b"a"), entry(b"b")], count=1),
    "an extension that nobody knows": whole([entry(b"a")], extension(b"ABCD", b"")),
    "an extension that is too long": whole([entry(b"a")], b"TREE" + struct.pack(">I", 99)),
    "an extension twice": whole([entry(b"a")], extension(b"TREE", b"") * 2),
    "an end that is elsewhere": whole(
        [entry(b"a")], extension(b"EOIE", struct.pack(">I", 12) + hashlib.sha1(b"").digest())
    ),
    "a conflict about git's own files": whole(
        [entry(b"a")], extension(b"REUC", HOOK + b"\0" + b"0\0" * 3)
    ),
    "words for the program that watches": whole(
        [entry(b"a")], extension(b"FSMN", struct.pack(">I", 2) + b'x","y\0' + bytes(8))
    ),
    "a wrong sum": whole([entry(b"a")])[:-1] + b"x",
    "long hashes": whole([entry(b"a", bytes(32))], hash_name="sha256"),
    "no sum, and a hook": whole([entry(HOOK)], summed=False),
}


@pytest.mark.parametrize("what", ODD)
def test_what_could_be_read_in_two_ways_is_not_plain(what: str) -> None:
    assert not is_plain(ODD[what])
    assert is_plain(whole([entry(b"a"), entry(b"b")]))
    assert is_plain(whole([entry(b"a" * 5000)], summed=False))


def test_only_the_short_name_that_git_refuses_is_gits() -> None:
    for name in (b"git~12", b"a/git~2/x", b"GIT~10"):
        assert is_plain(whole([entry(name)])), name
    for name in (b"git~1", b"a/GIT~1/hooks/x", b"git~1 ./x", b"git~1::$INDEX_ALLOCATION/x"):
        assert not is_plain(whole([entry(name)])), name


def test_a_hole_of_many_megabytes_is_not_read(scene: Scene) -> None:
    """It costs no disk, and would cost as much memory as it is long, for each session."""
    index = scene.folder / ".git" / "index"
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        for head in (struct.pack(">4sII", b"DIRC", 2, 4_000_000), b""):
            index.write_bytes(head)
            os.truncate(index, 250 << 20)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            guard.check()
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 << 10
            assert not index.exists()
        guard.close()


MADE = {
    "plain": ":",
    "with a table": "git -c index.threads=2 -c index.recordEndOfIndexEntries=true update-index --force-write-index",
    "split": "git update-index --split-index; echo x > d/new; git add d/new; echo y >> d/0; git add d/0",
    "watched": "git update-index --untracked-cache",
    "sparse": "git sparse-checkout set --cone --sparse-index d",
    "in conflict": "git checkout -qb o HEAD~1; echo z > d/0; git commit -qam z; git merge main || :",
    "resolved": "git checkout -qb o HEAD~1; echo z > d/0; git commit -qam z; git merge main || :; git add d/0",
}


@pytest.mark.parametrize("way", MADE)
@pytest.mark.parametrize("version", ["2", "4"])
def test_what_git_itself_writes_is_plain(tmp_path: Path, way: str, version: str) -> None:
    script = f"""
    git init -q -b main .; git config user.name x; git config user.email x@x; export GIT_INDEX_VERSION={version}
    mkdir d e; for i in 0 1 2 3 4; do echo $i > d/$i; echo $i > e/$i-long; done; git add -A; git commit -qm 1
    echo 9 > d/0; git commit -qam 2; {MADE[way]}; touch later; git add -N later
    """
    with Root(tmp_path) as root:
        guard = Guard(tmp_path.parent / "state", root)
        guard.open()
        Scene.outside(_At(tmp_path), script)
        guard.close()
        assert all("is under way" in each for each in guard.reports())
    assert (tmp_path / ".git" / "index").exists()
    assert "later" in git(tmp_path, "ls-files")


class _At(Scene):
    def __init__(self, folder: Path) -> None:
        self.folder = folder
