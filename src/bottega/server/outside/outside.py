"""Puts all that looks at the server together, and keeps it going while the server runs."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from fastapi import FastAPI
from starlette.types import ASGIApp

from bottega.errors import Problem
from bottega.events.event import Event
from bottega.server.house import House
from bottega.server.outside import health, logs, metrics
from bottega.server.outside.follower import Follower, Place
from bottega.server.outside.memory import give_back
from bottega.server.outside.requests import Exchanged, Requests
from bottega.server.outside.scrub import Scrub
from bottega.server.outside.traces import Traces, traces
from bottega.server.outside.watched import Watched
from bottega.server.problems import DOOR, responses
from bottega.sessions.told.stages import Stages

_stage = logging.getLogger("bottega.stage")

MOST = 5000
"""Sessions whose stages are kept in mind."""


def install(app: FastAPI, house: House) -> "Outside":
    """Have this app tell what is known of it. What is returned is entered while the server runs."""
    watched = app.state.watched = Watched(house)
    outside = Outside(watched)
    app.include_router(health.router, responses=responses(*DOOR))
    app.include_router(metrics.router, responses=responses(*DOOR))
    return outside


class Outside:
    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._house = watched.house
        self._traces: Traces | None = None
        self._stages: dict[int, Stages] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._unlog: Callable[[], None] | None = None
        database = self._house.studio.runtime.database
        self._follower = Follower(database, watched.counts, self._note)

    async def __aenter__(self) -> "Outside":
        house, watched, options = self._house, self._watched, self._house.options
        settings = house.studio.settings
        secrets = (options.metrics_token,)
        lines = logs.Lines(options.log_format, Scrub(lambda: house.studio.settings, secrets))
        self._unlog = logs.begin(lines, logs.level_of(options.log_format, debug=options.debug))
        watched.lines_dropped = lambda: lines.dropped
        self._traces = await asyncio.to_thread(traces, settings.environment)
        house.studio.runtime.database.writer.on_commit = watched.counts.commits.note
        await self._follower.begin()
        running = (self._follower.run(), watched.stalls.run(), give_back())
        self._tasks = [asyncio.create_task(each) for each in running]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(Problem):  # what could not be read is not told; the end goes on
            await self._follower.look()
        if self._traces:
            await asyncio.to_thread(self._traces.close)
        if self._unlog:
            await asyncio.to_thread(self._unlog)

    def around(self, app: ASGIApp) -> ASGIApp:
        """The same application, with each of its answers noted: what the door refuses, too."""
        return Requests(app, self._watched.counts, self._answered)

    def _answered(self, request: Exchanged) -> None:
        if self._traces:
            self._traces.request(request)

    def _note(self, place: Place, event: Event) -> None:
        """A line for each stage, and a span for what ended."""
        stages = self._stages.setdefault(place.n, Stages())
        if len(self._stages) > MOST:
            del self._stages[next(iter(self._stages))]
        if stage := stages.note(event):
            fields = {"session_id": place.id, "message_id": event.message_id, **stage.fields}
            _stage.info(stage.name, extra={"fields": fields})
        if event.type == "exchange_response":
            self._stages.pop(place.n, None)
        if self._traces:
            self._traces.note(place, event)
