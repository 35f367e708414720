"""What every request may need: the open studio, its people and projects, and how the server was started."""

import msgspec
from starlette.requests import HTTPConnection

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.projects.files.files import Files
from bottega.projects.projects import Projects
from bottega.server.shells import ServedShells
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
        self.files = Files(studio.opened.hands.locked, database.home.workspace)
        self.shells = ServedShells(studio)

    async def close(self) -> None:
        """End what this process holds for people, before the studio ends."""
        await self.shells.close_all()


def house_of(connection: HTTPConnection) -> House:
    house: House = connection.app.state.house
    return house
