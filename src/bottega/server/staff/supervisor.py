"""Workers in processes of their own: each is started again when it dies, and those who see its sessions are told.

What a dead one held is known from the leases, and taken by another at once: the commit that says so wakes all others.
Each child reads a pipe whose other end is here, and ends when that closes: however the server ends, none is left. One
that answers nothing for 5 s hangs: it is killed, and has died like any other. By then its sandboxes have ended, too.
"""

import asyncio
import logging
import signal
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from operator import itemgetter

import msgspec

from bottega.errors import Problem
from bottega.server.staff.asking import Asking
from bottega.server.staff.errands import LONGEST, Absent, Compact, Free, Ping
from bottega.server.staff.staff import Member, State, Tell
from bottega.sessions import lease as leases
from bottega.sessions.lease import Held
from bottega.sessions.session import SessionRow
from bottega.studio import Studio

_log = logging.getLogger(__name__)

PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds before a worker is started again, that has died so many times in a row."""
A_GOOD_WHILE = 60.0
"""Seconds of life after which a death is the first one again."""
EVERY = 1.0
"""Seconds between two looks whether a worker answers."""
HANGS = 5
"""Looks in a row without an answer, after which it is killed. Not seconds: this process may have slept itself."""
STARTING = 60.0
"""Seconds that a worker has to begin."""
LETTING_GO = 30.0
"""Seconds in which what was stopped comes to its end, and what was held for it is free."""
MARGIN = 3.0
"""Seconds, past those that exchanges have to finish, after which a worker that should end is ended."""


class _Place:
    """One of the workers that there should be, whichever process it is now."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process: Process | None = None
        self.worker = ""
        self.state: State = "starting"
        self.restarts = 0
        self.deaths = 0
        self.asking: Asking | None = None
        """How this process can be asked for something, while it can."""
        self.told: list[Held] = []
        """Sessions whose followers were told that it is gone."""


class Supervisor:
    def __init__(
        self,
        studio: Studio,
        command: Sequence[str],
        count: int,
        tell: Tell,
    ) -> None:
        """`command` starts a worker, which prints its id in its first line."""
        self._studio = studio
        self._command = tuple(command)
        self._tell = tell
        self._grace = studio.settings.values.grace
        self._places = [_Place(f"worker-{number}") for number in range(1, count + 1)]
        self._tasks: list[asyncio.Task[None]] = []
        self._ends = asyncio.Event()

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._keep(place)) for place in self._places]

    def members(self) -> list[Member]:
        held = self._studio.runtime.database.read_now(leases.holders)
        return [
            Member(
                place.name,
                place.process.pid if place.process else 0,
                place.state,
                place.restarts,
                held.get(place.worker, 0),
            )
            for place in self._places
        ]

    def workers(self) -> list[Asking]:
        """Those who can be asked for something now."""
        return [place.asking for place in self._places if place.asking]

    async def free(self, row: SessionRow) -> None:
        """Have every worker free what it holds for a session. One that hangs has let go of it when it is ended."""
        asked = (each.ask(Free(row), LETTING_GO) for each in self.workers())
        for failed in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(failed, BaseException) and not isinstance(failed, Absent):
                raise failed

    async def compact(self, row: SessionRow) -> bool | None:
        """Have whoever runs the session compact it, or anybody where it rests. Takes as long as the model does."""
        held = self._studio.runtime.database.read_now(lambda c: leases.holder(c, row.n))
        there = [(place.worker != held, place.asking) for place in self._places if place.asking]
        if not there:
            raise Absent("No worker is there at this moment.")
        _, asking = min(there, key=itemgetter(0))
        answer = await asking.ask(Compact(row), within=None)
        return msgspec.json.decode(answer, type=bool | None)

    async def restart(self, member_id: str) -> None:
        for place in self._places:
            if place.name == member_id and place.process:
                place.deaths = 0
                place.told = self._held(place)
                process = place.process
                asyncio.get_running_loop().call_later(self._grace + MARGIN, _kill, process)
                _signal(process, signal.SIGTERM)

    async def leave(self) -> None:
        self._ends.set()
        await self._studio.leave()
        for place in self._places:
            if place.process:
                _signal(place.process, signal.SIGTERM)
        await asyncio.wait(self._tasks, timeout=self._grace + MARGIN)
        for task in self._tasks:  # whoever is still there is ended with it
            task.cancel()
        await asyncio.wait(self._tasks)

    async def _keep(self, place: _Place) -> None:
        """Have one worker there, over and over."""
        while not self._ends.is_set():
            began = time.monotonic()
            try:
                await self._one_life(place)
            except (OSError, Problem) as problem:  # no process can be had now, or nothing be read
                place.state = "resting"
                _log.warning("%s could not be looked after: %s", place.name, problem)
            place.restarts += not self._ends.is_set()
            place.deaths = 1 if time.monotonic() - began > A_GOOD_WHILE else place.deaths + 1
            pause = PAUSES[min(place.deaths, len(PAUSES)) - 1]
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._ends.wait()

    async def _one_life(self, place: _Place) -> None:
        place.state, place.worker = "starting", ""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,
            limit=LONGEST,
        )
        place.process = process
        minding = asyncio.create_task(self._mind(place, process))
        try:
            code = await process.wait()
        finally:
            _kill(process)
            minding.cancel()
            await asyncio.wait({minding})
            # In one step: whoever is listed as running has a process.
            place.process, place.asking, place.state = None, None, "resting"
        if not self._ends.is_set():
            _log.warning("%s ended with code %d", place.name, code)
            await self._gone(place)

    async def _mind(self, place: _Place, process: Process) -> None:
        """Hear what a worker says; end one that says nothing any more."""
        assert process.stdout
        assert process.stdin
        with suppress(TimeoutError):
            async with asyncio.timeout(STARTING):
                place.worker = (await process.stdout.readline()).decode().strip()
        if not place.worker:
            _kill(process)
            return
        asking = place.asking = Asking(process.stdout, process.stdin)
        hearing = asyncio.create_task(asking.hear())
        place.state = "running"
        self._say(place, "worker-restarted")
        place.told = []
        try:
            await self._while_it_answers(asking)
            if not asking.gone:
                _log.warning("%s hangs, and is ended", place.name)
            _kill(process)
        finally:
            hearing.cancel()
            await asyncio.wait({hearing})

    async def _while_it_answers(self, asking: Asking) -> None:
        silent = 0
        while silent < HANGS and not asking.gone:
            try:
                await asking.ask(Ping(), within=EVERY)
            except Absent:
                silent += 1
            else:
                silent = 0
                await asyncio.sleep(EVERY)

    async def _gone(self, place: _Place) -> None:
        """Tell who follows what it ran, and wake those who can take it."""
        held = self._held(place)
        known = {each.n for each in held}
        place.told = [*held, *(each for each in place.told if each.n not in known)]
        self._say(place, "worker-exited")
        if held:
            with suppress(Problem):
                await self._studio.runtime.database.write(
                    lambda connection: leases.stir(connection, place.worker)
                )

    def _held(self, place: _Place) -> list[Held]:
        return self._studio.runtime.database.read_now(lambda c: leases.held_by(c, place.worker))

    def _say(self, place: _Place, what: str) -> None:
        for each in place.told:
            frame = {"type": what, "session_id": each.id, "message_id": each.message_id}
            self._tell(each.n, frame)


def _signal(process: Process, which: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(which)


def _kill(process: Process) -> None:
    _signal(process, signal.SIGKILL)
