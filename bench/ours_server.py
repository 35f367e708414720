"""The whole way: provider → log → server process → clients on sockets; and what the server holds and takes to start."""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from bottega.events.event import Event
from bottega.events.facts import NAMES
from bottega.studio import Studio
from served import Client, Server, address_of, serving, started, visiting
from stopwatch import PACE, STREAMS, Figures, main
from workshop import pen_of, work

CLIENTS = 250
IDLE = 1000
FANNED = 50
FAST = 500
"""Chunks per second of the one stream that many follow."""


async def load(url: str, quick: bool) -> Figures:
    """250 clients on 100 sessions that stream 20 chunks a second each."""
    seconds = 3 if quick else 10
    mode = f"stamped-{PACE * (seconds + 60)}-{PACE}"
    async with serving(url, mode) as server, visiting(server) as visitor:
        clients = await opened(visitor(), visitor, mode)
        readers = [asyncio.create_task(client.read()) for client in clients]
        for client in clients[:STREAMS]:
            await client.prompt()
        await asyncio.gather(*(client.flowing.wait() for client in clients))
        for client in clients:
            client.late.clear()
        spent, wall = server.cpu(), time.perf_counter()
        await asyncio.sleep(seconds)
        spent, wall = server.cpu() - spent, time.perf_counter() - wall
        late = [each for client in clients for each in client.late]
        for reader in readers:
            reader.cancel()
    cuts = quantiles(late, n=100)
    return {
        "load.p50": median(late) * 1e3,
        "load.p95": cuts[94] * 1e3,
        "load.p99": cuts[98] * 1e3,
        "load.delivered": len(late) / wall,
        "load.cpu": spent / wall * 100,
    }


async def opened(first: Client, visitor: object, mode: str) -> list[Client]:
    """A client for each session, then the others, who join them."""
    assert callable(visitor)
    clients: list[Client] = [first, *(visitor() for _ in range(CLIENTS - 1))]
    for client in clients[:STREAMS]:
        await client.open(mode)
    for number, client in enumerate(clients[STREAMS:]):
        await client.open(session_id=clients[number % STREAMS].session_id)
    return clients


async def fan(url: str, quick: bool) -> Figures:
    """What each further client of one stream costs for each chunk."""
    seconds = 2 if quick else 5
    alone = await fanned(url, 1, seconds)
    together = await fanned(url, FANNED, seconds)
    return {"fan.client": (together - alone) / (FANNED - 1) * 1e6}


async def fanned(url: str, count: int, seconds: int) -> float:
    """CPU seconds of the server for a chunk that so many clients get."""
    mode = f"stamped-{FAST * (seconds + 20)}-{FAST}"
    async with serving(url, mode) as server, visiting(server) as visitor:
        clients = [visitor() for _ in range(count)]
        await clients[0].open(mode)
        for client in clients[1:]:
            await client.open(session_id=clients[0].session_id)
        readers = [asyncio.create_task(client.read()) for client in clients]
        await clients[0].prompt()
        await asyncio.gather(*(client.flowing.wait() for client in clients))
        seen, spent = len(clients[0].late), server.cpu()
        await asyncio.sleep(seconds)
        spent, seen = server.cpu() - spent, len(clients[0].late) - seen
        for reader in readers:
            reader.cancel()
        return spent / seen


async def idle(url: str, quick: bool) -> Figures:
    """What the server holds, with nobody there and with a thousand sockets that only listen."""
    count = 200 if quick else IDLE
    async with serving(url, "burst-10") as server, visiting(server) as visitor:
        async with visiting(server) as other:
            await one(other(), server)
        bare = server.resident_kb()
        clients = [visitor() for _ in range(count)]
        await clients[0].open("burst-10")
        for client in clients[1:]:
            await client.open(session_id=clients[0].session_id)
        held, spent, wall = server.resident_kb(), server.cpu(), time.perf_counter()
        await asyncio.sleep(2 if quick else 6)
        spent, wall = server.cpu() - spent, time.perf_counter() - wall
        for client in clients:
            await client.close()
    return {
        "served.idle": bare / 1024,
        "served.socket": (held - bare) / count,
        "served.cpu": spent / wall * 100,
    }


async def one(client: Client, server: Server) -> None:
    """A socket that came and went, so that all that is loaded when first needed is loaded."""
    await client.open("burst-10")
    await client.close()


async def opening(url: str, quick: bool) -> Figures:
    """A session of 10,000 events, opened over HTTP: what a first screen needs, and where to follow from."""
    figures: Figures = {}
    async with (
        serving(url, "burst-10", filled=long_sessions) as server,
        visiting(server) as visitor,
    ):
        for length, session_id in (await visitor().listed()).items():
            times = [await visitor().timed(session_id) for _ in range(50 if quick else 300)]
            figures[length] = quantiles(times[10:], n=20)[18] * 1e3
    return {
        "served.open": figures["10000"],
        "served.open.length": figures["10000"] / figures["1000"],
    }


async def long_sessions(home: Path, folder: Path) -> None:
    """Two sessions, named by how many events they have."""
    async with Studio(home) as studio:
        for length in (1000, 10_000):
            session = await studio.start(model="guide", folder=folder, title=str(length))
            facts = [
                Event(NAMES[type(each)], 1760000000000, each, "before", step=1)
                for each in work(length)
            ]
            async with pen_of(studio, session) as pen:
                await pen.record(*facts)


def ready(url: str, quick: bool) -> Figures:
    """Milliseconds from the start of `bottega serve`, in a home that is there already, until it listens."""
    with tempfile.TemporaryDirectory() as place:
        times = [until(Path(place)) for _ in range(3 if quick else 6)]
    return {"served.ready": median(times[1:]) * 1e3}


def until(place: Path) -> float:
    begin = time.perf_counter()
    process = started(place / "home", place)
    address_of(process)
    took = time.perf_counter() - begin
    process.terminate()
    process.wait(20)
    return took


if __name__ == "__main__":
    main(load=load, fan=fan, idle=idle, opening=opening, ready=ready)
