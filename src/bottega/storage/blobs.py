"""Large payloads, kept beside the database by the sha256 of their bytes: durable before an event names them."""

import hashlib
import os
from pathlib import Path

from bottega.errors import NotFound, StorageFailed
from bottega.failpoint import failpoint
from bottega.storage.sqlite import explain

INLINE = 32 * 1024
"""Payloads larger than this become blobs."""


class Blobs:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes) -> str:
        """Store the bytes and return their name; a crash leaves the whole blob or none."""
        name = hashlib.sha256(content).hexdigest()
        path = self._folder / name
        if path.exists():
            return name
        part = self._folder / f"{name}.{os.getpid()}.part"
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                failpoint("blobs.before_sync")
                os.fsync(file.fileno())
            part.rename(path)
            _sync(self._folder)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise explain(error, path) from error
        return name

    def read(self, name: str) -> bytes:
        try:
            content = (self._folder / name).read_bytes()
        except FileNotFoundError as error:
            raise NotFound(f"The blob {name!r} is not here.") from error
        if hashlib.sha256(content).hexdigest() != name:
            raise StorageFailed(
                f"The blob {name!r} is damaged: its bytes have another hash.",
                hint="Restore it from a backup of the home.",
            )
        return content

    def names(self) -> set[str]:
        return {path.name for path in self._folder.iterdir() if len(path.name) == 64}

    def drop(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
