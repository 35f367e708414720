"""A server whose model plays by the words it hears, and readers of what it streams."""

import asyncio
import os
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import msgspec

from bottega.sessions.feed import Row
from bottega.storage.database import Database
from tests.server.serving import Client, Serving

PATIENCE = 60
"""Seconds after which what was waited for does not come any more."""
SITE = "Here it is.\n\n```html\n<!-- File: index.html -->\n<h1>Hello</h1>\n```\n"


def say(text: str, **more: Any) -> dict[str, Any]:
    return {"do": "say", "text": text, **more}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


def model(place: Path) -> str:
    """Of each prompt that holds one of these words, what is answered."""

    def gated(name: str) -> list[dict[str, Any]]:
        return [say("before "), {"do": "gate", "path": str(place / name)}, say("after")]

    todos = [{"content": "first", "status": "pending", "priority": "high"}]
    rules: list[dict[str, Any]] = [
        *({"when": f"gate-{name}", "turns": [gated(f"gate-{name}")]} for name in "abcdefgh"),
        {
            "when": "write it",
            "turns": [
                [call("write_file", file_path="new.txt", content="new\n")],
                [say("Written.")],
            ],
        },
        {"when": "the list", "turns": [[call("todo_write", todos=todos)], [say("Listed.")]]},
        {"when": "a site", "turns": [[say(SITE)]]},
        {"when": "reset", "turns": [[say("wro"), {"do": "reset"}, say("right")]]},
        {"when": "fail", "turns": [[{"do": "fail", "message": "The model is out.", "code": "x"}]]},
        {"when": "Carry out", "turns": [[say("Carried out.")]]},
        {"when": "plan", "turns": [[say("1. Do it.")]]},
        {"when": "many", "turns": [[say("word " * 300)]]},
    ]
    turns = [[say("Good day to you.")]]
    path = place / "model.json"
    path.write_bytes(msgspec.json.encode({"turns": turns, "rules": rules, "after": "repeat"}))
    return f"scripted/{path}"


class Api:
    """A running server, who may use it, and what lies behind it."""

    def __init__(self, place: Path, **environment: str) -> None:
        self.place = place
        self.folder = place / "project"
        self.folder.mkdir()
        (self.folder / "inner").mkdir()
        self.serving = Serving(
            place / "home", self.folder, environment={"BOTTEGA_MODEL": model(place), **environment}
        )
        self._tokens: dict[str, str] = {}

    def token(self, name: str = "host") -> str:
        if name not in self._tokens:
            self._tokens[name] = self.serving.token(name)
        return self._tokens[name]

    @asynccontextmanager
    async def client(self, name: str = "host") -> AsyncGenerator[Client]:
        async with self.serving.client(self.token(name)) as client:
            yield client

    def open(self, gate: str) -> None:
        """Let the answers go on that wait at this gate."""
        (self.place / gate).touch()

    def database(self) -> Database:
        """The same database, from this process."""
        from bottega.runtime import MIGRATIONS
        from bottega.storage.home import Home

        return Database.open(Home(self.place / "home"), MIGRATIONS)

    def stored(self, session_id: str) -> list[Row]:
        """What the log holds, byte for byte."""
        database = self.database()
        try:
            return database.read_now(
                lambda c: c.execute(
                    "SELECT idx, body FROM events WHERE session ="
                    " (SELECT n FROM sessions WHERE id = ?) ORDER BY idx",
                    (session_id,),
                ).fetchall()
            )
        finally:
            database.close()


def fresh() -> str:
    return str(uuid.uuid4())


async def begun(client: Client, **new: Any) -> str:
    """The id of a new session."""
    return (await client.post("/api/sessions", new))["id"]


async def prompted(client: Client, session: str, text: str, **more: Any) -> str:
    """The id of a prompt that was admitted."""
    said = {"message_id": fresh(), "content": text, **more}
    return (await client.post(f"/api/sessions/{session}/prompts", said))["message_id"]


class Message(NamedTuple):
    id: str
    event: str
    data: bytes


async def messages(response: aiohttp.ClientResponse) -> AsyncGenerator[Message]:
    """Server-sent events, read by the letters of the standard; comments come as an event called `comment`."""
    id_, event, told = "", "", list[bytes]()
    async for raw in response.content:
        line = raw.rstrip(b"\r\n")
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"id":
                id_ = value.decode()
            case b"event":
                event = value.decode()
            case b"data":
                told.append(value)
            case b"" if line:
                yield Message("", "comment", value)
            case b"":
                if told:
                    yield Message(id_, event, b"\n".join(told))
                id_, event, told = "", "", []
            case _:
                pass


@asynccontextmanager
async def following(
    client: Client, session: str, after: int = 0, **headers: str
) -> AsyncGenerator[AsyncGenerator[Message]]:
    async with client.session.get(
        f"/api/sessions/{session}/events",
        params={"after": after},
        headers={"Accept": "text/event-stream", **headers},
    ) as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "text/event-stream"
        yield messages(response)


async def until(
    client: Client, session: str, kind: str, message_id: str = "", after: int = 0
) -> dict[str, Any]:
    """Follow a session until an event of that type comes."""
    async with asyncio.timeout(PATIENCE), following(client, session, after) as told:
        async for message in told:
            if message.event:
                continue
            body = msgspec.json.decode(message.data)
            if body["type"] == kind and message_id in ("", body.get("message_id")):
                return body
    raise AssertionError(f"no {kind}")


async def ran(client: Client, session: str, text: str, **more: Any) -> dict[str, Any]:
    """What an exchange ended with."""
    said = {"message_id": fresh(), "content": text, **more}
    admitted = await client.post(f"/api/sessions/{session}/prompts", said)
    name, after = admitted["message_id"], admitted["index"]
    return (await until(client, session, "exchange_response", name, after))["data"]


def memory(pid: int) -> int:
    """Bytes that a process holds."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
