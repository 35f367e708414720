"""Which remote agents may send their tokens: `home/remote.json`, a hash an agent, given by the owner of the home.

The hash covers the address, the name of the token and all else of the agent's `remote` table: an agent that was
changed since is asked about again. The file is replaced whole or not at all, under a lock.
"""

import hashlib
import time
from pathlib import Path

import msgspec

from bottega.agents.agent import Whereabouts
from bottega.origin import origin_of
from bottega.storage.whole import alone, read_whole, write_whole

VERSION = 1


class _Entry(msgspec.Struct, frozen=True):
    hash: str
    at: int
    """When it was approved, in milliseconds UTC."""


class _File(msgspec.Struct, frozen=True):
    version: int = VERSION
    agents: dict[str, _Entry] = {}


class ApprovedAgents:
    """The approvals of one home. Every method may raise `Misconfigured` or `StorageFailed`, with the next step."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._file = home / "remote.json"

    def is_approved(self, slug: str, where: Whereabouts) -> bool:
        entry = self._read().agents.get(slug)
        return entry is not None and entry.hash == fingerprint(slug, where)

    def approve(self, slug: str, where: Whereabouts) -> None:
        with alone(self._home / "remote.lock"):
            entry = _Entry(fingerprint(slug, where), time.time_ns() // 1_000_000)
            agents = {**self._read().agents, slug: entry}
            text = msgspec.json.format(msgspec.json.encode(_File(VERSION, agents)), indent=1)
            write_whole(self._file, [text])

    def _read(self) -> _File:
        again = "Remove it, and approve each agent again: bottega agents approve NAME"
        return read_whole(self._file, _File(), "file of approved remote agents", again)


def fingerprint(slug: str, where: Whereabouts) -> str:
    """The sha256 of what an approval is given for."""
    bound = [1, slug, origin_of(where.address), where.token_name, msgspec.to_builtins(where)]
    return hashlib.sha256(msgspec.json.encode(bound)).hexdigest()
