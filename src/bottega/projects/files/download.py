"""A file, or a folder as a zip, on its way out: read piece by piece as it is taken, following no link inside.

Only regular files go into a zip: what a link, a pipe or a device leads to may lie anywhere.
"""

import os
import time
import zipfile
from collections.abc import Generator, Iterator
from typing import NoReturn

import msgspec

from bottega.errors import Problem
from bottega.projects.files.limits import LOOKED_AT, MIB, ZIPPED, ZIPPED_FILES
from bottega.tools.reading import TooLarge
from bottega.workspaces.changes.leftovers import is_passing
from bottega.workspaces.confine import NotAFile, Root
from bottega.workspaces.entries import entries, in_order, name_of
from bottega.workspaces.problems import shown
from bottega.workspaces.watch.ignore import Effort
from bottega.workspaces.watch.walk import Rules, is_ignored, is_text, rules_in

_CHUNK = 256 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_EARLIEST, _LATEST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
"""Of which a zip can tell."""
_DEEPEST = 64


class Download(msgspec.Struct, frozen=True):
    name: str
    """What it may be called where it is kept."""
    size: int | None
    """None: it is not known before."""
    chunks: Generator[bytes]
    """To be closed, even where nothing was taken. Waits for the disk."""


def download(root: Root, path: str, *, ignored: bool = False) -> Download:
    """What the path leads to; where this succeeds, it closes the root.

    With `ignored`, a folder's zip has what git ignores too, and `.git`.
    """
    canonical = root.canonical(path or ".")
    name = os.path.basename(root.path if canonical == "." else canonical) or "files"
    try:
        opened = root.open_file(canonical, follow=False)
    except NotAFile:
        files = _listed(root, canonical, ignored=ignored)
        return Download(f"{name}.zip", None, _begun(_zip(root, canonical, files)))
    root.close()
    size = os.fstat(opened).st_size
    return Download(name, size, _begun(_file(opened, size)))


def _begun(chunks: Generator[bytes]) -> Generator[bytes]:
    """Taken up to its first, empty piece: what it holds is let go when it is closed, even if nothing more is taken."""
    next(chunks)
    return chunks


def _file(opened: int, size: int) -> Generator[bytes]:
    """The file as long as it was at first, though it may have grown since."""
    with os.fdopen(opened, "rb", buffering=0) as file:
        yield b""
        while size > 0 and (chunk := file.read(min(_CHUNK, size))):
            size -= len(chunk)
            yield chunk


class _Found:
    """The files of a folder, counted before anything is sent."""

    def __init__(self, shown_as: str) -> None:
        self.paths: list[str] = []
        self._shown = shown_as
        self._size = 0
        self._room = LOOKED_AT
        self.effort = Effort()

    def look(self, folder: int) -> "Iterator[os.DirEntry[str]]":
        """The entries of one of the folders, in order."""
        found, whole = entries(folder, self._room)
        self._room -= len(found)
        if not whole:
            self._refuse()
        return in_order(found, name_of)

    def add(self, path: str, size: int) -> None:
        self.paths.append(path)
        self._size += size
        if self._size > ZIPPED or len(self.paths) > ZIPPED_FILES:
            self._refuse()

    def _refuse(self) -> NoReturn:
        raise TooLarge(
            f"The folder {shown(self._shown)} holds more than {ZIPPED // MIB // 1024} GB"
            f" or {ZIPPED_FILES:,} files.",
            hint="Download folders in it one by one.",
        )


def _listed(root: Root, folder: str, *, ignored: bool) -> list[str]:
    found = _Found(folder)
    opened = root.open_folder(folder, follow=False)
    try:
        _walk(opened, "", None if ignored else (), found)
    finally:
        os.close(opened)
    return found.paths


def _walk(opened: int, prefix: str, rules: Rules | None, found: _Found) -> None:
    """Without rules, everything counts. They are those from the folder down: it was asked for by its name."""
    if rules is not None and (own := rules_in(opened, found.effort)):
        rules = ((len(prefix), own), *rules)
    for entry in found.look(opened):
        path, folder = prefix + entry.name, entry.is_dir(follow_symlinks=False)
        if not is_text(path) or is_passing(os.fsencode(entry.name)):
            continue
        if rules is not None and (entry.name == ".git" or is_ignored(path, rules, folder=folder)):
            continue
        try:
            if folder:
                _inner(opened, entry.name, path, rules, found)
            elif entry.is_file(follow_symlinks=False):
                found.add(path, entry.stat(follow_symlinks=False).st_size)
        except OSError:  # it went, became a link, or may not be read
            continue


def _inner(opened: int, name: str, path: str, rules: Rules | None, found: _Found) -> None:
    if path.count("/") >= _DEEPEST:
        return
    inner = os.open(name, _FOLDER, dir_fd=opened)
    try:
        _walk(inner, f"{path}/", rules, found)
    finally:
        os.close(inner)


class Pipe:
    """What a zip is written to: it cannot be sought in, and is emptied as it fills."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def write(self, chunk: bytes) -> int:
        self._chunks.append(bytes(chunk))
        return len(chunk)

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Whoever takes the zip knows its end."""

    def taken(self) -> bytes:
        chunks, self._chunks = self._chunks, []
        return b"".join(chunks)


def _zip(root: Root, folder: str, paths: list[str]) -> Generator[bytes]:
    with root:
        yield b""
        pipe = Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in paths:
                at = path if folder == "." else f"{folder}/{path}"
                for _ in _added(archive, root, at, path):
                    yield pipe.taken()
        yield pipe.taken()


def _added(archive: zipfile.ZipFile, root: Root, at: str, path: str) -> Iterator[None]:
    try:
        opened = root.open_file(at, _FILE, follow=False)
    except (Problem, OSError):  # it went, or became something else
        return
    with os.fdopen(opened, "rb", buffering=0) as file:
        found = os.fstat(opened)
        when = min(max(time.gmtime(found.st_mtime)[:6], _EARLIEST), _LATEST)
        entry = zipfile.ZipInfo(path, when)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (found.st_mode & 0o777) << 16
        with archive.open(entry, "w", force_zip64=True) as into:
            left = found.st_size
            while left > 0 and (chunk := file.read(min(_CHUNK, left))):
                left -= len(chunk)
                into.write(chunk)
                yield
    yield
