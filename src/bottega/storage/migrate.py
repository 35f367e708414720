"""Numbered migrations: each in one transaction, with a backup before it, and only by a process that is alone."""

import sqlite3
import time
from pathlib import Path

import msgspec

from bottega.errors import NewerSchema, StorageFailed
from bottega.failpoint import failpoint
from bottega.storage.home import Home
from bottega.storage.sqlite import connect, explain, sync_folder


class Migration(msgspec.Struct, frozen=True):
    number: int
    name: str
    sql: str


def migrate(home: Home, migrations: tuple[Migration, ...]) -> None:
    """Bring the database of `home` to the newest schema; refuse one that is newer than this program."""
    newest = migrations[-1].number
    current = version(home)
    if current == newest:
        return
    if current > newest:
        raise NewerSchema(
            f"The database in {str(home.path)!r} has schema {current}; "
            f"this program knows schemas up to {newest}.",
            hint="Use the newer bottega that wrote it, or another BOTTEGA_HOME.",
        )
    if not home.alone():
        home.together()
        if version(home) == newest:
            return
        raise StorageFailed(
            f"The database in {str(home.path)!r} must be brought up to date, but other programs use it.",
            hint="Stop every running bottega, then run the same command again.",
        )
    try:
        _apply(home, migrations)
    finally:
        home.together()


def version(home: Home) -> int:
    """The number of the last migration that was applied; 0 for a database that does not exist."""
    if not home.database.exists():
        return 0
    connection = connect(home.database)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise explain(error, home.database) from error
    finally:
        connection.close()


def _apply(home: Home, migrations: tuple[Migration, ...]) -> None:
    # Asked again: another process may have done it while this one waited to be alone.
    current = version(home)
    for migration in migrations:
        if migration.number > current:
            if current:  # a home that was made just now has nothing to lose
                backup(home, f"before-{migration.number:04}")
            _step(home, migration)


def _step(home: Home, migration: Migration) -> None:
    connection = connect(home.database)
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{migration.sql}\nPRAGMA user_version = {migration.number};"
        )
        failpoint("migrate.before_commit")
        connection.execute("COMMIT")
    except (sqlite3.Error, OSError) as error:
        raise explain(error, home.database) from error
    finally:
        connection.close()


def backup(home: Home, name: str) -> Path:
    """Write a whole, consistent copy of the database to `home/backups`; others may go on meanwhile."""
    home.backups.mkdir(exist_ok=True, mode=0o700)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    path = home.backups / f"bottega-{stamp}-{name}.db"
    part = path.with_suffix(".part")
    source, target = connect(home.database), sqlite3.connect(part)
    try:
        source.backup(target, pages=1024)
        target.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        part.unlink(missing_ok=True)
        raise explain(error, part) from error
    finally:
        target.close()
        source.close()
    part.chmod(0o600)
    part.rename(path)
    sync_folder(home.backups)
    return path
