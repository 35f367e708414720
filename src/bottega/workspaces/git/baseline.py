"""How the repositories of a workspace were before programs could change them; durable, so a crash loses nothing."""

import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from bottega.errors import StorageFailed
from bottega.workspaces.git.files import File

NAME = "baseline"
"""Of its file, in the folder that the sandboxes' state has for a workspace."""
_MOST = 32 << 20
"""Bytes of copies in one baseline."""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    kind: str
    mode: int
    inode: int
    device: int
    sha: str
    content: bytes | None
    """None: too much to keep; then it cannot be put back."""
    guarded: bool = False
    """It was mounted read-only in every sandbox: whoever changed this very file was somebody outside."""

    @classmethod
    def of(cls, file: File, kind: str, *, guarded: bool = False) -> "Kept":
        return cls(kind, file.mode, file.inode, file.device, file.sha, file.content, guarded)

    @classmethod
    def made(cls, kind: str, content: bytes, mode: int) -> "Kept":
        """A file as we have written it."""
        rights = stat.S_IFREG | (stat.S_IMODE(mode) & 0o777)
        return cls(kind, rights, 0, 0, sha256(content).hexdigest(), content)

    def is_still(self, file: File) -> bool:
        same = (self.mode, self.sha) == (file.mode, file.sha)
        return same and bool(self.sha)

    def was_out_of_reach(self, file: File) -> bool:
        return self.guarded and (self.inode, self.device) == (file.inode, file.device)


class Baseline(msgspec.Struct, frozen=True):
    folder: str
    device: int
    inode: int
    files: dict[str, Kept] = {}
    guarded: dict[str, tuple[int, int]] = {}
    """Folders that are mounted read-only in every sandbox, by device and inode."""
    includes: tuple[str, ...] = ()
    """Where settings have ever led to, here: a program may have taken the setting away, and not the person."""
    hooks: tuple[str, ...] = ()
    told: int = 0
    """How far the reports went when it was begun."""


class _Stored(msgspec.Struct, frozen=True):
    """A baseline as it is written: a path is bytes, and need not be text."""

    folder: bytes
    device: int
    inode: int
    files: dict[bytes, Kept] = {}
    guarded: dict[bytes, tuple[int, int]] = {}
    includes: tuple[bytes, ...] = ()
    hooks: tuple[bytes, ...] = ()
    told: int = 0

    @classmethod
    def of(cls, given: Baseline) -> "_Stored":
        return cls(
            os.fsencode(given.folder),
            given.device,
            given.inode,
            {os.fsencode(path): each for path, each in given.files.items()},
            {os.fsencode(path): each for path, each in given.guarded.items()},
            tuple(map(os.fsencode, given.includes)),
            tuple(map(os.fsencode, given.hooks)),
            given.told,
        )

    def baseline(self) -> Baseline:
        return Baseline(
            os.fsdecode(self.folder),
            self.device,
            self.inode,
            {os.fsdecode(path): each for path, each in self.files.items()},
            {os.fsdecode(path): each for path, each in self.guarded.items()},
            tuple(map(os.fsdecode, self.includes)),
            tuple(map(os.fsdecode, self.hooks)),
            self.told,
        )


_decode = msgspec.msgpack.Decoder(_Stored).decode
_decode_text = msgspec.msgpack.Decoder(Baseline).decode
"""As earlier versions wrote it."""
_encode = msgspec.msgpack.Encoder().encode


def load(path: Path) -> Baseline | None:
    """None: there is none, or none that can be read."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    with suppress(msgspec.MsgspecError):
        return _decode(raw).baseline()
    with suppress(msgspec.MsgspecError):
        return _decode_text(raw)
    return None


def save(path: Path, baseline: Baseline) -> None:
    """Durable on return."""
    room = _MOST
    files: dict[str, Kept] = {}
    for name, kept in baseline.files.items():
        room -= len(kept.content or b"")
        files[name] = kept if room >= 0 else msgspec.structs.replace(kept, content=None)
    part = path.with_name(f"{path.name}.part")  # whoever writes is alone
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(_encode(_Stored.of(msgspec.structs.replace(baseline, files=files))))
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as problem:
        raise StorageFailed(
            f"How the folder's repositories are could not be written to {str(path)!r}:"
            f" {problem.strerror}.",
            hint="Make the home writable and free some space there.",
        ) from problem


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Be alone with the baseline in this folder, among all threads and processes. Waits: use a thread."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def forget(path: Path) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
