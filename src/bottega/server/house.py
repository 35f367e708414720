"""What every request may need: the open studio, its people and projects, and how the server was started."""

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.requests import HTTPConnection

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.server.staff.staff import Alone, Staff, Tell
from bottega.studio import Studio


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How the server was started."""

    host: str = "127.0.0.1"
    port: int = 8448
    """0: any that is free."""
    workers: int = 0
    """How many worker processes run what is admitted; 0: the server does so itself."""


class House:
    def __init__(self, studio: Studio, secret: bytes, options: Options) -> None:
        database = studio.runtime.database
        self.studio = studio
        self.options = options
        self.people = People(database)
        self.passes = Passes(database, secret)
        self.projects = Projects(database)
        self.staff: Staff = Alone(studio)
        self.tellers: list[Tell] = []
        """Who tells the tabs of a session what is in no log."""
        self.stopping = False
        """The server is about to end, and admits nothing more."""
        self.at_stop: list[Callable[[], None]] = []
        """Called when the server begins to end, so that clients are told."""

    def tell_session(self, n: int, frame: dict[str, Any]) -> None:
        """Say this, which is in no log, to everyone who has a tab on the session with this number."""
        for tell in self.tellers:
            tell(n, frame)


def house_of(connection: HTTPConnection) -> House:
    house: House = connection.app.state.house
    return house
