"""The floor of what is durable: the bare loop's chunks into SQLite (WAL, FULL) without a program around it, then read.

One thread, a commit for each read of the socket; paced, at most one every ten milliseconds for all streams together.
"""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import msgspec

from floor import deltas
from stopwatch import BURST, PACE, QUESTION, STREAMS, Figures, cpu_of, main

ASKED = [{"role": "user", "content": QUESTION}]


class Event(msgspec.Struct):
    type: str
    text: str


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Event).decode


class Store:
    """Events by stream, and a follower that reads what was committed."""

    def __init__(self, folder: str) -> None:
        self.commits = 0
        self._pending: list[tuple[int, int, bytes]] = []
        self._last: dict[int, int] = {}
        self._connection = sqlite3.connect(Path(folder) / "floor.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(
            "CREATE TABLE events (n INTEGER PRIMARY KEY, session, idx, body BLOB, UNIQUE (session, idx))"
        )

    def add(self, stream: int, body: bytes) -> None:
        index = self._last[stream] = self._last.get(stream, 0) + 1
        self._pending.append((stream, index, body))

    def commit(self) -> list[Event]:
        rows, self._pending = self._pending, []
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(
            "INSERT INTO events (session, idx, body) VALUES (?, ?, ?)", rows
        )
        self._connection.execute("COMMIT")
        self.commits += bool(rows)
        return [decode(body) for _, _, body in rows]


@contextmanager
def opened() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        yield Store(folder)


async def durable(url: str, quick: bool) -> Figures:
    async with aiohttp.ClientSession() as session:
        with opened() as store:

            async def read() -> None:
                async for found in deltas(session, f"{url}/burst-{BURST}/v1", ASKED):
                    for delta in found:
                        store.add(1, encode(Event("text_delta", delta.content or "")))
                    store.commit()

            return {"durable.burst": await cpu_of(read, 0.3 if quick else 1.5) / BURST * 1e6}


async def paced(url: str, quick: bool) -> Figures:
    count = PACE * (2 if quick else 5)
    with opened() as store:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def read(number: int) -> None:
                async for found in deltas(session, f"{url}/paced-{count}-{PACE}/v1", ASKED):
                    for delta in found:
                        store.add(number, encode(Event("text_delta", delta.content or "")))

            wall, begin = time.perf_counter(), time.process_time()
            flushing = asyncio.create_task(flushed(store))
            await asyncio.gather(*(read(number) for number in range(STREAMS)))
            flushing.cancel()
            spent, wall = time.process_time() - begin, time.perf_counter() - wall
    return {
        "durable.paced": spent / count / STREAMS * 1e6,
        "durable.commits": store.commits / wall,
    }


async def flushed(store: Store) -> None:
    while True:
        await asyncio.sleep(0.01)
        store.commit()


def commit(_: str, quick: bool) -> Figures:
    """Durable events per second: one commit for 50 events, and one for each."""
    with opened() as store:
        begin = time.process_time()
        grouped, count = appended(store, 50, 0.5 if quick else 2.0)
        spent = time.process_time() - begin
        single, _ = appended(store, 1, 0.5 if quick else 1.0)
    return {
        "commit.events": grouped,
        "commit.cpu": spent / count * 1e6,
        "commit.each": single,
        "commit.group": 50,
    }


def appended(store: Store, group: int, seconds: float) -> tuple[float, int]:
    """Events per second in transactions of `group` events of 200 bytes, and how many there were."""
    body = encode(Event("text_delta", "x" * 165))
    begin, done = time.perf_counter(), 0
    while (spent := time.perf_counter() - begin) < seconds:
        for stream in range(group):
            store.add(stream, body)
        store.commit()
        done += group
    return done / spent, done


if __name__ == "__main__":
    main(durable=durable, paced=paced, commit=commit)
