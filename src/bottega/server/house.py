"""What every request may need: the open studio, its people and projects, and how the server was started."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Literal

import msgspec
from starlette.requests import HTTPConnection

from bottega.accounts.passes import Passes
from bottega.accounts.people import People, Person
from bottega.errors import Problem
from bottega.fairness import Share, Turns
from bottega.projects.files.files import Files
from bottega.projects.projects import Projects
from bottega.server.following.followers import Followers
from bottega.server.proofs import Proofs
from bottega.server.shells.served import ServedShells
from bottega.server.staff.asking import Asking
from bottega.server.staff.staff import Alone, Staff, Tell
from bottega.server.tickets import Tickets
from bottega.studio import Studio
from bottega.studio.setup.models import Offers

SEEN_EVERY = 60.0
"""Seconds."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How the server was started."""

    host: str = "127.0.0.1"
    port: int = 8448
    """0: any that is free."""
    allowed: tuple[str, ...] = ()
    """Names, besides its address, under which the server may be asked for: NAME or NAME:PORT."""
    tls_cert: str = ""
    tls_key: str = ""
    """Files; both or neither."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies whose word on client, scheme and host counts."""
    base_path: str = ""
    """What every path begins with, such as `/bottega`."""
    workers: int = 0
    """How many worker processes run what is admitted; 0: the server does so itself."""
    log_format: Literal["human", "json"] = "human"
    debug: bool = False
    """Log more."""
    metrics_token: str = ""
    """Who has it may read the metrics; empty: only the host may."""

    @property
    def is_secure(self) -> bool:
        return bool(self.tls_cert)


class House:
    def __init__(self, studio: Studio, secret: bytes, options: Options) -> None:
        database = studio.runtime.database
        self.studio = studio
        self.options = options
        self.people = People(database)
        self.passes = Passes(database, secret)
        self.proofs = Proofs(self.passes, self.people)
        self.projects: Projects = studio.runtime.folders.projects
        self.offers = Offers(studio.runtime)
        self._seen: dict[int, float] = {}
        self.staff: Staff = Alone(studio)
        self.tellers: list[Tell] = []
        """Who tells the tabs of a session what is in no log."""
        self.at_stop: list[Callable[[], None]] = []
        """Called when the server begins to end, so that clients are told."""
        self.closing = asyncio.Event()
        """Set when it no longer listens: whoever streams says goodbye."""
        self.demo = Share(lambda: 1)
        """Held while a demo is begun: two clicks of a person are one demo."""
        self.tickets = Tickets()
        self.followers = Followers()
        self.forking = Share(lambda: 1)
        """Forks write a whole log at once: of one person one after the other, so that others write in between."""
        self.turns = Turns()
        """Of each person one request, or one frame, is begun in a round of the event loop."""
        self.folders = studio.runtime.folders
        self.files = Files(
            self.folders,
            studio.opened.hands.locked,
            database.home.workspace,
            studio.runtime.sandboxes.accepting,
        )
        self.shells = ServedShells(studio, self._workers, self.proofs.known)
        studio.opened.revoking.ends.append(self.shells.close_besides)

    def _workers(self) -> list[Asking]:
        return self.staff.workers()  # of the staff that there is now

    async def close(self) -> None:
        """End what this process holds for people, before the studio ends."""
        await self.files.finding.close()
        await self.shells.close_all()

    def tell_session(self, n: int, frame: dict[str, Any]) -> None:
        """Say this, which is in no log, to everyone who has a tab on the session with this number."""
        for tell in self.tellers:
            tell(n, frame)

    async def seen(self, person: Person) -> None:
        """Somebody is there: noted once a minute, and never a reason to fail."""
        at = monotonic()
        if at - self._seen.get(person.n, -SEEN_EVERY) < SEEN_EVERY:
            return
        self._seen[person.n] = at
        with suppress(Problem):
            await self.people.saw(person)


def house_of(connection: HTTPConnection) -> House:
    house: House = connection.app.state.house
    return house
