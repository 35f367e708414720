"""How the repositories of a workspace were before programs could change them; durable, so a crash loses nothing."""

import fcntl
import os
import stat
from collections.abc import Callable, Generator
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


_decode = msgspec.msgpack.Decoder(Baseline).decode
_encode = msgspec.msgpack.Encoder().encode


def load(path: Path) -> Baseline | None:
    """None: there is none, or none that can be read."""
    try:
        return _renamed(_decode(path.read_bytes()), _name_of)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


def _renamed(baseline: Baseline, change: Callable[[str], str]) -> Baseline:
    """With every name as it is stored, or as it was."""
    return msgspec.structs.replace(
        baseline,
        folder=change(baseline.folder),
        files={change(name): each for name, each in baseline.files.items()},
        guarded={change(name): each for name, each in baseline.guarded.items()},
        includes=tuple(map(change, baseline.includes)),
        hooks=tuple(map(change, baseline.hooks)),
    )


def _stored(name: str) -> str:
    """A name may be no valid text; it never holds a NUL, which marks one that is stored as hexadecimal bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return "\0" + os.fsencode(name).hex()
    return "\0" + os.fsencode(name).hex() if "\0" in name else name


def _name_of(stored: str) -> str:
    return os.fsdecode(bytes.fromhex(stored[1:])) if stored.startswith("\0") else stored


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
            whole = msgspec.structs.replace(baseline, files=files)
            file.write(_encode(_renamed(whole, _stored)))
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
