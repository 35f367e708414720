"""A person at a server who has one of everything that has an owner, by the name that paths and frames know it by.

A name without a maker here is one that nobody has thought about: the tests that cross ids fail for it.
"""

import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.chaos.clients import told
from tests.server.serving import Client, Serving

WORD = "heliotrope"
"""Stands in all that a person of these tests says and writes: nobody else may ever be told it."""

TURNS = [
    [{"do": "call", "name": "write_file", "input": {"file_path": "x", "content": WORD}}],
    [{"do": "say", "text": WORD}],
]


def script(path: Path) -> str:
    """A model that wants to write a file, which waits for an answer."""
    path.write_bytes(msgspec.json.encode({"turns": TURNS, "after": "repeat"}))
    return f"scripted/{path}"


class Owner:
    def __init__(self, name: str, client: Client, project_id: str, model: str) -> None:
        self.name = name
        self.client = client
        self.model = model
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
    wanted = {"model": owner.model, "mode": "ask", "title": WORD}
    made = await owner.post("/api/sessions", {**wanted, "project_id": owner.ids["project_id"]})
    return made["id"]


async def _message(owner: Owner) -> str:
    """A prompt that has to wait: one before it waits for an answer."""
    await owner.make("session_id")
    prompts = f"/api/sessions/{owner.ids['session_id']}/prompts"
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    for each in (first, second):
        await owner.post(prompts, {"message_id": each, "content": f"{WORD} {each}"})
    return second


async def _ask(owner: Owner) -> str:
    await owner.make("message_id")
    async with owner.client.session.get(
        f"/api/sessions/{owner.ids['session_id']}/events", headers={"Accept": "text/event-stream"}
    ) as response:
        async for _, body in told(response.content):
            event = msgspec.json.decode(body)
            if event["type"] == "approval_required":
                return event["data"]["approval_id"]
    raise AssertionError("nothing was asked")


async def _shell(owner: Owner) -> str:
    made = await owner.post(f"/api/projects/{owner.ids['project_id']}/shells", {})
    return made["id"]


async def _pass(owner: Owner) -> str:
    return (await owner.client.get("/api/passes"))["passes"][0]["id"]


async def _project(owner: Owner) -> str:
    return owner.ids["project_id"]


MAKERS: dict[str, Callable[[Owner], Awaitable[str]]] = {
    "project_id": _project,
    "session_id": _session,
    "message_id": _message,
    "ask_id": _ask,
    "shell_id": _shell,
    "pass_id": _pass,
}


async def owner_of(serving: Serving, name: str, client: Client, folder: Path) -> Owner:
    """That person, with a project of their own: registered by somebody at this machine, as it has to be."""
    folder.mkdir()
    (folder / "notes.txt").write_text(f"{WORD} of {name}\n")
    database = Database.open(Home(serving.home), MIGRATIONS)
    try:
        person = People(database).named(name)
        project = await Projects(database).add(folder, person.n)
    finally:
        database.close()
    return Owner(name, client, project.id, script(folder.parent / f"{name}.json"))


def never(known: str) -> str:
    """An id of the same form, of which there never was a thing."""
    return known[:-8] + "".join("1" if letter == "0" else "0" for letter in known[-8:])
