"""Streams, clients that come and go, a server that is killed again and again: no byte is missed, doubled or mixed up.

Every client writes down what it was sent, tab by tab. In the end each record is held against the rows in the database's
file, each answer against what the provider told, and what the provider was asked against how often the server died.
"""

import asyncio
import os
import random
import signal
import sqlite3
import uuid
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from tests.chaos.clients import Browser, Record, Stage, Watcher
from tests.chaos.narrator import Telling, story
from tests.hunt import LONG, SEED
from tests.server.serving import Serving


class Scale(NamedTuple):
    sessions: int
    disconnects: int
    kills: int
    workers: int = 0


ALONE = Scale(200, 5_000, 100) if LONG else Scale(12, 150, 3)
STAFFED = Scale(100, 2_500, 60, 2) if LONG else Scale(8, 40, 3, 2)
"""With worker processes, any of which may be the one that dies."""
PAUSE = 0.25 if LONG else 0.02
"""Seconds between two pieces of one answer."""
STAY = 60 if LONG else 20
"""Events that a client sees at most until it does something."""
PATIENCE = 3_600 if LONG else 60
GROUP = 4

CONFIG = """context_window = 1000000
limits = "default"
window_usd = 0
model = "narrator/tale"
[providers.narrator]
base_url = "{}/v1"
"""


@pytest.mark.chaos
@pytest.mark.parametrize("scale", [ALONE, STAFFED], ids=["alone", "staffed"])
async def test_every_client_has_what_the_log_has_whatever_is_cut_hidden_or_killed(
    home: Path, folder: Path, scale: Scale
) -> None:
    print(f"seed {SEED}")
    with Telling(PAUSE) as telling:
        home.mkdir()
        (home / "config.toml").write_text(CONFIG.format(telling.url))
        with Serving(home, folder, "--workers", str(scale.workers)) as serving:
            play = Play(serving, scale)
            async with asyncio.timeout(PATIENCE):
                await play.run()
            serving.kill()
            compared = play.compare(logs(home))
        asked = await telling.asked()
    assert max(asked.values()) <= 1 + scale.kills
    print(
        {**play.stage.counts, "kills": scale.kills, "streams": len(play.said), "compared": compared}
    )


class Play:
    def __init__(self, serving: Serving, scale: Scale) -> None:
        self.stage = Stage(serving.address, serving.token(), random.Random(SEED), STAY)
        self.stage.up.set()
        self.said: dict[str, str] = {}
        """The story that each prompt asked for, by its message_id."""
        self.watchers: list[Watcher] = []
        self.browsers: list[Browser] = []
        self.whole: list[Record] = []
        """The records of all who were there at the end, with all that there was."""
        self._serving = serving
        self._scale = scale
        self._over = False

    async def run(self) -> None:
        async with self.stage.http:
            count = self._scale.sessions
            made = [await self.stage.call("POST", "/api/sessions", {}) for _ in range(count)]
            sessions = [each["id"] for each in made]
            for first in range(0, count, GROUP):
                one, two, three, four = sessions[first : first + GROUP]
                self.browsers.append(Browser(self.stage, drives=[one, three], looks_at=[one, two]))
                self.watchers += [Watcher(self.stage, each) for each in (two, four, one)]
            clients = [*self.browsers, *self.watchers]
            async with asyncio.TaskGroup() as group:
                living = [group.create_task(client.live()) for client in clients]
                driving = [group.create_task(each) for each in self._drivers()]
                await self._kill()
                self._over = True
                await asyncio.wait(driving)
                ends = ends_of(self._serving.home)
                while any(each.last_seen < ends[each.session_id] for each in self.open()):
                    await self.stage.heard.wait()  # tabs may still be replaced, and begin anew
                self.whole = (
                    self.open()
                )  # those that are replaced from here on have no time to fill
                for task in living:
                    task.cancel()

    def _drivers(self) -> list[Any]:
        numbers = iter(range(self._scale.sessions))
        by_tab = [self._drive(next(numbers), b, tab) for b in self.browsers for tab in b.driven]
        drivers = [w for number, w in enumerate(self.watchers) if number % 3 < 2]
        return [*by_tab, *(self._drive(next(numbers), watcher) for watcher in drivers)]

    async def _drive(self, number: int, who: Any, *tab: Any) -> None:
        """Ask for one story after the other until the play is over."""
        record: Record = (tab or (who,))[0].record
        turn = 0
        while not self._over:
            message_id, key = str(uuid.uuid4()), f"s{number:03}-p{turn}"
            self.said[message_id] = key
            await who.prompt(message_id, f"tell {key}", *tab)
            while asked := await record.asked(message_id):
                await who.answer(asked, *tab)
            turn += 1

    async def _kill(self) -> None:
        """All the deaths, each after some events or in the middle of a prompt; then wait for the disconnects."""
        for number in range(self._scale.kills):
            some = self.stage.dice.choice([1, 10, 100, 1000])
            await self._heard(some * self._scale.sessions // 20)
            if self._scale.workers and number % 3 < 2:
                await self._strike_a_worker()
                continue
            if number % 3 == 0:
                struck = asyncio.Event()
                self.stage.strike = lambda struck=struck: (self._strike(), struck.set())[0]
                await struck.wait()
            else:
                self._strike()
            await self._restart()
        while self.stage.counts["disconnect"] < self._scale.disconnects:
            await self.stage.heard.wait()

    async def _restart(self) -> None:
        """Whatever fails meanwhile: no process is left without an owner."""
        starting = asyncio.gather(asyncio.to_thread(self._again))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await starting
            raise
        self.stage.up.set()

    def _again(self) -> None:
        self._serving.kill()
        self._serving.start()

    def _strike(self) -> None:
        self.stage.up.clear()
        self.stage.lives += 1
        os.kill(self._serving.pid, signal.SIGKILL)

    async def _strike_a_worker(self) -> None:
        """Nobody's connection breaks by that: it is the server that they are connected to."""
        while not self._struck(await self._workers()):
            await asyncio.sleep(0.02)
        self.stage.note("worker killed")

    def _struck(self, pids: list[int]) -> bool:
        """One of them is killed; false if there was none left: the one before may still have been listed."""
        if pids:
            with suppress(ProcessLookupError):
                os.kill(self.stage.dice.choice(pids), signal.SIGKILL)
                return True
        return False

    async def _workers(self) -> list[int]:
        """Those that are at work."""
        listed = (await self.stage.call("GET", "/api/workers"))["workers"]
        pids = [each["pid"] for each in listed if each["state"] == "running"]
        assert all(pids), listed  # 0 would be everybody here
        return pids

    async def _heard(self, events: int) -> None:
        until = self.stage.counts["event"] + events
        while self.stage.counts["event"] < until:
            await self.stage.heard.wait()

    def open(self) -> list[Record]:
        tabs = [tab.record for browser in self.browsers for tab in browser.tabs]
        return [*tabs, *(watcher.record for watcher in self.watchers)]

    def compare(self, logs: dict[str, list[bytes]]) -> int:
        """How many events were compared; all are the same."""
        for record in self.whole:
            same(record.bodies, logs[record.session_id])
        closed = [tab.record for browser in self.browsers for tab in browser.closed]
        for record in closed:
            same(record.bodies, logs[record.session_id][: record.last_seen])
        told = Counter[str]()
        for log in logs.values():
            told += self._ends(log)
        assert told == Counter(self.said.keys()), "an exchange without its one end"
        return sum(record.last_seen for record in (*self.whole, *closed))

    def _ends(self, log: list[bytes]) -> Counter[str]:
        """The exchanges that ended in this log; a good end is the provider's text, whole, streamed as it was said."""
        ends = Counter[str]()
        streamed: dict[str, str] = {}
        for body in log:
            event = msgspec.json.decode(body)
            kind, message_id, data = (
                event["type"],
                event.get("message_id", ""),
                event.get("data", {}),
            )
            if kind in ("message_start", "stream_reset"):
                streamed[message_id] = ""
            elif kind == "text_delta":
                streamed[message_id] += data["text"]
            elif kind == "exchange_response":
                ends[message_id] += 1
                if data.get("success"):
                    whole = story(self.said[message_id])
                    assert data["final_response"] == streamed[message_id] == whole
        return ends


def same(record: list[bytes], log: list[bytes]) -> None:
    for index, (ours, theirs) in enumerate(zip(record, log, strict=False), start=1):
        assert ours == theirs, f"{index} is another event"
    assert len(record) == len(log), log[len(record) :]


def logs(home: Path) -> dict[str, list[bytes]]:
    """Every session's rows, straight from the file, without a gap."""
    with sqlite3.connect(home / "bottega.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found: dict[str, list[bytes]] = {
            each: [] for (each,) in connection.execute("SELECT id FROM sessions")
        }
        for session, index, body in connection.execute(
            "SELECT id, idx, body FROM events JOIN sessions ON sessions.n = session ORDER BY idx"
        ):
            found[session].append(bytes(body))
            assert len(found[session]) == index
    connection.close()
    return found


def ends_of(home: Path) -> dict[str, int]:
    """The last index of every session."""
    with sqlite3.connect(home / "bottega.db") as connection:
        ends = dict(connection.execute("SELECT id, last_index FROM sessions"))
    connection.close()
    return ends
