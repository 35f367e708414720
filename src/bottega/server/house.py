"""What every request may need: the open studio, its people and projects, and how the server was started."""

import asyncio

import msgspec
from starlette.requests import HTTPConnection

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.studio import Studio


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How the server was started."""

    host: str = "127.0.0.1"
    port: int = 8448
    """0: any that is free."""


class House:
    def __init__(self, studio: Studio, secret: bytes, options: Options) -> None:
        database = studio.runtime.database
        self.studio = studio
        self.options = options
        self.people = People(database)
        self.passes = Passes(database, secret)
        self.projects = Projects(database)
        self.stopping = asyncio.Event()
        """Set when the server is about to end: whoever streams says goodbye."""


def house_of(connection: HTTPConnection) -> House:
    house: House = connection.app.state.house
    return house
