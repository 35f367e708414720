"""Copies of a workspace's files, by their sha256: only for comparing and undoing, so nothing waits for the disk.

What a power cut takes is noticed by its hash and copied again; what a session needs becomes a blob of its own.
"""

import hashlib
import os
import threading
import time
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from bottega.errors import NotFound, StorageFailed

_YOUNG = 3600.0
"""Seconds for which a copy is kept even if nobody names it: another process may be about to."""


class Shelf:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        path = self._path(name)
        if path.exists():
            return name
        part = path.with_name(f"{name}.{os.getpid()}-{threading.get_ident()}.part")
        try:
            try:
                part.write_bytes(content)
            except FileNotFoundError:  # it is the first
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                part.write_bytes(content)
            part.rename(path)
        except OSError as problem:
            with suppress(OSError):
                part.unlink()
            raise StorageFailed(
                f"A file's old bytes could not be kept in {str(self._folder)!r}: {problem.strerror}.",
                hint="Make the home writable and free some space there.",
            ) from problem
        return name

    def read(self, name: str) -> bytes:
        try:
            content = self._path(name).read_bytes()
        except OSError as problem:
            raise NotFound(f"The copy {name!r} is not here.") from problem
        if hashlib.sha256(content).hexdigest() != name:
            self._path(name).unlink(missing_ok=True)
            raise NotFound(f"The copy {name!r} is damaged.")
        return content

    def drop_all_but(self, live: Container[str]) -> int:
        """Remove copies that nobody names any more; returns how many."""
        before = time.time() - _YOUNG
        dropped = 0
        for path in self._folder.glob("*"):
            with suppress(OSError):
                if path.name not in live and path.stat().st_mtime < before:
                    path.unlink()
                    dropped += 1
        return dropped

    def _path(self, name: str) -> Path:
        return self._folder / name
