"""Where the server of a home listens, for whoever is on the same machine: `home/server.json`, while it runs."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from bottega.ids import is_alive, start_time
from bottega.storage.whole import write_whole

FILE = "server.json"


class Serving(msgspec.Struct, frozen=True, omit_defaults=True):
    address: str
    """With the base path, without a slash at its end."""
    pid: int
    mark: str = ""
    """Which secret it has, so that nobody gives out passes that it would not take."""
    host: str = ""
    """What it is bound to, as an address number; empty in files of older versions."""
    port: int = 0
    started: int = 0
    """When the process began (`ids.start_time`): its number alone may be another's by now."""
    others: "tuple[Serving, ...]" = ()
    """Those that serve in the same home since before; found again when this one has ended."""


@contextmanager
def known(
    home: Path, address: str, mark: str = "", bound: tuple[str, int] = ("", 0)
) -> Generator[None]:
    """Have it known where this process serves; where two do, the later one is found, then the earlier one again.

    `bound` is the socket's own address, for those who must never connect to it.
    """
    path, pid = home / FILE, os.getpid()
    me = Serving(address, pid, mark, *bound, started=start_time(pid))
    _note(path, (me, *_living(path)))
    try:
        yield
    finally:
        _note(path, [each for each in _living(path) if each.pid != pid])


def server_of(home: Path) -> Serving | None:
    """The server that runs in this home; None: there is none. What a killed one left behind does not count."""
    return next(iter(_living(home / FILE)), None)


def listening(home: Path) -> list[tuple[str, int]]:
    """The addresses and ports on which servers of this home listen now."""
    return [(each.host, each.port) for each in _living(home / FILE) if each.port]


def _note(path: Path, serving: Sequence[Serving]) -> None:
    path.unlink(missing_ok=True)  # whatever rights an old one had
    if serving:
        first = msgspec.structs.replace(serving[0], others=tuple(serving[1:]))
        write_whole(path, [msgspec.json.encode(first)])


def _living(path: Path) -> list[Serving]:
    """Those that were noted and still run, the latest first, each without the others."""
    noted = _noted(path)
    every = (msgspec.structs.replace(noted, others=()), *noted.others) if noted else ()
    return [each for each in every if is_alive(each.pid, each.started)]


def _noted(path: Path) -> Serving | None:
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(path.read_bytes(), type=Serving)
    return None
