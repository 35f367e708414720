"""What is measured, what each figure should be, and whether it is.

A goal is absolute (`at_most`, `at_least`) or a ratio within one round: to the floor, or to the agent frameworks.
"""

from dataclasses import dataclass
from statistics import median

OURS = "bottega"
FLOOR = "floor"
FRAMEWORKS = ("pydantic-ai", "openai-agents", "langgraph")

Samples = dict[str, dict[str, list[float]]]
"""Figure → stack → one value a round."""


@dataclass(frozen=True)
class Row:
    key: str
    what: str
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    floors: float | None = None
    """At most this many times the floor."""
    less: float | None = None
    """The best framework spends at least this many times as much."""

    @property
    def goal(self) -> str:
        words = [
            f"≤ {self.at_most:,g}" if self.at_most is not None else "",
            f"≥ {self.at_least:,g}" if self.at_least is not None else "",
            f"≤ {self.floors:g} × floor" if self.floors else "",
            f"peers ≥ {self.less:g} ×" if self.less else "",
        ]
        return ", ".join(filter(None, words))

    def verdict(self, samples: Samples) -> str:
        """`pass`, or `miss`; empty where there is no goal, or nothing to compare with."""
        values = samples[self.key]
        if OURS not in values or not self.goal:
            return ""
        ours = median(values[OURS])
        kept = [
            self.at_most is None or ours <= self.at_most,
            self.at_least is None or ours >= self.at_least,
        ]
        above = ratio(values, OURS, FLOOR)
        if self.floors and above:
            kept.append(above <= self.floors)
        best = best_framework(values)
        if self.less and best:
            kept.append((ratio(values, best, OURS) or 0) >= self.less)
        return "pass" if all(kept) else "miss"


def ratio(values: dict[str, list[float]], over: str, under: str) -> float | None:
    """The median of the rounds' ratios of two stacks."""
    if over not in values or under not in values:
        return None
    pairs = zip(values[over], values[under], strict=False)
    found = [high / low for high, low in pairs if high > 0 and low > 0]
    return median(found) if found else None


def best_framework(values: dict[str, list[float]]) -> str | None:
    there = [name for name in FRAMEWORKS if values.get(name)]
    return min(there, key=lambda name: median(values[name]), default=None)


ROWS = (
    Row("stream.burst", "CPU per chunk, socket → events", "µs", floors=2, less=20),
    Row("stream.flat", "  the same, 100,000 chunks against 500", "×", at_most=1.25),
    Row("durable.burst", "CPU per chunk, socket → log → follower", "µs", at_most=40),
    Row("durable.flat", "  the same, 100,000 chunks against 500", "×", at_most=1.25),
    Row("durable.paced", "  paced: 100 sessions × 20 chunks/s", "µs", at_most=100),
    Row("durable.commits", "  commits per second meanwhile", "/s", at_most=100),
    Row("turn.0", "CPU per turn with one tool call, durable", "ms", at_most=3, less=8),
    Row("history.10", "  extra with 10 messages of history", "ms"),
    Row("history.100", "  extra with 100 messages", "ms"),
    Row("history.1000", "  extra with 1,000 messages", "ms", at_most=5, less=80),
    Row("prompt.first", "what is told first, in a repository of 500 files", "ms", at_most=30),
    Row("prompt.next", "  with a later prompt", "ms", at_most=3),
    Row("prompt.step", "  between two steps", "ms", at_most=0.5),
    Row("prompt.10", "  CPU of a request of 10 messages", "ms"),
    Row("prompt.1000", "  of 1,000 messages", "ms", at_most=2),
    Row("compact.100", "CPU to plan a compaction of 100 messages", "ms"),
    Row("compact.1000", "  of 1,000 messages", "ms", at_most=100),
    Row("compact.10000", "  of 10,000 messages", "ms"),
    Row("compact.fold.100", "  the fold of those 100 once they are compacted", "ms"),
    Row("compact.fold.1000", "  of those 1,000", "ms", at_most=5),
    Row("compact.fold.10000", "  of those 10,000", "ms", at_most=60),
    Row("commit.events", "durable events per second, 50 who wait", "/s", at_least=30_000),
    Row("commit.cpu", "  CPU per event meanwhile", "µs"),
    Row("commit.each", "  the same with a commit for each event", "/s"),
    Row("commit.group", "  events in one commit", ""),
    Row("replay.1000", "replay of 1,000 events to messages", "ms", at_most=3),
    Row("replay.10000", "replay of 10,000 events", "ms", at_most=30),
    Row("open.p50", "open a session of 10,000 events, p50", "ms"),
    Row("open.p95", "  p95", "ms", at_most=50),
    Row("open.length", "  p50 at 10,000 events against 1,000", "×", at_most=1.5),
    Row("start.help", "bottega --help (floor: python -c pass)", "ms", at_most=120),
    Row("start.run", "bottega run until its first request", "ms", at_most=500),
    Row("start.import", "import of the library", "ms"),
    Row("memory.idle", "resident memory, idle", "MB", at_most=80),
    Row("memory.session", "  for each idle session", "KB", at_most=10),
    Row("memory.stream", "  for each open stream", "KB", at_most=100),
    Row("tools.validate", "validation of a tool's arguments", "µs", at_most=2),
    Row("reads.apart", "12 reads of 1 MB, one after the other", "ms", at_most=40),
    Row("reads.together", "  the same, all at once", "ms"),
    Row("reads.gain", "  how much quicker that is", "×"),
    Row("load.p50", "provider → client: 250 sockets, 100 sessions × 20 chunks/s", "ms"),
    Row("load.p95", "  p95 (floor: a Starlette socket that stores nothing)", "ms", at_most=50),
    Row("load.p99", "  p99", "ms"),
    Row("load.delivered", "  chunks delivered per second", "/s"),
    Row("load.cpu", "  of one core, the server", "%"),
    Row("fan.client", "CPU per chunk and further client, 50 on one stream", "µs", at_most=7),
    Row("served.ready", "bottega serve until it listens", "ms", at_most=1000),
    Row("served.open", "open a session of 10,000 events over HTTP, p95", "ms", at_most=50),
    Row("served.open.length", "  the same, against 1,000 events", "×", at_most=1.5),
    Row("served.idle", "resident memory of an idle server", "MB", at_most=80),
    Row("served.socket", "  for each of 1,000 idle sockets", "KB"),
    Row("served.cpu", "  of one core, with those", "%"),
    Row("studio.shown", "from a click until a session of 10,000 events is on the screen", "ms"),
    Row("studio.open.task", "  the longest task of its main thread meanwhile", "ms", at_most=50),
    Row("studio.scroll.task", "  the same, scrolling up through its pages", "ms", at_most=50),
    Row("studio.key.p50", "a key until it is painted, with 200 events/s coming in", "ms"),
    Row("studio.key.p95", "  p95", "ms", at_most=50),
    Row("sandbox.command", "bash -c true in a sandbox (floor: subprocess)", "ms", floors=1.5),
    Row("sandbox.open", "  opening and closing a sandbox", "ms", at_most=250),
)
