"""The server to use: the one of this home, with a pass that somebody at this machine may make, or one at an address."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.errors import Misconfigured, NotFound
from bottega.runtime import MIGRATIONS
from bottega.settings import Settings
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.storage.serving import server_of

LASTS = 24 * 3_600_000
"""Milliseconds for which a pass of this machine is good, if nobody ends it before."""


class Server(NamedTuple):
    address: str
    token: str


@asynccontextmanager
async def server(settings: Settings, at: str = "") -> AsyncGenerator[Server]:
    """Where it is, and a token that is good while this lasts."""
    if at:
        token = settings.environment.get("BOTTEGA_TOKEN", "")
        if not token:
            raise Misconfigured(
                "A server elsewhere wants a token.",
                hint="Set BOTTEGA_TOKEN to one that `bottega people token NAME` prints there.",
            )
        yield Server(at, token)
        return
    found = server_of(settings.home)
    if found is None:
        raise NotFound(
            "No server runs in this home.",
            hint="`bottega serve` starts one; --at ADDRESS uses one elsewhere.",
        )
    database = await asyncio.to_thread(Database.open, Home(settings.home), MIGRATIONS)
    try:
        key = secret(settings.home, settings.environment.get("BOTTEGA_SECRET", ""))
        passes = Passes(database, key)
        token = await passes.give(People(database).host(), "token", lasts=LASTS)
        try:
            yield Server(found.address, token)
        finally:
            await passes.end(token, "token")
    finally:
        await asyncio.to_thread(database.close)
