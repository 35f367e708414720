"""What was counted, in Prometheus' words: for the host, or for whoever has the token of `BOTTEGA_METRICS_TOKEN`.

The library is imported when somebody first asks. Labels are templates, methods, statuses and states, nothing else.
"""

import asyncio
import hmac
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import PlainTextResponse

from bottega.errors import Misconfigured
from bottega.server.house import house_of
from bottega.server.outside.watched import Watched, watched_of
from bottega.server.problems import responses
from bottega.server.who import NotSignedIn, calling, the_host
from bottega.settings import Settings

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

router = APIRouter(tags=["outside"])

VARIABLE = "BOTTEGA_METRICS_TOKEN"
SHORTEST = 16


def metrics_token(settings: Settings) -> str:
    """The token that scrapers have; refuse one that could be guessed."""
    token = settings.environment.get(VARIABLE, "").strip()
    if token and len(token) < SHORTEST:
        raise Misconfigured(
            f"{VARIABLE} is too short to be a secret.",
            hint=f"Give it at least {SHORTEST} characters, such as those of `openssl rand -hex 16`.",
        )
    return token


async def scraper(request: Request) -> None:
    """The host with a token, or who has the token of scrapers. A cookie is sent to any port of this host."""
    wanted = house_of(request).options.metrics_token
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    carries = bool(wanted) and scheme.lower() == "bearer"
    if carries and hmac.compare_digest(given.strip().encode(), wanted.encode()):
        return
    caller = await calling(request)
    if caller.kind != "token":
        raise NotSignedIn
    await the_host(caller.person)


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=PlainTextResponse,
    responses=responses(401, 403),
)
async def metrics(request: Request, _: Annotated[None, Depends(scraper)]) -> Response:
    watched = watched_of(request)
    states = await watched.house.studio.runtime.database.read(_states)
    text, kind = await asyncio.to_thread(_written, watched, states)
    return Response(text, media_type=kind)


class States(NamedTuple):
    running: int
    queued: int
    waiting: int
    tabs: int


def _states(connection: sqlite3.Connection) -> States:
    def count(what: str) -> int:
        return connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0]  # noqa: S608

    return States(
        count("inbox WHERE status = 'running'"),
        count("inbox WHERE status = 'queued'"),
        count("asks WHERE status = 'open'"),
        count("tabs"),
    )


def _written(watched: Watched, states: States) -> tuple[bytes, str]:
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

    return generate_latest(_registry(watched, states)), CONTENT_TYPE_PLAIN_0_0_4


def _registry(watched: Watched, states: States) -> "CollectorRegistry":
    from prometheus_client import CollectorRegistry, ProcessCollector

    class Figures:
        def collect(self) -> "Iterator[Metric]":
            yield from _answers(watched)
            yield from _now(watched, states)
            yield from _so_far(watched)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())
    ProcessCollector(namespace="bottega", registry=registry)
    return registry


def _answers(watched: Watched) -> "Iterator[Metric]":
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

    counts = watched.counts
    answers = CounterMetricFamily(
        "bottega_requests", "Requests answered.", labels=("method", "route", "status")
    )
    for (method, route, status), count in counts.answers.copy().items():
        answers.add_metric((method, route, str(status)), count)
    yield answers
    latency = HistogramMetricFamily(
        "bottega_request_seconds", "Until the first byte.", labels=("method", "route")
    )
    for labels, times in counts.latency.copy().items():
        latency.add_metric(labels, times.buckets(), times.total)
    yield latency
    commits = HistogramMetricFamily("bottega_commit_seconds", "Commits of the database.")
    commits.add_metric((), counts.commits.buckets(), counts.commits.total)
    yield commits


def _now(watched: Watched, states: States) -> "Iterator[Metric]":
    from prometheus_client.core import GaugeMetricFamily

    counts, stalls = watched.counts, watched.stalls
    sessions = GaugeMetricFamily(
        "bottega_exchanges", "Exchanges that run, wait for their turn, or ask.", labels=("state",)
    )
    sessions.add_metric(("running",), states.running)
    sessions.add_metric(("queued",), states.queued)
    sessions.add_metric(("waiting",), states.waiting)
    yield sessions
    for name, about, value in (
        ("open_sockets", "Sockets that are open.", counts.open["websocket"]),
        ("open_requests", "Requests that are being answered.", counts.open["http"]),
        ("tabs", "Tabs that are kept.", states.tabs),
        ("followers", "Who reads a log now.", watched.house.studio.runtime.log.followers),
        ("loop_stall_max_seconds", "The longest stall of the last minute.", stalls.longest()),
    ):
        yield GaugeMetricFamily(f"bottega_{name}", about, value=value)


def _so_far(watched: Watched) -> "Iterator[Metric]":
    from prometheus_client.core import CounterMetricFamily

    restarts = sum(member.restarts for member in watched.house.staff.members())
    for name, about, value in (
        ("events", "Events appended, in all processes of this home.", watched.counts.events),
        ("loop_stalls", "Stalls of the event loop over 50 ms.", watched.stalls.count),
        (
            "worker_restarts",
            "Workers that had to be started again.",
            restarts,
        ),
        ("log_lines_dropped", "Log lines that nobody read in time.", watched.lines_dropped()),
    ):
        yield CounterMetricFamily(f"bottega_{name}", about, value=value)
