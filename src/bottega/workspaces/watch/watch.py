"""Notices what a command changed: looks at the workspace's files before it and after it.

Only a file whose size, times or inode have changed is read again. What somebody edits between two commands belongs to
neither, as each command begins with a look of its own. What is too large, or too much, to be kept is named instead.
"""

import hashlib
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from bottega.errors import NotFound, Problem
from bottega.events.facts import FileChange
from bottega.workspaces.changes.kept import Keeps, blobs_of
from bottega.workspaces.confine import Root
from bottega.workspaces.watch.compare import difference
from bottega.workspaces.watch.gone import note_folder
from bottega.workspaces.watch.manifest import Caps, Known, Manifest, load, save
from bottega.workspaces.watch.shelf import Shelf
from bottega.workspaces.watch.walk import walk

CAPS = Caps()
_RACY = 20_000_000
"""Nanoseconds: a file that changed so shortly before it was read may change again without its times telling."""
_SPARE = 1_000
"""Copies that may be out of use before they are looked for."""
_OLD = 30 * 24 * 3600.0
"""Seconds after which a look that nobody came back to is forgotten."""


class Noticed(msgspec.Struct, frozen=True):
    writes: tuple[FileChange, ...] = ()
    """What changed, with both sides kept."""
    unkept: tuple[str, ...] = ()
    """What changed and is not kept, or not all of it: too large, too many, or not to be read."""
    more: int = 0
    """How many more are not kept than are named."""
    whole: bool = True
    """False: the workspace has more files than are looked at."""


class Watch:
    """One workspace's. Threads may share it; all of it waits for the disk, so use a thread."""

    def __init__(self, root: Root, state: Path, caps: Caps = CAPS) -> None:
        """`state` is the folder that the home keeps for the workspace."""
        self._root = root
        self.identity = root.identity
        self._state = state
        self._folder = state / "looks"
        self._shelf = Shelf(state / "shelf")
        self._caps = caps
        self._lock = threading.Lock()
        self._last: Manifest | None = None

    def close(self) -> None:
        """Let go of the folder, unless somebody looks at it at this moment; nobody may look afterwards."""
        if self._lock.acquire(blocking=False):
            self._root.close()
            self._lock.release()

    def look(self, label: str) -> Manifest:
        """How the workspace is now, before a command; `label` finds it again after a crash."""
        with self._lock:
            found = self._look()
            if found.copied > len(found.files) + _SPARE:
                self._tidy(found)
                found = msgspec.structs.replace(found, copied=0)
            save(self._path(label), found)
            save(self._folder / "last", found)
            note_folder(self._state, self._root.path)
            self._last = found
            return found

    def left(self, label: str) -> Manifest | None:
        """The look that a dead process took under that label."""
        return load(self._path(label))

    def forget(self, label: str) -> None:
        """What changed is in the log: the look is not needed any more."""
        self._path(label).unlink(missing_ok=True)

    def noticed(self, before: Manifest, store: Keeps) -> Noticed:
        """What has changed since `before`, with the bytes of both sides kept in `store`."""
        with self._lock:
            self._last = after = self._look()
        found = difference(before, after, self._is_there)
        kept, left = found.writes[: self._caps.changes], found.writes[self._caps.changes :]
        lost = self._keep(kept, store)
        whole = [write for write in kept if not {write.before, write.after} & lost]
        unkept = [*found.unkept, *(w.path for w in kept if w not in whole), *(w.path for w in left)]
        named = tuple(unkept[: self._caps.named])
        return Noticed(tuple(whole), named, len(unkept) - len(named), before.whole and after.whole)

    def _look(self) -> Manifest:
        self._root.check_present()
        taken = time.time_ns()
        last = self._last or load(self._folder / "last") or Manifest()
        walked = walk(self._root, self._caps.files)
        files: dict[str, Known] = {}
        room = self._caps.total
        copied = last.copied
        for path, found in walked.files.items():
            known = last.files.get(path)
            if known is None or not known.is_still(found):
                known = self._read(path, found, room)
                copied += 1
            room -= known.size if known.sha else 0
            files[path] = known
        odd = tuple(name.encode(errors="replace").decode() for name in walked.odd)
        return Manifest(files, odd, walked.whole, taken, copied)

    def _read(self, path: str, found: os.stat_result, room: int) -> Known:
        """The file as it is, with a copy of its bytes on the shelf if they are not too many."""
        sha = ""
        began = time.time_ns()
        most = min(self._caps.file, room)
        if found.st_size <= most:
            with suppress(Problem, OSError):  # it went, may not be read, or there is no room for it
                with os.fdopen(
                    self._root.open_file(path, os.O_RDONLY | os.O_NOFOLLOW), "rb"
                ) as file:
                    found = os.fstat(file.fileno())
                    content = file.read(most + 1)
                if len(content) == found.st_size:
                    sha = self._shelf.keep(content)
        racy = found.st_ctime_ns > began - _RACY
        return Known(
            found.st_mtime_ns,
            0 if racy else found.st_ctime_ns,
            found.st_size,
            found.st_ino,
            found.st_mode & 0o777,
            sha,
        )

    def _keep(self, writes: Iterable[FileChange], store: Keeps) -> set[str]:
        """Copy what the writes name from the shelf to the store; returns what is no longer on the shelf."""
        lost: set[str] = set()

        def contents() -> Iterator[bytes]:
            for name in blobs_of(writes):
                try:
                    yield self._shelf.read(name)
                except NotFound:
                    lost.add(name)

        store.keep_all(contents())
        return lost

    def _is_there(self, path: str) -> bool:
        try:
            folder, name = self._root.open_parent(path)
        except Problem:
            return False
        try:
            return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError:
            return False
        finally:
            os.close(folder)

    def _tidy(self, now: Manifest) -> None:
        """Forget looks that nobody came back to, and drop copies that none of the others names."""
        live = {known.sha for known in now.files.values()}
        for path in self._folder.glob("*.look"):
            if path.stat().st_mtime < time.time() - _OLD:
                path.unlink(missing_ok=True)
            elif look := load(path):
                live.update(known.sha for known in look.files.values())
        self._shelf.drop_all_but(live)

    def _path(self, label: str) -> Path:
        return self._folder / f"{hashlib.sha256(label.encode()).hexdigest()[:32]}.look"
