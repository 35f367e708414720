"""What a look at a workspace has found, and how it is written down so that another process can go on from it."""

import os
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

from bottega.errors import StorageFailed

_MB = 1024 * 1024


class Caps(msgspec.Struct, frozen=True):
    """How much is kept; what is beyond is named, and cannot be undone."""

    files: int = 20_000
    file: int = 2 * _MB
    """Bytes of one file."""
    total: int = 256 * _MB
    """Bytes of all files together."""
    changes: int = 1_000
    """Files that one command may change."""
    named: int = 100
    """Files that are named because they are beyond."""


class Known(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file as it was when it was read."""

    modified: int
    changed: int
    """0: it was read so soon after a change that another one may have gone unseen."""
    size: int
    inode: int
    mode: int
    sha: str = ""
    """Empty: it was too much to keep."""

    def is_still(self, found: os.stat_result) -> bool:
        return (
            self.changed == found.st_ctime_ns
            and self.modified == found.st_mtime_ns
            and self.size == found.st_size
            and self.inode == found.st_ino
        )


class Manifest(msgspec.Struct, frozen=True):
    files: dict[str, Known] = {}
    odd: tuple[str, ...] = ()
    """Files whose names are no text, with what is none replaced."""
    whole: bool = True
    taken: int = 0
    """When the look began, in nanoseconds since 1970."""
    copied: int = 0
    """Copies made since the last time that old ones were dropped."""


_decode = msgspec.msgpack.Decoder(Manifest).decode
_encode = msgspec.msgpack.Encoder().encode


def load(path: Path) -> Manifest | None:
    """What was written there; None: nothing that can be read."""
    try:
        return _decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return None


def save(path: Path, manifest: Manifest) -> None:
    """Whole or not at all; a power cut may take it, as it would take the command that was watched."""
    part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.write_bytes(_encode(manifest))
        part.rename(path)
    except OSError as problem:
        with suppress(OSError):
            part.unlink()
        raise StorageFailed(
            f"What the workspace looks like could not be written to {str(path)!r}:"
            f" {problem.strerror}.",
            hint="Make the home writable and free some space there.",
        ) from problem
