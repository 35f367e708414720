"""The ring of providers' keys: `home/keys.json`, each key encrypted under `home/master.key`.

Every file is replaced whole or not at all, under a lock: neither a crash nor a second process leaves half of one. A key
is never part of a message, an exception or a repr.
"""

import os
import shlex
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bottega.errors import BadUsage, Misconfigured, NotFound
from bottega.failpoint import failpoint
from bottega.storage.whole import alone, read_whole, unusable

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

VERSION = 1


class StoredKey(NamedTuple):
    """A key as it may be shown."""

    provider: str
    masked: str
    at: int
    """When it was stored, in milliseconds UTC."""


class _Entry(msgspec.Struct, frozen=True):
    secret: str
    masked: str
    at: int


class _File(msgspec.Struct, frozen=True):
    version: int = VERSION
    keys: dict[str, _Entry] = {}


class KeyRing:
    """The keys of one home. Every method may raise `Misconfigured` or `StorageFailed`, with the next step."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._file = home / "keys.json"
        self._master = home / "master.key"

    def __repr__(self) -> str:
        return f"KeyRing({str(self._home)!r})"

    def set(self, provider: str, key: str) -> None:
        """Store this provider's key in place of any other; refuses what can be no key."""
        key = key.strip()
        if not provider or not provider.isprintable() or "/" in provider:
            raise BadUsage(f"A provider cannot be called {provider!r}.")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise BadUsage(
                f"That is no key for {provider!r}: it is empty, or holds spaces or odd characters.",
                hint="Copy it again from the provider's page.",
            )
        with alone(self._home / "keys.lock"):
            stored = self._read()
            fernet = self._fernet(make=not stored.keys.keys() - {provider})
            secret = fernet.encrypt(key.encode()).decode()
            entry = _Entry(secret, masked(key), time.time_ns() // 1_000_000)
            self._write(_File(VERSION, {**stored.keys, provider: entry}))

    def get(self, provider: str) -> str | None:
        """This provider's key; None if none is stored."""
        entry = self._read().keys.get(provider)
        return None if entry is None else self._open(provider, entry)

    def all(self) -> dict[str, str]:
        """Every stored key by its provider."""
        entries = self._read().keys
        return {provider: self._open(provider, entry) for provider, entry in entries.items()}

    def list(self) -> Sequence[StoredKey]:
        """What is stored, as it may be shown; needs no master key."""
        entries = self._read().keys.items()
        return [StoredKey(provider, entry.masked, entry.at) for provider, entry in sorted(entries)]

    def remove(self, provider: str) -> None:
        """Forget this provider's key; raises `NotFound` if there is none."""
        with alone(self._home / "keys.lock"):
            keys = dict(self._read().keys)
            if keys.pop(provider, None) is None:
                raise NotFound(
                    f"No key is stored for {provider!r}.", hint="See them with: bottega keys list"
                )
            self._write(_File(VERSION, keys))

    def _open(self, provider: str, entry: _Entry) -> str:
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet().decrypt(entry.secret).decode()
        except InvalidToken:
            # From nothing: the cause holds no more than this sentence.
            raise Misconfigured(
                f"The key of {provider!r} was stored under another master key and cannot be read.",
                hint=f"Set it again: bottega keys set {provider}",
            ) from None

    def _fernet(self, *, make: bool = False) -> "Fernet":
        """The master key, made if it is missing and `make` says that no stored key would be lost by it."""
        from cryptography.fernet import Fernet

        try:
            master = self._read_master()
        except FileNotFoundError:
            if not make:
                raise Misconfigured(
                    f"The master key {str(self._master)!r} is gone, so the stored keys cannot be read.",
                    hint="Put it back from a backup; or give the keys up with "
                    "`bottega keys rm NAME` for each, and set them again.",
                ) from None
            master = Fernet.generate_key()
            _replace(self._master, master)
        try:
            return Fernet(master)
        except ValueError:
            raise Misconfigured(
                f"The master key {str(self._master)!r} is damaged.",
                hint="Put it back from a backup; or remove it, and the keys with it: "
                f"rm {shlex.quote(str(self._master))} {shlex.quote(str(self._file))}",
            ) from None

    def _read_master(self) -> bytes:
        try:
            with self._master.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                content = file.read(1024).strip()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise unusable(self._master, error) from error
        if mode & 0o077:
            raise Misconfigured(
                f"The master key {str(self._master)!r} is open to others (mode {mode:04o}).",
                hint=f"Type: chmod 600 {shlex.quote(str(self._master))}",
            )
        return content

    def _read(self) -> _File:
        again = "Put it back from a backup; or remove it, and set the keys again."
        return read_whole(self._file, _File(), "file of keys", again)

    def _write(self, stored: _File) -> None:
        _replace(self._file, msgspec.json.format(msgspec.json.encode(stored), indent=1))


def masked(key: str) -> str:
    """A key as it may be shown: enough to tell two apart, too little to use."""
    return f"{key[:3]}…{key[-4:]}" if len(key) >= 16 else "…"


def _replace(path: Path, content: bytes) -> None:
    """Put a whole new file, readable by its owner only, in place of the old one. The caller holds the lock.

    Not `write_whole`: under one name at a time, what a kill leaves of a key is gone with the next one that is written.
    """
    fresh = path.with_name(f"{path.name}.new")
    try:
        fresh.unlink(missing_ok=True)
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            failpoint("key.before_write")
            with os.fdopen(file, "wb", closefd=False) as out:
                out.write(content)
            failpoint("key.before_sync")
            os.fsync(file)
        finally:
            os.close(file)
        failpoint("key.before_rename")
        fresh.rename(path)
        failpoint("key.after_rename")
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise unusable(path, error) from error
