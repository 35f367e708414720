"""A server to kill: the real `serve`, forked from a process that has everything imported: a life of it costs little."""

import asyncio
import os
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from bottega import failpoint
from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.runtime import MIGRATIONS
from bottega.server.house import Options
from bottega.server.serve import serve
from bottega.settings import load
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.forking import CONTEXT

NEVER = 10**9
"""A passage that nothing comes to: the point is counted, and does nothing."""


class Forked:
    """One home; a process of it at a time, that ends at the point it was armed with."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder
        self.address = ""

    def start(self, *points: str, workers: int = 0) -> bool:
        """Whether it came to listen before it died. With workers the points are those of their first lives alone."""
        self._told, tells = CONTEXT.Pipe(duplex=False)
        arguments = (str(self.home), str(self.folder), ",".join(points), workers, tells)
        self.process = CONTEXT.Process(target=_live, args=arguments)
        self.process.start()
        tells.close()
        try:
            self.address = self._told.recv()
        except EOFError:
            return False
        return True

    async def death(self) -> int | None:
        """Wait until it is dead; its exit code, -9 for one that was killed."""
        await asyncio.to_thread(self.process.join, 20)
        return self.process.exitcode

    def is_alive(self) -> bool:
        return self.process.is_alive()

    def kill(self) -> None:
        self.process.kill()
        self.process.join(20)

    def passages(self) -> dict[str, int]:
        """Ask the process to end, and how often it came to each point that it was armed with."""
        self.process.terminate()
        return self._told.recv()

    async def token(self) -> str:
        """As somebody at this machine would get one."""
        database = Database.open(Home(self.home), MIGRATIONS)
        try:
            key = secret(self.home)
            return await Passes(database, key).give(People(database).host(), "token")
        finally:
            database.close()


def _live(home: str, folder: str, points: str, workers: int, tells: Connection) -> None:
    os.chdir(folder)
    if workers:
        os.environ["BOTTEGA_FAILPOINTS"] = points
    else:
        failpoint.arm(points)
    settings = load(home=Path(home), folder=Path(folder))
    options = Options(port=0, workers=workers)

    def ready(address: str, _: str) -> None:
        while len(_children()) < workers:  # each has its environment from its first moment on
            time.sleep(0.01)
        os.environ.pop("BOTTEGA_FAILPOINTS", None)
        tells.send(address)

    with suppress(KeyboardInterrupt, SystemExit):
        asyncio.run(serve(settings, options, Path(folder), ready))
    tells.send(dict(failpoint._reached))  # pyright: ignore[reportPrivateUsage]


def _children() -> list[str]:
    """Of this process, in all of its threads."""
    return " ".join(each.read_text() for each in Path("/proc/self/task").glob("*/children")).split()
