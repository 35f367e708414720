"""A real server process in a home of its own, whose providers are the mock's ways to answer, and its clients.

A client is a socket with one tab. It notes when each chunk arrives; the mock wrote into the chunk when it was sent.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from bottega.accounts.passes import Kind, Passes, page_key
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from stopwatch import QUESTION


class Server:
    """What is measured: the process, from outside."""

    def __init__(
        self, process: subprocess.Popen[str], address: str, token: str, login: str, page_key: str
    ) -> None:
        self.process = process
        self.address = address
        self.token = token
        self.login = login
        """What a browser carries as its cookie, and …"""
        self.page_key = page_key
        """… what its pages prove themselves with."""

    def cpu(self) -> float:
        """Seconds that the process has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_kb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024


Filling = Callable[[Path, Path], Awaitable[None]]
"""Puts something into a home and its project before the server starts."""


@asynccontextmanager
async def serving(url: str, *modes: str, filled: Filling | None = None) -> AsyncIterator[Server]:
    """`bottega serve` in which each mode of the mock is a provider: its model is `MODE/mock-1`."""
    with tempfile.TemporaryDirectory() as place:
        home, folder = Path(place, "home"), Path(place, "project")
        folder.mkdir()
        home.mkdir()
        tables = [f'[providers."{mode}"]\nbase_url = "{url}/{mode}/v1"\n' for mode in modes]
        head = 'context_window = 1000000\nlimits = "default"\nwindow_usd = 0\n'
        (home / "config.toml").write_text(head + "".join(tables))
        if filled:
            await filled(home, folder)
        process = started(home, folder)
        try:
            address = address_of(process)
            token, login = await proof(home, "token"), await proof(home, "login")
            yield Server(process, address, token, login, page_key(secret(home), login))
        finally:
            process.terminate()
            process.wait(20)


def started(home: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bottega", "--home", home, "serve", "--no-open", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )


def address_of(process: subprocess.Popen[str]) -> str:
    """Once it listens."""
    assert process.stdout
    for line in process.stdout:
        if line.startswith("Bottega is at "):
            return line.split()[-1]
    raise AssertionError("the server ended before it listened")


async def proof(home: Path, kind: Kind) -> str:
    database = Database.open(Home(home), MIGRATIONS)
    try:
        return await Passes(database, secret(home)).give(People(database).host(), kind)
    finally:
        database.close()


class Client:
    """One socket with one tab."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http
        self._tab = str(uuid.uuid4())
        self.session_id = ""
        self.late: list[float] = []
        """Seconds from the provider to here, a chunk each."""
        self.flowing = asyncio.Event()

    async def open(self, mode: str = "", session_id: str = "") -> None:
        async with self._http.post("/api/tickets") as response:
            response.raise_for_status()
            ticket = (await response.json())["ticket"]
        self._socket = await self._http.ws_connect(f"/ws/{ticket}", max_msg_size=0)
        wanted = {"session_id": session_id} if session_id else {"model": f"{mode}/mock-1"}
        await self._socket.send_json({"type": "new-tab", "tab_id": self._tab, **wanted})
        while not self.session_id:
            frame = await self._socket.receive_json()
            assert frame["type"] != "error", frame
            self.session_id = frame.get("session_id", "")

    async def listed(self) -> dict[str, str]:
        """The sessions' ids, by their titles."""
        async with self._http.get("/api/sessions") as response:
            response.raise_for_status()
            return {each["title"]: each["id"] for each in (await response.json())["sessions"]}

    async def timed(self, session_id: str) -> float:
        """Seconds until one session is here, with the end of what was said."""
        begin = time.perf_counter()
        async with self._http.get(f"/api/sessions/{session_id}") as response:
            response.raise_for_status()
            await response.read()
        return time.perf_counter() - begin

    async def prompt(self) -> None:
        said = {"tab_id": self._tab, "message_id": str(uuid.uuid4()), "text": QUESTION}
        await self._socket.send_json({"type": "prompt", **said})

    async def read(self) -> None:
        """Until it is cancelled, or the answer has ended."""
        async for message in self._socket:
            at = time.monotonic()
            frame = json.loads(message.data)
            for _, body in frame.get("events", ()):
                if body["type"] == "text_delta":
                    self.late += [at - float(sent) for sent in body["data"]["text"].split()]
                    self.flowing.set()
                elif body["type"] == "exchange_response":
                    return

    async def close(self) -> None:
        await self._socket.close()


@asynccontextmanager
async def visiting(server: Server) -> AsyncIterator[Callable[[], Client]]:
    """Makes clients, as many as are wanted."""
    async with aiohttp.ClientSession(
        server.address,
        headers={"Authorization": f"Bearer {server.token}"},
        connector=aiohttp.TCPConnector(limit=0),
    ) as http:
        yield lambda: Client(http)
