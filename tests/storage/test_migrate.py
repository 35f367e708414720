"""Migrations: in order, one at a time, with a backup, and whole or not at all."""

import os
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bottega.errors import NewerSchema, StorageFailed
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.storage.migrate import Migration, backup, version
from tests.processes import run, running

ONE = Migration(1, "notes", "CREATE TABLE notes (text TEXT);")
TWO = Migration(2, "at", "ALTER TABLE notes ADD at INTEGER; UPDATE notes SET at = 7;")
THREE = Migration(3, "by", "ALTER TABLE notes ADD by TEXT;")
BROKEN = Migration(2, "broken", "ALTER TABLE notes ADD at INTEGER; SELECT nonsense;")

STAY = """
    import sys
    from pathlib import Path
    from bottega.storage.home import Home
    home = Home(Path(sys.argv[1]))
    home.enter()
    print("here", flush=True)
    sys.stdin.read()
    """

MIGRATE = """
    import sys
    from pathlib import Path
    from bottega.storage.database import Database
    from bottega.storage.home import Home
    from bottega.storage.migrate import Migration
    Database.open(Home(Path(sys.argv[1])), (
        Migration(1, "notes", "CREATE TABLE notes (text TEXT);"),
        Migration(2, "at", "ALTER TABLE notes ADD at INTEGER; UPDATE notes SET at = 7;"),
    )).close()
    print("done")
    """


def rows(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return connection.execute("SELECT * FROM notes ORDER BY text").fetchall()
    finally:
        connection.close()


def with_a_note(home: Home) -> None:
    Database.open(home, (ONE,)).close()
    connection = sqlite3.connect(home.database)
    connection.execute("INSERT INTO notes VALUES ('kept')")
    connection.commit()
    connection.close()


def test_a_new_home_gets_every_migration_and_no_backup(home: Home) -> None:
    Database.open(home, (ONE, TWO, THREE)).close()
    assert version(home) == 3
    assert list(home.backups.iterdir()) == []


def test_each_migration_of_an_old_home_has_a_backup_before_it(home: Home) -> None:
    with_a_note(home)
    Database.open(home, (ONE, TWO, THREE)).close()
    assert rows(home.database) == [("kept", 7, None)]
    before_two, before_three = sorted(home.backups.iterdir(), key=lambda path: path.name[-7:])
    assert "before-0002" in before_two.name
    assert "before-0003" in before_three.name
    assert rows(before_two) == [("kept",)]
    assert rows(before_three) == [("kept", 7)]


def test_an_up_to_date_home_is_left_as_it_is(home: Home) -> None:
    with_a_note(home)
    Database.open(home, (ONE,)).close()
    assert list(home.backups.iterdir()) == []


def test_a_migration_that_fails_leaves_the_old_schema(home: Home) -> None:
    with_a_note(home)
    with pytest.raises(StorageFailed):
        Database.open(home, (ONE, BROKEN))
    assert version(home) == 1
    assert rows(home.database) == [("kept",)]
    Database.open(home, (ONE, TWO)).close()
    assert rows(home.database) == [("kept", 7)]


def test_a_newer_schema_is_refused_and_not_touched(home: Home) -> None:
    Database.open(home, (ONE, TWO, THREE)).close()
    with pytest.raises(NewerSchema, match="schema 3") as refused:
        Database.open(home, (ONE, TWO))
    assert refused.value.hint
    assert version(home) == 3


def test_no_migration_while_another_process_is_in_the_home(home: Home) -> None:
    with_a_note(home)
    with running(STAY, home.path):
        with pytest.raises(StorageFailed, match="other programs") as refused:
            Database.open(home, (ONE, TWO))
        assert "Stop" in refused.value.hint
        assert version(home) == 1
        Database.open(home, (ONE,)).close()
    Database.open(home, (ONE, TWO)).close()
    assert version(home) == 2


@pytest.mark.chaos
@pytest.mark.parametrize(
    ("failpoints", "expected"),
    [("migrate.before_commit=kill@1", [("kept",)]), ("", [("kept", 7)])],
)
def test_a_kill_in_a_migration_leaves_the_old_or_the_new(
    home: Home, failpoints: str, expected: list[tuple[object, ...]]
) -> None:
    with_a_note(home)
    process = run(MIGRATE, home.path, failpoints=failpoints)
    assert process.stdout == ("" if failpoints else "done\n"), process.stderr
    assert rows(home.database) == expected
    Database.open(home, (ONE, TWO)).close()
    assert rows(home.database) == [("kept", 7)]


@pytest.mark.chaos
def test_a_kill_in_the_first_migration_leaves_a_home_that_opens(home: Home) -> None:
    run(MIGRATE, home.path, failpoints="migrate.before_commit=kill@1")
    assert version(home) == 0
    Database.open(home, (ONE, TWO)).close()
    assert version(home) == 2


def test_processes_that_open_a_new_home_at_once_all_get_in(home: Home) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(MIGRATE), str(home.path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        for _ in range(3)
    ]
    for process in started:
        out, err = process.communicate(timeout=20)
        assert out == "done\n", err
    assert version(home) == 2


def test_a_backup_is_whole_while_others_write(home: Home) -> None:
    with_a_note(home)
    writing = sqlite3.connect(home.database, isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("INSERT INTO notes VALUES ('not yet')")
    path = backup(home, "by-hand")
    writing.execute("COMMIT")
    writing.close()
    assert rows(path) == [("kept",)]
    assert path.stat().st_mode & 0o077 == 0
    assert [p.name for p in home.backups.iterdir()] == [path.name], "no part and no journal is left"


def test_a_backup_of_a_damaged_database_fails_and_leaves_nothing(home: Home) -> None:
    with_a_note(home)
    home.database.write_bytes(b"this is no database, whatever it is called" * 200)
    with pytest.raises(StorageFailed, match="damaged"):
        backup(home, "by-hand")
    assert list(home.backups.iterdir()) == []


def test_a_damaged_database_is_said_to_be_damaged(home: Home) -> None:
    with_a_note(home)
    home.database.write_bytes(b"this is no database, whatever it is called" * 200)
    with pytest.raises(StorageFailed, match="damaged") as failed:
        Database.open(home, (ONE,))
    assert "backup" in failed.value.hint
