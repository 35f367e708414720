"""Where the server of a home listens, for whoever is on the same machine: `home/server.json`, while it runs."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from bottega.storage.whole import write_whole

FILE = "server.json"


class Serving(msgspec.Struct, frozen=True):
    address: str
    """With the base path, without a slash at its end."""
    pid: int
    mark: str = ""
    """Which secret it has, so that nobody gives out passes that it would not take."""


@contextmanager
def known(home: Path, address: str, mark: str = "") -> Generator[None]:
    """Have it known where this process serves; where two do, the later one is found."""
    path, pid = home / FILE, os.getpid()
    path.unlink(missing_ok=True)  # whatever rights an old one had
    write_whole(path, [msgspec.json.encode(Serving(address, pid, mark))])
    try:
        yield
    finally:
        if (noted := _noted(path)) and noted.pid == pid:
            path.unlink(missing_ok=True)


def server_of(home: Path) -> Serving | None:
    """The server that runs in this home; None: there is none. What a killed one left behind does not count."""
    noted = _noted(home / FILE)
    return noted if noted and _lives(noted.pid) else None


def _noted(path: Path) -> Serving | None:
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=Serving)
    return None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's, but there
        return True
    return True
