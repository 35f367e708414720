"""An exchange on an emulated terminal, at a clock that the test moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pyte

from bottega.cli.screen.calls.under_way import Look
from bottega.cli.screen.live import Live
from bottega.cli.screen.terminal import Terminal
from bottega.events import facts, fold
from bottega.events.event import Event
from bottega.messages.block import Text


class Paper(StringIO):
    encoding = "utf-8"  # pyright: ignore

    def isatty(self) -> bool:
        return True


class Shown:
    """An exchange on an emulated terminal."""

    def __init__(self, columns: int = 60, lines: int = 24, look: Look | None = None) -> None:
        self.now = 100.0
        self.paper = Paper()
        self._read = 0
        self._emulator = pyte.HistoryScreen(columns, lines, history=100_000, ratio=0.5)
        self._stream = pyte.Stream(self._emulator)
        terminal = _Sized(self.paper, {"TERM": "xterm"}, columns, lines)
        self.live = Live(terminal, lambda: self.now, look)
        self._fold = fold.EMPTY

    def take(self, *payloads: object) -> None:
        for payload in payloads:
            fact = Event(facts.NAMES[type(payload)], 0, payload, "m", 1, 1)
            self._fold, seen = fold.step(self._fold, fact)
            for event in seen:
                self.live.show(event)

    def passes(self, seconds: float) -> None:
        self.now += seconds
        self.live.tick()

    @property
    def text(self) -> str:
        written = self.paper.getvalue()
        self._stream.feed(written[self._read :].replace("\n", "\r\n"))
        self._read = len(written)
        above = [
            "".join(row[x].data for x in range(self._emulator.columns))
            for row in self._emulator.history.top
        ]
        lines = [line.rstrip() for line in [*above, *self._emulator.display]]
        return "\n".join(lines).rstrip()


class _Sized(Terminal):
    def __init__(self, paper: Paper, env: dict[str, str], columns: int, lines: int) -> None:
        super().__init__(paper, env)
        self._columns, self._rows = columns, lines

    def _size(self) -> tuple[int, int]:
        return self._columns, self._rows


@contextmanager
def exchange(columns: int = 60, lines: int = 24, look: Look | None = None) -> Iterator[Shown]:
    shown = Shown(columns, lines, look)
    shown.take(facts.UserMessage((Text("hi"),)), facts.MessageStart("openai/gpt-5", "openai"))
    yield shown
    shown.live.close()
