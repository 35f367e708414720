"""A real server process on a free port of this machine, and those who use it."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from bottega.accounts.passes import Kind, Passes, page_key
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.forking import Program


class Serving:
    """`bottega serve` in a process of its own. `start` again after a kill: the home and the port stay."""

    def __init__(
        self,
        home: Path,
        folder: Path,
        *flags: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self.folder = folder
        self._flags = flags
        # Scripts stand in for models here: those of any test of this run.
        self._environment = {"BOTTEGA_SCRIPTS": str(home.parent.parent), **(environment or {})}
        self._port = 0
        self._process: Program | subprocess.Popen[str] | None = None
        self.address = ""
        self.link = ""
        self._tokens: dict[str, str] = {}

    def start(self) -> None:
        """Return once it listens."""
        until = time.monotonic() + 15
        while failure := self._try_to_start():
            # While it was down, a connection of another test may have been given its port for a moment.
            if "Address already in use" not in failure or time.monotonic() > until:
                raise AssertionError(failure)
            time.sleep(0.2)

    def _try_to_start(self) -> str:
        """Why it does not listen; empty: it does."""
        arguments = (
            *("--home", str(self.home), "serve", "--no-open"),
            *("--port", str(self._port), *self._flags),
        )
        environment = {**os.environ, **self._environment}
        begin = _new if _is_for_the_interpreter(self._environment) else Program
        self._process = begin(arguments, self.folder, environment)
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith("Bottega is at "):
                self.address = line.split()[-1]
                self._port = urlsplit(self.address).port or 0
            elif line.startswith("Sign in: "):
                self.link = line.split()[-1].rpartition("#")[2]
                return ""
        return self._process.communicate(timeout=20)[1]

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def kill(self) -> None:
        """-9, and wait until it is gone."""
        assert self._process
        self._process.kill()
        self._process.communicate(timeout=20)

    def stop(self) -> tuple[int, str]:
        """Ask it to end; its exit code and what it said to stderr."""
        assert self._process
        self._process.send_signal(signal.SIGTERM)
        _, said = self._process.communicate(timeout=20)
        return self._process.returncode, said

    def wait(self) -> int:
        """Its exit code, once it has ended by itself."""
        assert self._process
        self._process.communicate(timeout=20)
        return self._process.returncode

    def __enter__(self) -> "Serving":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process and self._process.poll() is None:
            if "COVERAGE_PROCESS_CONFIG" in os.environ:
                self.stop()  # killed, it could not say what it ran through
            else:
                self.kill()
        elif self._process and self._process.stdout and not self._process.stdout.closed:
            self.wait()  # it has ended by itself, or somebody else has ended it

    def token(self, name: str = "host") -> str:
        """A token for that person, made as somebody at this machine would; the person is added if need be."""
        if name not in self._tokens:
            # In a loop of its own: whoever asks may have one that runs.
            with ThreadPoolExecutor(1) as thread:
                making = thread.submit(asyncio.run, _token(self.home, name))
                self._tokens[name] = making.result()
        return self._tokens[name]

    def cookie(self, name: str = "host") -> str:
        """What a browser of that person's carries."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, _pass(self.home, name, "login")).result()

    def link_for(self, name: str) -> str:
        """What stands behind the `#` of a sign-in link for that person."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, _pass(self.home, name, "link")).result()

    def browser(self, cookie: str = "") -> dict[str, str]:
        """The headers by which a page of the studio in that browser is known; empty: of the host's."""
        words = cookie or self.cookie()
        return {
            "Cookie": f"bottega-{self._port}={words}",
            "X-Bottega-Page": page_key(secret(self.home), words),
        }

    @asynccontextmanager
    async def client(self, token: str = "") -> AsyncGenerator["Client"]:
        """Somebody who uses the server with a token; empty: the host."""
        async with aiohttp.ClientSession(
            self.address, headers={"Authorization": f"Bearer {token or self.token()}"}
        ) as session:
            yield Client(session)


def _is_for_the_interpreter(environment: Mapping[str, str]) -> bool:
    """Whether it says something that is heard only while Python starts, where code comes from among it."""
    return "COVERAGE_PROCESS_CONFIG" in os.environ or any(
        name.startswith("PYTHON") for name in environment
    )


def _new(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[str]:
    """A process that is not forked."""
    return subprocess.Popen(
        [sys.executable, "-m", "bottega", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def _token(home: Path, name: str) -> str:
    return await _pass(home, name, "token")


async def _pass(home: Path, name: str, kind: Kind) -> str:
    database = Database.open(Home(home), MIGRATIONS)
    try:
        people = People(database)
        names = [each.name for each in people.list()]
        person = people.named(name) if name in names else await people.add(name)
        return await Passes(database, secret(home)).give(person, kind)
    finally:
        database.close()


class Client:
    """Calls that answer with the status and what the JSON body holds."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def call(
        self, method: str, path: str, body: Any = None, **options: Any
    ) -> tuple[int, Any]:
        async with self.session.request(method, path, json=body, **options) as response:
            text = await response.text()
            is_json = "json" in response.content_type
            return response.status, (await response.json(content_type=None) if is_json else text)

    async def get(self, path: str, **options: Any) -> Any:
        """What a call that succeeds answers."""
        status, answer = await self.call("GET", path, **options)
        assert status == 200, answer
        return answer

    async def post(self, path: str, body: Any = None, **options: Any) -> Any:
        status, answer = await self.call("POST", path, body, **options)
        assert status < 300, answer
        return answer
