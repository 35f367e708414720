"""Those who work for a server, as its routes see them; where the server runs everything itself, that is one of them."""

import os
from typing import Any, Literal, Protocol

import msgspec

from bottega.errors import Conflict
from bottega.server.staff.asking import Asking
from bottega.studio import Studio

State = Literal["starting", "running", "resting"]


class Member(msgspec.Struct, frozen=True):
    id: str
    pid: int
    """0: its process is gone, and the next one not there yet."""
    state: State
    restarts: int
    sessions: int
    """How many sessions it runs now."""


class Tell(Protocol):
    def __call__(self, n: int, frame: dict[str, Any]) -> None:
        """Say this to everyone who has a tab on the session with this number."""
        ...


class Staff(Protocol):
    def members(self) -> list[Member]: ...

    def workers(self) -> list[Asking]:
        """The processes, besides this one, that can be asked for something now."""
        ...

    async def restart(self, member_id: str) -> None:
        """Have that one end and begin anew; what it ran goes on."""
        ...

    async def leave(self) -> None:
        """Nothing more is run for this server; what runs has a moment to finish."""
        ...


class Alone:
    """The server's own process does all the work."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def members(self) -> list[Member]:
        runs = len(self._studio.worker.tops)
        return [Member("server", os.getpid(), "running", 0, runs)]

    def workers(self) -> list[Asking]:
        return []

    async def restart(self, member_id: str) -> None:
        raise Conflict(
            "The server does its work itself, and cannot begin anew by itself.",
            hint="Start it with --workers, or start it again.",
        )

    async def leave(self) -> None:
        await self._studio.leave()
