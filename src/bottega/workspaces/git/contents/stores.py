"""The files that objects lie in: whatever is new in them is what its name says, for git believes the name.

Those that were there before any program ran are known by their numbers and times, and are not read. All others are: a
loose object is hashed, and of a pack the real git makes the table anew, which nobody can have written in another way.
"""

import hashlib
import os
import re
import shutil
import stat
import struct
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents import objects
from bottega.workspaces.git.files import names, open_readable, stats, status

_SIZE = 16
_PIECE = 1 << 20
_LONG = len("pack-.idx") + 40
"""Of the name of a table with short hashes."""
_FOLDER = re.compile(r"[0-9a-f]{2}")
_REST = re.compile(r"[0-9a-f]{38}(?:[0-9a-f]{24})?")
_PROGRAMS = "/usr/local/bin:/usr/bin:/bin"
_SECONDS = 600
_LIMITED = 'ulimit -v 4194304; ulimit -t 600; exec "$@"'
"""What git may take of memory and time for one pack."""
_FATAL = 128
"""How git ends when it does not like what it reads; whatever else ends it says nothing about that."""
_MEMORY = re.compile(rb"memory|mmap failed|malloc|unable to create thread", re.IGNORECASE)
"""What git says as it ends in the same way because the machine, or what it may take of it, is too small."""
Known = set[bytes]


class Lie(NamedTuple):
    path: str
    content: bytes | None
    """What it is to be; None: it goes."""
    problem: str = ""
    """Why nobody can say whether it is one."""


def found(root: Root, folders: Iterable[str]) -> Known:
    """All that are there."""
    known = Known()
    for folder in folders:
        known.update(mark for _, mark in _loose(root, folder))
        for path, mark in _packs(root, folder):
            known.update((mark, marked(root, f"{path[:-4]}.pack") or mark))
    return known


def save(place: Path, known: Known) -> None:
    part = place.with_name(f"{place.name}.part")
    part.write_bytes(b"".join(sorted(known)))
    part.rename(place)


def load(place: Path) -> Known | None:
    """None: there is nothing known. What cannot be read is no such thing, and raises `OSError`."""
    try:
        raw = place.read_bytes()
    except FileNotFoundError:
        return None
    return {raw[at : at + _SIZE] for at in range(0, len(raw), _SIZE)}


def lies(root: Root, folders: Collection[str], known: Known) -> Iterator[Lie]:
    """The new ones that are other than their names say; `known` gets those that are right."""
    for folder in sorted(folders):
        for path, mark in _loose(root, folder):
            if mark in known:
                continue
            lie = _of_loose(root, path)
            if lie is not None:
                yield lie
            else:
                known.add(mark)
        for path, mark in _packs(root, folder):
            pack = marked(root, f"{path[:-4]}.pack")
            if pack is None or known.issuperset((mark, pack)):
                continue  # git reads none without the other
            lie = _of_pack(root, path)
            if lie is not None:
                yield lie
            else:
                known |= {mark, pack}


def marked(root: Root, path: str) -> bytes | None:
    """What tells a regular file from any other, and from what it was before; None: there is none."""
    now = status(root, path)
    return _mark(now) if now is not None and stat.S_ISREG(now.st_mode) else None


def _mark(now: os.stat_result) -> bytes:
    numbers = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    return hashlib.blake2b(struct.pack(">QQqq", *numbers), digest_size=_SIZE).digest()


def _loose(root: Root, folder: str) -> Iterator[tuple[str, bytes]]:
    """The objects of a folder that are files of their own, with the marks of these, however many."""
    for first in names(root, folder, lambda name: bool(_FOLDER.fullmatch(name))) or ():
        for name, now in stats(root, f"{folder}/{first}"):
            if _REST.fullmatch(name):
                yield f"{folder}/{first}/{name}", _mark(now)


def _packs(root: Root, folder: str) -> Iterator[tuple[str, bytes]]:
    """The tables of packs."""
    for name in names(root, f"{folder}/pack", objects.is_table) or ():
        mark = marked(root, f"{folder}/pack/{name}")
        if mark is not None:
            yield f"{folder}/pack/{name}", mark


def _of_loose(root: Root, path: str) -> Lie | None:
    opened = open_readable(root, path)
    if opened is None:
        return None
    try:
        above, _, rest = path.rpartition("/")
        return None if objects.is_loose(opened, above[-2:] + rest) else Lie(path, None)
    finally:
        os.close(opened)


def _of_pack(root: Root, table: str) -> Lie | None:
    pack = open_readable(root, f"{table[:-4]}.pack")
    if pack is None:
        return None
    try:
        fresh = _made(pack, "sha256" if len(os.path.basename(table)) > _LONG else "sha1")
    except (OSError, subprocess.SubprocessError) as problem:
        return Lie(table, None, f"`git index-pack` could not be run: {problem}")
    finally:
        os.close(pack)
    return None if fresh is not None and _is_same(root, table, fresh) else Lie(table, fresh)


def _is_same(root: Root, path: str, content: bytes) -> bool:
    opened = open_readable(root, path)
    if opened is None:
        return False
    with os.fdopen(opened, "rb") as file:
        at = 0
        while piece := file.read(_PIECE):
            if content[at : at + len(piece)] != piece:
                return False
            at += len(piece)
        return at == len(content)


def _made(pack: int, kind: str) -> bytes | None:
    """The table that git makes of a pack; None: it cannot."""
    with tempfile.TemporaryDirectory(prefix="bottega-pack-") as folder:
        made = os.path.join(folder, "made.idx")
        command = ["git", "index-pack", "--threads=1", f"--object-format={kind}", "-o", made]
        try:
            _run([*_walls(), *_room(folder)], [*command, "/proc/self/fd/0"], pack)
        except subprocess.CalledProcessError as problem:
            if problem.returncode == _FATAL and not _MEMORY.search(problem.stderr):
                return None
            raise
        return Path(made).read_bytes()


def _run(walls: list[str], command: list[str], pack: int) -> None:
    """It gets the pack as it was opened, and no settings of anybody's. Raises what it fails with."""
    subprocess.run(
        [*walls, "sh", "-c", _LIMITED, "sh", *command],
        stdin=pack,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd="/",
        env={
            "LC_ALL": "C",
            "PATH": _PROGRAMS,
            "HOME": "/",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_DIR": "/dev/null",
        },
        timeout=_SECONDS,
        check=True,
    )


@lru_cache(1)
def _walls() -> tuple[str, ...]:
    """What keeps git in a room with nothing but this one pack, where the machine has that."""
    program = shutil.which("bwrap", path=_PROGRAMS)
    if program is None:
        return ()
    walls = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for each in ("/usr", "/bin", "/lib", "/lib32", "/lib64"):
        walls += ["--ro-bind-try", each, each]
    walls += ["--proc", "/proc", "--dev", "/dev"]
    with (
        open(os.devnull, "rb") as nothing,
        suppress(subprocess.CalledProcessError, subprocess.TimeoutExpired),
    ):
        _run([*walls, "--"], ["true"], nothing.fileno())
        return tuple(walls)
    return ()


def _room(folder: str) -> list[str]:
    return ["--bind", folder, folder, "--"] if _walls() else []
