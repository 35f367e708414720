"""What is counted while the server runs: plain numbers, so that counting costs next to nothing.

Every label is one of a small fixed set: a route's template, a method, a status. No id and no text is ever one.
"""

from bisect import bisect_left
from typing import NamedTuple

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds."""
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
UNKNOWN = "(none)"
"""Stands for every path that no route has."""


class Times:
    """How often something took how long."""

    def __init__(self) -> None:
        self.counts = [0] * (len(QUICK) + 1)
        self.total = 0.0

    def note(self, seconds: float) -> None:
        self.counts[bisect_left(QUICK, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Cumulative, as Prometheus wants them."""
        told: list[tuple[str, float]] = []
        so_far = 0
        for bound, count in zip([*map(str, QUICK), "+Inf"], self.counts, strict=True):
            so_far += count
            told.append((bound, so_far))
        return told


class Answered(NamedTuple):
    method: str
    route: str
    status: int


class Counts:
    def __init__(self) -> None:
        self.answers: dict[Answered, int] = {}
        self.latency: dict[tuple[str, str], Times] = {}
        self.commits = Times()
        self.events = 0
        self.open = {"http": 0, "websocket": 0}
        """Requests and sockets that are open now."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; `seconds` until the first byte."""
        method = method if method in METHODS else "other"
        key = Answered(method, route, status)
        self.answers[key] = self.answers.get(key, 0) + 1
        self.latency.setdefault((method, route), Times()).note(seconds)
