"""Where a history ends (`shallow`): git takes the commits that are listed for ones without parents.

A fetch of a part of a history lists those whose parents it has not brought. What lists others hides a history, and
`git gc` deletes what is hidden.
"""

import os
import re
import zlib
from collections.abc import Iterator

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents.objects import content_in, is_in
from bottega.workspaces.git.files import names, open_readable

_MOST = 20_000
"""Commits, times the tables that each is looked for in."""
_TABLES = 200
_LARGEST = 1 << 20
"""Bytes of a commit."""
_NAME = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PARENT = re.compile(rb"parent ([0-9a-f]+)")


def ends(root: Root, path: str, content: bytes, before: bytes) -> bytes:
    """The lines that were there before, and those that are true. A `ValueError` where there are too many to tell."""
    known = {*before.split()}
    lines = content.splitlines()
    fresh = [line for line in lines if line not in known and _NAME.fullmatch(line)]
    if not fresh:
        return b"".join(b"%s\n" % line for line in lines if line in known)
    with _Objects(root, f"{path.removesuffix('shallow')}objects") as objects:
        if len(fresh) * len(objects.tables) > _MOST:
            raise ValueError("it has too many lines")
        true = {line for line in fresh if objects.lacks_parents(line.decode())}
    return b"".join(b"%s\n" % line for line in lines if line in known or line in true)


class _Objects:
    """The objects of one repository, by name."""

    def __init__(self, root: Root, folder: str) -> None:
        self._root = root
        self._folder = folder
        self.tables: list[tuple[int, int]] = []
        """Of each pack its table and itself."""

    def __enter__(self) -> "_Objects":
        listed = names(self._root, f"{self._folder}/pack") or ()
        tables = sorted(name[:-4] for name in listed if name.endswith(".idx"))
        if len(tables) > _TABLES:
            raise ValueError("it has too many packs")
        for name in tables:
            path = f"{self._folder}/pack/{name}"
            table = open_readable(self._root, f"{path}.idx")
            pack = open_readable(self._root, f"{path}.pack")
            if table is not None and pack is not None:
                self.tables.append((table, pack))
            else:
                _close(table, pack)
        return self

    def __exit__(self, *_: object) -> None:
        for pair in self.tables:
            _close(*pair)

    def lacks_parents(self, name: str) -> bool:
        """Whether it is a commit, and one of its parents is not there."""
        said = self._commit(name)
        return said is not None and not all(map(self._is_there, _parents(said)))

    def _is_there(self, name: str) -> bool:
        if (opened := self._loose(name)) is not None:
            os.close(opened)
            return True
        return any(is_in(table, name) for table, _ in self.tables)

    def _commit(self, name: str) -> bytes | None:
        if (opened := self._loose(name)) is not None:
            with os.fdopen(opened, "rb") as file:
                try:
                    whole = zlib.decompressobj().decompress(file.read(_LARGEST), _LARGEST)
                except zlib.error:
                    return None
            kind, _, content = whole.partition(b"\0")
            return content if kind.startswith(b"commit ") else None
        for table, pack in self.tables:
            found = content_in(table, pack, name)
            if found is not None:
                return found[1] if found[0] == b"commit" else None
        return None

    def _loose(self, name: str) -> int | None:
        return open_readable(self._root, f"{self._folder}/{name[:2]}/{name[2:]}")


def _parents(commit: bytes) -> Iterator[str]:
    for line in commit.partition(b"\n\n")[0].split(b"\n"):
        if found := _PARENT.fullmatch(line):
            yield found[1].decode()


def _close(*opened: int | None) -> None:
    for each in opened:
        if each is not None:
            os.close(each)
