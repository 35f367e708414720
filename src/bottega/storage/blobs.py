"""Large payloads, kept beside the database by the sha256 of their bytes: durable before an event names them."""

import hashlib
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import BinaryIO

from bottega.errors import NotFound, StorageFailed
from bottega.failpoint import failpoint
from bottega.storage.sqlite import explain, sync_folder

INLINE = 32 * 1024
"""Payloads larger than this become blobs."""

_NAME = re.compile(r"[0-9a-f]{64}")


class Blobs:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes) -> str:
        """Store the bytes and return their name; a crash leaves the whole blob or none."""
        return self.keep_all((content,))[0]

    def keep_all(self, contents: Iterable[bytes]) -> list[str]:
        """The same for many, which costs far less than one after the other: the disk is waited for at the end."""
        parts: dict[str, Path] = {}
        names: list[str] = []
        try:
            for content in contents:
                names.append(hashlib.sha256(content).hexdigest())
                if names[-1] not in parts and not self._is_here(names[-1], len(content)):
                    part = self._folder / f"{names[-1]}.{os.getpid()}-{threading.get_ident()}.part"
                    parts[names[-1]] = part
                    part.write_bytes(content)
            for part in parts.values():
                failpoint("blobs.before_sync")
                _sync(part)
            for name, part in parts.items():
                part.rename(self._folder / name)
            if parts:
                sync_folder(self._folder)
        except OSError as error:
            for part in parts.values():
                part.unlink(missing_ok=True)
            raise explain(error, self._folder / names[-1] if names else self._folder) from error
        return names

    def read(self, name: str) -> bytes:
        """The bytes of that name; refuse bytes that have another hash."""
        try:
            content = self._path(name).read_bytes()
        except FileNotFoundError as error:
            raise NotFound(f"The blob {name!r} is not here.") from error
        except OSError as error:
            raise explain(error, self._path(name)) from error
        if hashlib.sha256(content).hexdigest() != name:
            raise StorageFailed(
                f"The blob {name!r} is damaged: its bytes have another hash.",
                hint="Restore it from a backup of the home.",
            )
        return content

    def open(self, name: str) -> BinaryIO:
        """The bytes of that name to be read piece by piece; whether they are all right is not looked at."""
        try:
            return self._path(name).open("rb")
        except FileNotFoundError as error:
            raise NotFound(f"The blob {name!r} is not here.") from error
        except OSError as error:
            raise explain(error, self._path(name)) from error

    def has(self, name: str) -> bool:
        return self._path(name).exists()

    def names(self, before: float = inf) -> set[str]:
        """All blobs that were written before that moment (seconds since 1970)."""
        return {path.name for path in self._before(before) if _NAME.fullmatch(path.name)}

    def parts(self, before: float = inf) -> list[Path]:
        """What was being written, now or when a process died."""
        return sorted(path for path in self._before(before) if path.suffix == ".part")

    def drop(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _before(self, moment: float) -> Iterator[Path]:
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # renamed or dropped meanwhile
                if path.stat().st_mtime < moment:
                    yield path

    def _is_here(self, name: str, size: int) -> bool:
        path = self._folder / name
        return path.exists() and path.stat().st_size == size

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise NotFound(f"The blob {name!r} is not here.")
        return self._folder / name


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
