"""A file is written whole or not at all."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import StorageFailed
from bottega.storage.whole import write_whole


def test_a_new_file_is_its_owners_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("before")
    old.chmod(0o644)

    write_whole(new, [b"a", b"b"])
    write_whole(old, [b"after"])

    assert new.read_bytes() == b"ab"
    assert old.read_bytes() == b"after"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (new, old)] == [0o600, 0o644]


def test_a_failure_on_the_way_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, pieces())

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="could not be written"):
        write_whole(tmp_path / "no" / "file", [b"x"])


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)

    write_whole(link, [b"after"])

    assert link.is_symlink()
    assert target.read_text() == "after"


def test_two_who_write_at_once_write_one_whole_file_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def pieces() -> Iterator[bytes]:
        yield b"one "
        write_whole(path, [b"the other"])
        assert path.read_bytes() == b"the other"
        yield b"of them"

    write_whole(path, pieces())
    assert path.read_bytes() == b"one of them"
    assert list(tmp_path.iterdir()) == [path]
