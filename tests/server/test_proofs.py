"""What lasts longer than a request ends soon after the pass that it was had with, or the person, is no more."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.runtime import MIGRATIONS
from bottega.sessions.care import retention
from bottega.sessions.log import Log
from bottega.sessions.session import Sessions
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.server.hub.wire import Gone, wired
from tests.server.serving import Client, Serving

SOON = 5.0


@asynccontextmanager
async def beside(home: Path) -> AsyncGenerator[Database]:
    """The same home, as another process opens it."""
    database = Database.open(Home(home), MIGRATIONS)
    try:
        yield database
    finally:
        database.close()


async def remove(home: Path, name: str) -> None:
    """As `bottega people remove NAME --with-sessions` does."""
    async with beside(home) as database:
        people = People(database)
        person = people.named(name)
        for row in await Sessions(database).list(50, None, person.n):
            await retention.delete(database, Log(database), Blobs(database.home.blobs), row)
        await people.remove(person)


async def streamed(client: Client, session: str, begun: asyncio.Event) -> str:
    """All that a stream of events says until it ends."""
    headers = {"Accept": "text/event-stream"}
    said = b""
    async with client.session.get(f"/api/sessions/{session}/events", headers=headers) as response:
        assert response.status == 200
        async for chunk in response.content.iter_any():
            said += chunk
            begun.set()
    return said.decode()


async def project_of(client: Client) -> str:
    return (await client.get("/api/projects"))["projects"][0]["id"]


async def ends_soon(act: Coroutine[Any, Any, None], *lasting: "asyncio.Task[Any]") -> None:
    await act
    began = time.monotonic()
    async with asyncio.timeout(SOON + 1):
        await asyncio.wait(lasting)
    assert time.monotonic() - began < SOON


async def test_a_stream_ends_soon_after_its_pass_was_revoked_and_others_go_on(
    serving: Serving,
) -> None:
    async with serving.client() as one:
        lost = await one.post("/api/sessions", {})
        (mine,) = (await one.get("/api/passes"))["passes"][:1]
        serving._tokens.clear()  # pyright: ignore[reportPrivateUsage]
        async with serving.client() as other:
            begun, too = asyncio.Event(), asyncio.Event()
            lasts = asyncio.create_task(streamed(one, lost["id"], begun))
            stays = asyncio.create_task(streamed(other, lost["id"], too))
            await asyncio.gather(begun.wait(), too.wait())

            async def revoke() -> None:
                assert (await other.call("DELETE", f"/api/passes/{mine['id']}"))[0] == 204

            await ends_soon(revoke(), lasts)
            assert (await one.call("GET", "/api/me"))[0] == 401
            await asyncio.sleep(0)
            assert not stays.done(), "it was had with another pass"
            stays.cancel()


async def test_of_a_person_who_was_removed_nothing_goes_on(serving: Serving, folder: Path) -> None:
    token = serving.token("Ada")
    async with beside(serving.home) as database:
        await Projects(database).add(folder, People(database).named("Ada").n)
    async with serving.client(token) as ada, wired(ada) as wire:
        project = await project_of(ada)
        session = (await ada.post("/api/sessions", {"project_id": project}))["id"]
        shell = (await ada.post(f"/api/projects/{project}/shells", {}))["id"]
        named = {"project_id": project, "shell_id": shell}
        await wire.ask(type="shell-attach", **named)
        await wire.ask(type="shell-input", **named, text="sleep 4321.5\n")
        begun = asyncio.Event()
        streaming = asyncio.create_task(streamed(ada, session, begun))
        await begun.wait()
        await until(lambda: bool(asleep()))

        async def closed() -> int | None:
            with pytest.raises(Gone) as gone:
                await wire.a("never")
            return gone.value.code

        closing = asyncio.create_task(closed())
        await ends_soon(remove(serving.home, "Ada"), streaming, closing)
        assert closing.result() == 1008
        await until(lambda: not asleep())


def asleep() -> list[int]:
    """The processes of the command that was typed."""
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if (each / "cmdline").read_bytes() == b"sleep\x004321.5\x00":
                found.append(int(each.name))
        except OSError:
            continue
    return found


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not so():
            await asyncio.sleep(0.02)
