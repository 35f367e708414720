"""What every request may need: the open studio, its people and projects, and how the server was started."""

from collections.abc import Callable
from typing import Literal

import msgspec
from starlette.requests import HTTPConnection

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.studio import Studio
from bottega.studio.setup.models import Offers


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How the server was started."""

    host: str = "127.0.0.1"
    port: int = 8448
    """0: any that is free."""
    log_format: Literal["human", "json"] = "human"
    debug: bool = False
    """Log more."""
    metrics_token: str = ""
    """Who has it may read the metrics; empty: only the host may."""


class House:
    def __init__(self, studio: Studio, secret: bytes, options: Options) -> None:
        database = studio.runtime.database
        self.studio = studio
        self.options = options
        self.people = People(database)
        self.passes = Passes(database, secret)
        self.projects = Projects(database)
        self.offers = Offers(studio.runtime)
        self.workers_alive: Callable[[], bool] = lambda: True
        """Whether somebody runs what is admitted; the worker of this process does as long as it answers."""
        self.worker_restarts: Callable[[], int] = lambda: 0


def house_of(connection: HTTPConnection) -> House:
    house: House = connection.app.state.house
    return house
