"""A person at a server who has one of everything that has an owner, by the name that paths and frames know it by.

A name without a maker here is one that nobody has thought about: the tests that cross ids fail for it.
"""

import base64
import hashlib
import sqlite3
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.projects.projects import Projects
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.chaos.clients import told
from tests.server.hub.wire import wired
from tests.server.serving import Client, Serving


def script(path: Path, word: str) -> str:
    """A model that wants to write a file, which waits for an answer."""
    write = {"do": "call", "name": "write_file", "input": {"file_path": "x", "content": word}}
    turns = [[write], [{"do": "say", "text": word}]]
    loud = {"do": "call", "name": "bash_exec", "input": {"command": f"yes {word} | head -9999"}}
    rules = [{"when": "print", "turns": [[loud], turns[1]]}]
    path.write_bytes(msgspec.json.encode({"turns": turns, "rules": rules, "after": "repeat"}))
    return f"scripted/{path}"


class Owner:
    def __init__(self, name: str, client: Client, project_id: str, folder: Path) -> None:
        self.name = name
        self.client = client
        self.folder = folder
        self.word = f"heliotrope-of-{name}"
        """Stands in all that this person says and writes: nobody else may ever be told it."""
        self.model = script(folder.parent / f"{name}.json", self.word)
        self.ids = {"project_id": project_id}

    async def make(self, *names: str) -> "Owner":
        """Have each of these; what one thing needs is made before it."""
        for name in names:
            if name not in self.ids:
                self.ids[name] = await MAKERS[name](self)
        return self

    async def post(self, path: str, body: Any = None) -> Any:
        return await self.client.post(path, body)


async def _session(owner: Owner) -> str:
    wanted = {"model": owner.model, "mode": "ask", "title": owner.word}
    made = await owner.post("/api/sessions", {**wanted, "project_id": owner.ids["project_id"]})
    return made["id"]


async def _message(owner: Owner) -> str:
    """A prompt that has to wait: one before it waits for an answer."""
    await owner.make("output_id")
    prompts = f"/api/sessions/{owner.ids['session_id']}/prompts"
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    for each in (first, second):
        said = {"message_id": each, "content": f"{owner.word} {each}", "mode": "ask"}
        await owner.post(prompts, said)
    return second


async def _output(owner: Owner) -> str:
    """What a command printed, which is too much to stand in the log."""
    await owner.make("session_id")
    said = {"message_id": str(uuid.uuid4()), "content": "print", "mode": "allow"}
    await owner.post(f"/api/sessions/{owner.ids['session_id']}/prompts", said)
    result = await _event(owner, "tool_result")
    await _event(owner, "exchange_response")
    return msgspec.json.decode(result["content"][0]["text"])["result"]["output_id"]


async def _ask(owner: Owner) -> str:
    await owner.make("message_id")
    return (await _event(owner, "approval_required"))["approval_id"]


async def _event(owner: Owner, kind: str) -> dict[str, Any]:
    """What the first event of that type says, once it is there."""
    async with owner.client.session.get(
        f"/api/sessions/{owner.ids['session_id']}/events", headers={"Accept": "text/event-stream"}
    ) as response:
        async for _, body in told(response.content):
            event = msgspec.json.decode(body)
            if event["type"] == kind:
                return event["data"]
    raise AssertionError(f"no {kind}")


async def _shell(owner: Owner) -> str:
    made = await owner.post(f"/api/projects/{owner.ids['project_id']}/shells", {})
    return made["id"]


async def _tab(owner: Owner) -> str:
    await owner.make("session_id")
    tab_id = str(uuid.uuid4())
    async with wired(owner.client) as wire:
        await wire.ask(type="new-tab", tab_id=tab_id, session_id=owner.ids["session_id"])
    return tab_id


async def _blob(owner: Owner) -> str:
    """A picture that was said to a session: large enough not to stand in the log."""
    await owner.make("ask_id")  # what runs is not to see it
    prompts = f"/api/sessions/{owner.ids['session_id']}/prompts"
    bytes_ = f"{owner.word} ".encode() * 4_000
    picture = {
        "type": "image",
        "media_type": "image/png",
        "data": base64.b64encode(bytes_).decode(),
    }
    await owner.post(prompts, {"message_id": str(uuid.uuid4()), "content": [picture]})
    return hashlib.sha256(bytes_).hexdigest()


async def _pass(owner: Owner) -> str:
    return (await owner.client.get("/api/passes"))["passes"][0]["id"]


async def _project(owner: Owner) -> str:
    return owner.ids["project_id"]


MAKERS: dict[str, Callable[[Owner], Awaitable[str]]] = {
    "project_id": _project,
    "session_id": _session,
    "output_id": _output,
    "message_id": _message,
    "ask_id": _ask,
    "shell_id": _shell,
    "pass_id": _pass,
    "blob": _blob,
    "tab_id": _tab,
}


@asynccontextmanager
async def owner_of(serving: Serving, name: str, folder: Path) -> AsyncGenerator[Owner]:
    """That person, with a project of their own."""
    folder.mkdir()
    token = await token_of(serving, name)
    with at_this_machine(serving) as database:
        project = await Projects(database).add(folder, People(database).named(name).n)
    async with serving.client(token) as client:
        owner = Owner(name, client, project.id, folder)
        (folder / "notes.txt").write_text(owner.word)
        yield owner


async def token_of(serving: Serving, name: str) -> str:
    """A new one; the person is added if need be."""
    with at_this_machine(serving) as database:
        people = People(database)
        known = [each for each in people.list() if each.name == name]
        person = known[0] if known else await people.add(name)
        return await Passes(database, secret(serving.home)).give(person, "token")


@contextmanager
def at_this_machine(serving: Serving) -> Generator[Database]:
    """What only somebody at this machine may do is done beside the server, in its home."""
    database = Database.open(Home(serving.home), MIGRATIONS)
    try:
        yield database
    finally:
        database.close()


def never(known: str) -> str:
    """An id of the same form, of which there never was a thing."""
    return known[:-8] + "".join("1" if letter == "0" else "0" for letter in known[-8:])


def everything_of(owner: Owner, home: Path) -> dict[str, Any]:
    """All that is stored of a person, and their files."""
    with sqlite3.connect(home / "bottega.db") as connection:
        n = connection.execute("SELECT n FROM people WHERE name = ?", (owner.name,)).fetchone()[0]
        sessions = f"SELECT n FROM sessions WHERE owner = {n}"  # noqa: S608

        def select(text: str) -> list[Any]:
            return connection.execute(text).fetchall()

        stored = {
            "sessions": select(
                "SELECT id, title, agent, model, mode, folder, status, last_index FROM sessions"
                f" WHERE owner = {n}"
            ),
            "events": select(f"SELECT * FROM events WHERE session IN ({sessions}) ORDER BY n"),
            "inbox": select(f"SELECT * FROM inbox WHERE session IN ({sessions})"),
            "asks": select(f"SELECT * FROM asks WHERE session IN ({sessions})"),
            "projects": select(f"SELECT * FROM projects WHERE owner = {n}"),
        }
    connection.close()
    files = {path.name: path.read_text() for path in owner.folder.rglob("*") if path.is_file()}
    return {**stored, "files": files}
