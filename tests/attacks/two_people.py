"""A server with two people who know nothing of each other: `greedy`, who wants it all, and the host."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.attacks.obedient import obedient
from tests.server.serving import Client, Serving

MODEL = "openai-chat/m"


@contextmanager
def crowded(place: Path, *flags: str, **settings: str) -> Generator[Serving]:
    """A server whose model is at hand, with a project for each of the two."""
    for name in ("host", "greedy"):
        (place / name).mkdir(parents=True)
    with obedient() as url:
        environment = {
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
            "BOTTEGA_WINDOW_USD": "0",  # nobody knows the model's price: it would count as the dearest
            **{f"BOTTEGA_{name.upper()}": value for name, value in settings.items()},
        }
        with Serving(place / "home", place / "host", *flags, environment=environment) as serving:
            add(serving, "greedy", place / "greedy")
            yield serving


def add(serving: Serving, name: str, folder: Path) -> str:
    """One more person, with a project; their token."""
    token = serving.token(name)
    with ThreadPoolExecutor(1) as thread:  # whoever asks may have a loop that runs
        thread.submit(asyncio.run, _give_project(serving.home, name, folder)).result()
    return token


async def _give_project(home: Path, name: str, folder: Path) -> None:
    database = Database.open(Home(home), MIGRATIONS)
    try:
        await Projects(database).add(folder, People(database).named(name).n)
    finally:
        database.close()


class Person:
    """Somebody with a project of their own, as far as these attacks need it."""

    def __init__(self, client: Client, project: str) -> None:
        self.client = client
        self.project = project

    async def begin(self, model: str = MODEL) -> str:
        body = {"project_id": self.project, "model": model, "mode": "allow"}
        return (await self.client.post("/api/sessions", body))["id"]

    async def delete(self, *sessions: str) -> None:
        """Stop what runs there, and forget it."""
        for each in sessions:
            await self.client.post(f"/api/sessions/{each}/close")
        paths = [f"/api/sessions/{each}" for each in sessions]
        await asyncio.gather(*(self.client.call("DELETE", path) for path in paths))

    async def leave(self) -> None:
        """Close every shell and delete every session."""
        shells = f"/api/projects/{self.project}/shells"
        for each in (await self.client.get(shells))["shells"]:
            await self.client.call("DELETE", f"{shells}/{each['id']}")
        while found := (await self.client.get("/api/sessions"))["sessions"]:
            await self.delete(*(each["id"] for each in found))

    async def begin_many(self, count: int) -> list[str]:
        return list(await asyncio.gather(*(self.begin() for _ in range(count))))

    async def say(self, session: str, content: Any) -> tuple[int, Any]:
        body = {"message_id": str(uuid.uuid4()), "content": content}
        return await self.client.call("POST", f"/api/sessions/{session}/prompts", body)

    async def first_token(self, session: str = "", content: str = "hi") -> float:
        """Seconds from the prompt to the first word of its answer, as somebody who reads along sees it."""
        session = session or await self.begin()
        began = time.monotonic()
        status, answer = await self.say(session, content)
        assert status == 202, answer
        await self.until(session, "text_delta", after=answer["index"])
        return time.monotonic() - began

    async def until(
        self, session: str, kind: str, *, after: int = 0, seconds: float = 45
    ) -> dict[str, Any]:
        """The next event of that kind past an index."""
        path = f"/api/sessions/{session}/events?after={after}"
        follow = {"accept": "text/event-stream"}
        async with (
            asyncio.timeout(seconds),
            self.client.session.get(path, headers=follow, read_bufsize=2**24) as stream,
        ):
            async for line in stream.content:
                if line.startswith(b"data: {"):
                    event = msgspec.json.decode(line[6:])
                    if event["type"] == kind:
                        return event
        raise AssertionError(f"No {kind} came.")

    async def ran(self, content: str, session: str = "") -> str:
        """The final response to a prompt."""
        session = session or await self.begin()
        status, answer = await self.say(session, content)
        assert status == 202, answer
        end = await self.until(session, "exchange_response", after=answer["index"])
        return end["data"].get("final_response", "")


@asynccontextmanager
async def both(serving: Serving) -> AsyncGenerator[tuple[Person, Person]]:
    """The greedy one, then the host."""
    async with (
        serving.client(serving.token("greedy")) as greedy,
        serving.client(serving.token()) as host,
    ):
        yield await person_of(greedy), await person_of(host)


async def person_of(client: Client) -> Person:
    (project,) = (await client.get("/api/projects"))["projects"]
    return Person(client, project["id"])
