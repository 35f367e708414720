"""How the repositories of a workspace were before programs could change them; durable, so a crash loses nothing."""

import ctypes
import fcntl
import os
import re
import stat
import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from bottega.errors import StorageFailed
from bottega.workspaces.confine import Identity, Root
from bottega.workspaces.git.files import File, glance

NAME = "baseline"
"""Of its file, in the folder that the sandboxes' state has for a workspace."""
OBJECTS = "objects"
"""Of a file beside it: which files of objects were there."""
LEFT = "left"
"""Of a file beside it: a baseline that was left by a dead process was first seen when this was made."""
_MOST = 32 << 20
"""Bytes of copies in one baseline."""
_OF_TOP = frozenset({"config", "commondir"})
"""Files of a repository itself."""


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


class Copies(dict[str, Kept]):
    """How files are, by path, with copies of no more than a baseline holds: of what does not fit there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._room = _MOST

    def __setitem__(self, path: str, kept: Kept) -> None:
        self._room += len(self[path].content or b"") if path in self else 0
        size = len(kept.content or b"")
        if size > self._room:
            kept = msgspec.structs.replace(kept, content=None)
        else:
            self._room -= size
        super().__setitem__(path, kept)


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
    programs: tuple[str, ...] = ()
    told: int = 0
    """How far the reports went when it was begun."""
    born: int = 0
    """When the folder was made; 0: nobody knows."""
    staged: dict[str, dict[str, tuple[int, str]]] = {}
    """By the path of an index, what it holds for files that git would run: their modes and hashes by name."""
    under_way: tuple[str, ...] = ()
    """Files that say that an operation is (a rebase, a merge), and of which nobody needs to be told any more."""
    places: tuple[str, ...] = ()
    """Of the repositories that were there."""

    @property
    def repositories(self) -> set[str]:
        """Those that are looked at whatever else there is; an earlier version knows them by their files."""
        known = (path.rpartition("/") for path in self.files)
        by_files = {at for at, _, name in known if name in _OF_TOP and ".git" in at.split("/")}
        return {*self.places, *by_files}

    def holds(self, root: Root, path: str) -> bool:
        """It lies in a folder in which no program could write; further down it may have a second name elsewhere."""
        folder = os.path.dirname(path)
        if folder not in self.guarded:
            return False
        seen = glance(root, folder)
        return seen is not None and self.guarded[folder] == (seen.device, seen.inode)

    def is_of(self, identity: Identity, born: int) -> bool:
        """Whether this folder is the one: a number is given again, and a disk gets another one with the next start.

        Some disks do not know when a folder was made; there the numbers decide.
        """
        if identity[1] != self.inode:
            return False
        return self.born == born if self.born and born else identity[0] == self.device

    @property
    def hook_copies(self) -> set[tuple[str, str, int]]:
        """Names, hashes and modes of all hooks: a work tree has the project's, and they are nothing new there."""
        return {
            (os.path.basename(path), each.sha, each.mode)
            for path, each in self.files.items()
            if each.kind == "hook" and each.sha and stat.S_ISREG(each.mode)
        }

    def on(self, device: int) -> "Baseline":
        """The same, now that the disk has this number."""

        def now(was: int) -> int:
            return device if was == self.device else was

        files = {
            path: msgspec.structs.replace(each, device=now(each.device))
            for path, each in self.files.items()
        }
        guarded = {path: (now(disk), inode) for path, (disk, inode) in self.guarded.items()}
        return msgspec.structs.replace(self, device=device, files=files, guarded=guarded, told=0)


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
    born: int = 0
    programs: tuple[bytes, ...] = ()
    staged: dict[bytes, dict[bytes, tuple[int, str]]] = {}
    under_way: tuple[bytes, ...] = ()
    places: tuple[bytes, ...] = ()

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
            given.born,
            tuple(map(os.fsencode, given.programs)),
            {
                os.fsencode(path): {os.fsencode(name): what for name, what in each.items()}
                for path, each in given.staged.items()
            },
            tuple(map(os.fsencode, given.under_way)),
            tuple(map(os.fsencode, given.places)),
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
            tuple(map(os.fsdecode, self.programs)),
            self.told,
            self.born,
            {
                os.fsdecode(path): {os.fsdecode(name): what for name, what in each.items()}
                for path, each in self.staged.items()
            },
            tuple(map(os.fsdecode, self.under_way)),
            tuple(map(os.fsdecode, self.places)),
        )


_NAMED = re.compile(r"([0-9a-f]+)-([0-9a-f]+)")
_BORN = 0x800
_EMPTY_PATH, _NO_FOLLOW, _HERE = 0x1000, 0x100, -100


def name_of(identity: Identity) -> str:
    """What the state of a workspace is called: by the folder itself, for its path may come to be another's."""
    return f"{identity[0]:x}-{identity[1]:x}"


def identity_of(name: str) -> Identity | None:
    """Of the folder whose state has that name; None: it is of an earlier version."""
    found = _NAMED.fullmatch(name)
    return (int(found[1], 16), int(found[2], 16)) if found else None


def born(at: str | int) -> int:
    """When the folder at a path, or of a descriptor, was made, in nanoseconds; 0: nobody knows."""
    made = ctypes.create_string_buffer(256)
    try:
        statx: Any = ctypes.CDLL(None).statx
    except (AttributeError, OSError):
        return 0
    if isinstance(at, int):
        failed = statx(at, b"", _EMPTY_PATH, _BORN, made)
    else:
        failed = statx(_HERE, os.fsencode(at), _NO_FOLLOW, _BORN, made)
    known, seconds, nanoseconds = struct.unpack_from("=I76xqI", made.raw)
    return 0 if failed or not known & _BORN else seconds * 10**9 + nanoseconds


_decode = msgspec.msgpack.Decoder(_Stored).decode
_decode_text = msgspec.msgpack.Decoder(Baseline).decode
"""As earlier versions wrote it."""
_encode = msgspec.msgpack.Encoder().encode


def load(path: Path) -> Baseline | None:
    """None: there is none, or none of any version. Raises `StorageFailed` where that cannot be known."""
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise StorageFailed(
            f"How the folder's repositories were could not be read from {str(path)!r}:"
            f" {problem.strerror}.",
            hint="Make the home readable.",
        ) from problem
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


def out_of_reach(root: Root, now: Baseline, paths: set[str], *, first: bool) -> Baseline:
    """With the word that no program could write these paths, but for what an earlier sandbox can."""
    folders = dict[str, tuple[int, int]]()
    for path in paths:
        seen = glance(root, path)
        if seen is not None and seen.is_folder and (first or path in now.guarded):
            folders[path] = (seen.device, seen.inode)
    kept = {
        path: msgspec.structs.replace(each, guarded=path in paths and (first or each.guarded))
        for path, each in now.files.items()
    }
    return msgspec.structs.replace(now, files=kept, guarded=folders)


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
    for each in (path, path.with_name(LEFT), path.with_name(OBJECTS)):
        with suppress(FileNotFoundError):
            os.unlink(each)
