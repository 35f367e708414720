"""The ring of providers' keys: `home/keys.json`, each key encrypted under `home/master.key`.

A key is kept with the one destination that it is for: an origin (`https://api.openai.com`), or a program that an MCP
entry starts. It is given out for that destination and for no other, and is never part of a message, an exception or
a repr. Every file is replaced whole or not at all, under a lock: neither a crash nor a second process leaves half of
one.
"""

import os
import shlex
import stat
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bottega.errors import BadUsage, Misconfigured, NotFound
from bottega.failpoint import failpoint
from bottega.origin import is_secure
from bottega.storage.whole import alone, read_whole, unusable

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

VERSION = 2
"""1: keys had no destination; `bind` gives each the one that it led to."""

PROGRAM = "mcp:"
"""What a destination begins with that is a program and no address."""


class WrongDestination(Misconfigured):
    """A kept key was asked for by something else than what it was kept for."""


class StoredKey(NamedTuple):
    """A key as it may be shown."""

    provider: str
    masked: str
    at: int
    """When it was stored, in milliseconds UTC."""
    destination: str
    """Where it may go; empty: that is not known, and it goes nowhere."""


class _Entry(msgspec.Struct, frozen=True):
    secret: str
    masked: str
    at: int
    destination: str = ""


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

    def set(self, provider: str, key: str, destination: str) -> None:
        """Store this provider's key in place of any other, for that destination; refuses what can be no key."""
        key = key.strip()
        if not provider or not provider.isprintable() or "/" in provider:
            raise BadUsage(f"A provider cannot be called {provider!r}.")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise BadUsage(
                f"That is no key for {provider!r}: it is empty, or holds spaces or odd characters.",
                hint="Copy it again from the provider's page.",
            )
        _check_secure(provider, destination)
        with alone(self._home / "keys.lock"):
            stored = self._read()
            fernet = self._fernet(make=not stored.keys.keys() - {provider})
            secret = fernet.encrypt(key.encode()).decode()
            entry = _Entry(secret, masked(key), time.time_ns() // 1_000_000, destination)
            version = stored.version if stored.keys else VERSION
            self._write(_File(version, {**stored.keys, provider: entry}))

    def get(self, provider: str, destination: str) -> str | None:
        """This provider's key; None if none is stored. Raises `WrongDestination` where it is kept for another place."""
        entry = self._read().keys.get(provider)
        if entry is None:
            return None
        _check_destination(provider, entry, destination)
        return self._open(provider, entry)

    def fitting(
        self, destinations: Mapping[str, str]
    ) -> tuple[dict[str, str], dict[str, WrongDestination]]:
        """Of the providers that lead to these places: the keys that are kept for there, and why others are not sent."""
        fit: dict[str, str] = {}
        withheld: dict[str, WrongDestination] = {}
        for provider, entry in self._read().keys.items():
            if provider not in destinations:
                continue
            try:
                _check_destination(provider, entry, destinations[provider])
                fit[provider] = self._open(provider, entry)
            except WrongDestination as problem:
                withheld[provider] = problem
        return fit, withheld

    @property
    def is_unbound(self) -> bool:
        """Whether it was written when keys had no destination yet."""
        stored = self._read()
        return bool(stored.keys) and stored.version < VERSION

    def bind(self, destinations: Mapping[str, str]) -> None:
        """Give the keys of an old ring the places that they lead to, once; others go nowhere until they are set."""
        with alone(self._home / "keys.lock"):
            stored = self._read()
            if stored.version >= VERSION:
                return
            bound = {
                provider: entry
                if entry.destination
                else msgspec.structs.replace(entry, destination=_secure(destinations, provider))
                for provider, entry in stored.keys.items()
            }
            self._write(_File(VERSION, bound))

    def all(self) -> dict[str, str]:
        """Every stored key by its provider, to recognise them by: to blot them out of logs, and never to send them."""
        entries = self._read().keys
        return {provider: self._open(provider, entry) for provider, entry in entries.items()}

    def list(self) -> Sequence[StoredKey]:
        """What is stored, as it may be shown; needs no master key."""
        entries = self._read().keys.items()
        return [
            StoredKey(provider, entry.masked, entry.at, entry.destination)
            for provider, entry in sorted(entries)
        ]

    def remove(self, provider: str) -> None:
        """Forget this provider's key; raises `NotFound` if there is none."""
        with alone(self._home / "keys.lock"):
            stored = self._read()
            keys, version = dict(stored.keys), stored.version
            if keys.pop(provider, None) is None:
                raise NotFound(
                    f"No key is stored for {provider!r}.", hint="See them with: bottega keys list"
                )
            self._write(_File(version if keys else VERSION, keys))

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


def told(destination: str) -> str:
    """A destination as it may be shown."""
    if not destination.startswith(PROGRAM):
        return destination or "an address that cannot be read"
    name = destination.removeprefix(PROGRAM).partition("#")[0]
    return f"the program of the MCP server {name!r}"


def _check_destination(provider: str, entry: _Entry, destination: str) -> None:
    """Refuse a key for any place but its own."""
    anew = f"If it is meant for there, save it anew: bottega keys set {provider}"
    if not entry.destination:
        raise WrongDestination(
            f"It is not known which address the key of {provider!r} was saved for, so it is not sent.",
            hint=anew,
        )
    if entry.destination != destination:
        changed = entry.destination.partition("#")[0] == destination.partition("#")[0]
        where = "which has changed since" if changed else f"and not for {told(destination)}"
        raise WrongDestination(
            f"The key of {provider!r} was saved for {told(entry.destination)}, {where}: it is not sent.",
            hint=anew,
        )


def _check_secure(provider: str, destination: str) -> None:
    if destination.startswith(PROGRAM) or is_secure(destination):
        return
    raise BadUsage(
        f"The key of {provider!r} would go to {told(destination)}, where others could read it on its way:"
        " keys are sent over https, or to this machine.",
        hint="Correct the address to one that begins with https://.",
    )


def _secure(destinations: Mapping[str, str], provider: str) -> str:
    found = destinations.get(provider, "")
    return found if found.startswith(PROGRAM) or is_secure(found) else ""


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
