"""The server to use: the one of this home, with a pass that somebody at this machine may make, or one at an address."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import mark_of, secret
from bottega.errors import Misconfigured, NotFound
from bottega.runtime import MIGRATIONS
from bottega.settings import Settings
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.storage.serving import Serving, server_of

if TYPE_CHECKING:
    from bottega.client import Remote

LASTS = 24 * 3_600_000
"""Milliseconds for which a pass of this machine is good, if nobody ends it before."""


class Server(NamedTuple):
    address: str
    token: str
    ca_file: str = ""
    """Certificates to trust besides the system's."""

    def remote(self, patience: float = 60) -> "Remote":
        """`patience`: seconds for which one that is gone is tried again."""
        from bottega.client import Remote

        return Remote(self.address, self.token, patience=patience, ca_file=self.ca_file)


def here(settings: Settings) -> Serving | None:
    """The server that runs in this home; refuse one that would not take what is made here."""
    found = server_of(settings.home)
    if found and found.mark != mark_of(_secret(settings)):
        raise Misconfigured(
            "The server of this home was started with another secret.",
            hint="Set BOTTEGA_SECRET as it was set there.",
        )
    return found


def _secret(settings: Settings) -> bytes:
    return secret(settings.home, settings.environment.get("BOTTEGA_SECRET", ""))


@asynccontextmanager
async def server(settings: Settings, at: str = "") -> AsyncGenerator[Server]:
    """Where it is, and a token that is good while this lasts."""
    ca_file = settings.values.ca_file
    if at:
        token = settings.environment.get("BOTTEGA_TOKEN", "")
        if not token:
            raise Misconfigured(
                "A server elsewhere wants a token.",
                hint="Set BOTTEGA_TOKEN to one that `bottega people token NAME` prints there.",
            )
        yield Server(at, token, ca_file)
        return
    found = here(settings)
    if found is None:
        raise NotFound(
            "No server runs in this home.",
            hint="`bottega serve` starts one; --at ADDRESS uses one elsewhere.",
        )
    database = await asyncio.to_thread(Database.open, Home(settings.home), MIGRATIONS)
    try:
        passes = Passes(database, _secret(settings))
        token = await passes.give(People(database).host(), "token", lasts=LASTS)
        try:
            yield Server(found.address, token, ca_file)
        finally:
            await passes.end(token, "token")
    finally:
        await asyncio.to_thread(database.close)


async def greet(server: Server) -> None:
    """Say at once if nobody is there, or the token is not good: only a server that was there is waited for."""
    async with server.remote(patience=0) as probe:
        await probe.sessions(1)
