"""Blobs: whole or not there, and never other bytes than their name says."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from bottega.errors import NotFound, StorageFailed
from bottega.storage.blobs import Blobs
from tests.processes import run

BYTES = b"a picture" * 10_000
NAME = hashlib.sha256(BYTES).hexdigest()

KEEP = """
    import sys
    from pathlib import Path
    from bottega.storage.blobs import Blobs
    print(Blobs(Path(sys.argv[1])).keep(b"a picture" * 10_000))
    """


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path)


def test_what_is_kept_is_read_back(blobs: Blobs, tmp_path: Path) -> None:
    assert blobs.keep(BYTES) == NAME
    assert blobs.keep(BYTES) == NAME
    assert blobs.read(NAME) == BYTES
    assert blobs.has(NAME)
    assert blobs.names() == {NAME}
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


@pytest.mark.chaos
def test_a_kill_leaves_the_whole_blob_or_none(blobs: Blobs, tmp_path: Path) -> None:
    process = run(KEEP, tmp_path, failpoints="blobs.before_sync=kill@1")
    assert process.returncode == -9
    assert blobs.names() == set()
    assert len(blobs.parts()) == 1
    assert run(KEEP, tmp_path).stdout.strip() == NAME
    assert blobs.read(NAME) == BYTES


def test_a_full_disk_leaves_no_part_behind(tmp_path: Path) -> None:
    process = run(KEEP, tmp_path, failpoints="blobs.before_sync=error@1")
    assert "is full" in process.stderr
    assert list(tmp_path.iterdir()) == []


def test_damaged_bytes_are_refused_and_mended_by_keeping_them_again(
    blobs: Blobs, tmp_path: Path
) -> None:
    blobs.keep(BYTES)
    (tmp_path / NAME).write_bytes(BYTES[:-1])
    with pytest.raises(StorageFailed, match="damaged") as damaged:
        blobs.read(NAME)
    assert damaged.value.hint
    blobs.keep(BYTES)
    assert blobs.read(NAME) == BYTES


@pytest.mark.parametrize(
    "name", ["", ".", "../bottega.db", "/etc/passwd", NAME.upper(), NAME + "0"]
)
def test_only_a_hash_names_a_blob(blobs: Blobs, tmp_path: Path, name: str) -> None:
    (tmp_path.parent / "bottega.db").write_text("not yours")
    with pytest.raises(NotFound):
        blobs.read(name)
    with pytest.raises(NotFound):
        blobs.drop(name)
    assert (tmp_path.parent / "bottega.db").exists()


def test_threads_that_keep_the_same_bytes_do_not_disturb_each_other(blobs: Blobs) -> None:
    start = threading.Barrier(8)
    failures: list[BaseException] = []

    def keep() -> None:
        try:
            start.wait(5)
            assert blobs.keep(BYTES) == NAME
            assert blobs.read(NAME) == BYTES
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=keep) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert blobs.parts() == []


def test_dropping_is_harmless_when_it_is_gone(blobs: Blobs) -> None:
    blobs.keep(BYTES)
    blobs.drop(NAME)
    blobs.drop(NAME)
    with pytest.raises(NotFound):
        blobs.read(NAME)


def test_blobs_are_told_apart_by_age(blobs: Blobs, tmp_path: Path) -> None:
    old, new = blobs.keep(b"old"), blobs.keep(b"new")
    os.utime(tmp_path / old, (1_000, 1_000))
    assert blobs.names() == {old, new}
    assert blobs.names(before=2_000) == {old}
