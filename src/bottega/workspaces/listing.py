"""What a folder holds: names and kinds of entries. Links are named, never followed."""

import os
import stat
from itertools import islice
from typing import Literal

import msgspec

from bottega.workspaces.entries import entries, in_order

Kind = Literal["file", "folder", "link", "pipe", "socket", "device"]


class Entry(msgspec.Struct, frozen=True):
    name: str
    kind: Kind
    size: int = 0
    """Bytes of a file; 0 for anything else."""
    target: str = ""
    """Where a link points, as it is written in the link."""


class Listing(msgspec.Struct, frozen=True):
    entries: tuple[Entry, ...]
    """Folders first, then by name."""
    total: int
    """How many there are, even where fewer are listed."""
    whole: bool = True
    """False: there are even more, which nobody looks at."""


def listing(folder: int, limit: int | None = None, start: int = 0) -> Listing:
    """The entries of an open folder, at most `limit` of them, without the first `start`."""
    found, whole = entries(folder)
    end = None if limit is None else start + limit
    listed = islice(in_order(found, _rank), start, end)
    return Listing(tuple(_entry(each, folder) for each in listed), len(found), whole)


def kind_of(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISFIFO(mode):
        return "pipe"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _rank(found: "os.DirEntry[str]") -> tuple[bool, str, str]:
    return (not found.is_dir(follow_symlinks=False), found.name.casefold(), found.name)


def _entry(found: "os.DirEntry[str]", folder: int) -> Entry:
    try:
        status = found.stat(follow_symlinks=False)
        kind = kind_of(status.st_mode)
        target = os.readlink(found.name, dir_fd=folder) if kind == "link" else ""
    except OSError:  # it vanished or changed its kind meanwhile
        return Entry(found.name, "file")
    return Entry(found.name, kind, status.st_size if kind == "file" else 0, target)
