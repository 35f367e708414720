"""Connections to SQLite, set up alike everywhere, and its failures said in words that name the next step."""

import os
import sqlite3
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path

from bottega.errors import StorageFailed

BUSY_MS = 10_000
"""How long a statement waits for another process before it gives up."""


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode: transactions are begun by hand."""
    connection: sqlite3.Connection | None = None
    try:
        if not read_only:
            _make_private(path)
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro" if read_only else path,
            uri=read_only,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_MS / 1000,
            cached_statements=256,
        )
        connection.execute("PRAGMA foreign_keys = ON")
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            # FULL: what a client has seen survives a power cut, not only a kill.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA journal_size_limit = 67108864")
    except sqlite3.Error as error:
        if connection:
            connection.close()
        raise explain(error, path) from error
    return connection


def _make_private(path: Path) -> None:
    """Nobody but its owner reads a new database, whatever folder it is in; what SQLite puts beside it is like it.

    One that is there is left alone: to open it and close it again would take away the locks of this process.
    """
    with suppress(OSError):  # SQLite says what is wrong
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def explain(error: Exception, path: Path) -> StorageFailed:
    """What an error of SQLite or of the file system means for the person who sees it."""
    # An OSError's own text names the file, whose name may hold any word.
    text = (error.strerror or "" if isinstance(error, OSError) else str(error)).lower()
    if "full" in text or getattr(error, "errno", None) in (ENOSPC, EDQUOT):
        return StorageFailed(
            f"The disk that holds {str(path)!r} is full; nothing of this step was stored.",
            hint="Free some space and run the same command again.",
        )
    if "readonly" in text or "read-only" in text or isinstance(error, PermissionError):
        return StorageFailed(
            f"The database {str(path)!r} cannot be written: it, or its folder, is read-only.",
            hint="Make it writable, or point BOTTEGA_HOME at another folder.",
        )
    if "locked" in text or "busy" in text:
        return StorageFailed(
            f"Another program has kept the database {str(path)!r} locked for {BUSY_MS // 1000} s.",
            hint="Close what has it open (`fuser` names it), then run the same command again.",
        )
    if "not a database" in text or "malformed" in text:
        return StorageFailed(
            f"The file {str(path)!r} is damaged, or is no Bottega database.",
            hint="`bottega db check` says more, `bottega db backup --help` how to go back to a backup.",
        )
    if "unable to open" in text:
        return StorageFailed(
            f"The database {str(path)!r} cannot be opened.",
            hint="Check that the folder exists and that you may write to it.",
        )
    return StorageFailed(f"The database {str(path)!r} failed: {error}.")


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
