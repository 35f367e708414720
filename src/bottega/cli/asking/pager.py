"""All of something too long for the screen, to be scrolled through; the screen is as before when it is left."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from bottega.cli.screen.painter import Painter
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part, fitted

Rows = list[list[Part]]

LOOK = 0.2
"""Seconds between two looks at the size of the screen."""


class Pressed(Protocol):
    async def some(self) -> list[str]: ...


async def scroll(
    rows: Callable[[int], Rows], title: str, terminal: Terminal, painter: Painter, keys: Pressed
) -> bool:
    """Show all rows until the person leaves; True if they have seen the last one."""
    view = _View(rows, title, terminal, painter)
    terminal.command("\x1b[?1049h\x1b[?25l")
    try:
        while True:
            view.draw()
            for key in await _next(keys):
                if key in ("q", "escape", "d", "enter"):
                    return view.seen
                view.move(key)
    finally:
        terminal.command("\x1b[?1049l")


async def _next(keys: Pressed) -> list[str]:
    """The next keys; none after a moment, so that a screen of another size is noticed."""
    try:
        async with asyncio.timeout(LOOK):
            return await keys.some()
    except TimeoutError:
        return []


class _View:
    def __init__(
        self, rows: Callable[[int], Rows], title: str, terminal: Terminal, painter: Painter
    ) -> None:
        self._all = rows
        self._title = title
        self._terminal = terminal
        self._painter = painter
        self._width: int = 0
        self._rows: Rows = []
        self._top = 0
        self._drawn: list[str] = []
        self.seen = False

    @property
    def _room(self) -> int:
        return max(1, self._terminal.height - 1)

    def draw(self) -> None:
        width = self._terminal.width
        if width != self._width:  # made wider or narrower meanwhile: the same place, roughly
            share = self._top / len(self._rows) if self._rows else 0
            self._width, self._rows = width, self._all(width)
            self._top, self._drawn = int(share * len(self._rows)), []
        self._top = min(max(0, self._top), max(0, len(self._rows) - self._room))
        bottom = min(len(self._rows), self._top + self._room)
        self.seen = self.seen or bottom == len(self._rows)
        shown = [self._line(row) for row in self._rows[self._top : bottom]]
        shown += [""] * (self._room - len(shown))
        page = [*shown, self._status(bottom)]
        if page != self._drawn:
            self._drawn = page
            self._terminal.lines(shown, page[-1], before="\x1b[H", behind="\x1b[K\r")

    def _line(self, row: list[Part]) -> str:
        return next(iter(self._painter.parts(row, self._width)), "")

    def _status(self, bottom: int) -> str:
        place = f"{self._top + 1:,}–{bottom:,} of {len(self._rows):,}"
        more = "space goes on · q back" if bottom < len(self._rows) else "the end · q back"
        said = fitted(f"{self._title} · {place} · {more}", self._width - 1)
        return next(iter(self._painter.parts([(said, "reverse")], self._width)), "")

    def move(self, key: str) -> None:
        steps = {
            "up": -1, "k": -1, "down": 1, "j": 1,
            "page up": -self._room, "b": -self._room, "u": -self._room // 2,
            "page down": self._room, " ": self._room, "f": self._room,
            "home": -len(self._rows), "g": -len(self._rows),
            "end": len(self._rows), "G": len(self._rows),
        }  # fmt: skip
        top = self._top + steps.get(key, 0)
        self._top = min(max(0, top), max(0, len(self._rows) - self._room))
