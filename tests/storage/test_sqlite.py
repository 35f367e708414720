"""What SQLite and the file system complain about, in words that name the next step."""

import errno
import sqlite3
import stat
from pathlib import Path

import pytest

from bottega.errors import StorageFailed
from bottega.storage.sqlite import connect, explain

PATH = Path("/somewhere/bottega.db")


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (sqlite3.OperationalError("database or disk is full"), "is full"),
        (OSError(errno.ENOSPC, "No space left on device"), "is full"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "is full"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "read-only"),
        (OSError(errno.EROFS, "Read-only file system"), "read-only"),
        (PermissionError(errno.EACCES, "Permission denied"), "read-only"),
        (sqlite3.OperationalError("database is locked"), "locked"),
        (sqlite3.DatabaseError("file is not a database"), "damaged"),
        (sqlite3.DatabaseError("database disk image is malformed"), "damaged"),
        (sqlite3.OperationalError("unable to open database file"), "cannot be opened"),
    ],
)
def test_a_failure_names_its_cause_and_the_next_step(error: Exception, word: str) -> None:
    failed = explain(error, PATH)
    assert word in failed.message
    assert str(PATH) in failed.message
    assert failed.hint


def test_words_in_the_name_of_a_file_are_no_cause() -> None:
    error = FileNotFoundError(errno.ENOENT, "No such file or directory", "/home/full/locked.db")
    message = explain(error, PATH).message
    assert "is full" not in message
    assert "kept the database" not in message


def test_a_missing_folder_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be opened"):
        connect(tmp_path / "nowhere" / "bottega.db")


def test_a_read_only_connection_reads_and_never_writes(tmp_path: Path) -> None:
    path = tmp_path / "odd name?#.db"
    writing = connect(path)
    writing.execute("CREATE TABLE notes (text TEXT)")
    reading = connect(path, read_only=True)
    assert reading.execute("SELECT * FROM notes").fetchall() == []
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reading.execute("INSERT INTO notes VALUES ('x')")
    reading.close()
    writing.close()


def test_commits_survive_a_power_cut(tmp_path: Path) -> None:
    connection = connect(tmp_path / "a.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    connection.close()


def test_a_new_database_is_its_owners_alone_whatever_folder_it_is_in(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    connection = connect(tmp_path / "new.db")
    connection.execute("CREATE TABLE t (x)")
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    connection.close()
    assert modes == {"new.db": 0o600, "new.db-wal": 0o600, "new.db-shm": 0o600}
