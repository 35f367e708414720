"""A file that is written whole or not at all: a crash, or a full disk, leaves the old one as it was."""

import fcntl
import os
import secrets
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from bottega.errors import Misconfigured, StorageFailed
from bottega.failpoint import failpoint


class Versioned(Protocol):
    @property
    def version(self) -> int: ...


V = TypeVar("V", bound=Versioned)


def read_whole(path: Path, fresh: V, called: str, hint: str) -> V:
    """What such a file of JSON holds; `fresh` where there is none.

    Refuses one that is damaged, with that hint, and one of a later version than `fresh` is.
    """
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=type(fresh))
    except FileNotFoundError:
        return fresh
    except OSError as error:
        raise unusable(path, error) from error
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise Misconfigured(f"The {called} {str(path)!r} is damaged.", hint=hint) from None
    if stored.version > fresh.version:
        raise Misconfigured(
            f"The {called} {str(path)!r} was written by a newer version of Bottega.",
            hint="Upgrade Bottega.",
        )
    return stored


def write_whole(path: Path, pieces: Iterable[bytes], mode: int = 0o600) -> None:
    """Put a new file in place of `path`; who may read an old one still may, a new one has `mode`."""
    path = path.resolve()
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")  # each writer its own
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else mode
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            failpoint("whole.before_sync")
            os.fsync(file.fileno())
        fresh.chmod(mode)
        failpoint("whole.before_rename")
        fresh.rename(path)
        failpoint("whole.after_rename")
        _sync(path.parent)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise StorageFailed(
            f"The file {str(path)!r} could not be written: {error.strerror or error}.",
            hint="Nothing of it was changed. Check the folder, its rights and the space on the disk.",
        ) from error
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


@contextmanager
def alone(lock_file: Path) -> Generator[None]:
    """Hold this lock, so that nobody else changes what it guards; the kernel lets go of it when the process ends."""
    try:
        lock_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unusable(lock_file, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def unusable(path: Path, error: OSError) -> StorageFailed:
    return StorageFailed(
        f"The file {str(path)!r} cannot be used: {error.strerror or 'it failed'}.",
        hint="Check the folder's owner, its mode and the space on the disk.",
    )


def _sync(folder: Path) -> None:
    """Make the new name durable too."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
