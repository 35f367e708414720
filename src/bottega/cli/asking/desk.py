"""Where somebody is asked: a screen to stand on, the keys, and a line to type into."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from rich.cells import cell_len

from bottega.cli.asking.keys import MANY, Keys
from bottega.cli.asking.line import Typed
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Canvas
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part

Offered = list[tuple[str, str]]
"""Keys, and what each means."""


def _nothing() -> str:
    return ""


class Beside(Protocol):
    def leave(self) -> None:
        """Somebody is asked: give the keyboard back."""

    def come_back(self) -> None:
        """Nobody is asked any more."""


class Desk:
    def __init__(
        self, canvas: Canvas, terminal: Terminal, keys: Callable[[], Keys], typed: Typed
    ) -> None:
        self.canvas = canvas
        self.terminal = terminal
        self.painter = Painter(colour=terminal.colour, plain=not terminal.moves)
        self._make = keys
        self._typed = typed
        self.beside: Beside | None = None
        """Whoever has the keyboard while nobody is asked."""

    def say(self, kind: str, *rows: list[Part]) -> None:
        """Lines for good."""
        width = self.terminal.width
        painted = [line for row in rows for line in self.painter.parts(row, width) or [""]]
        self.canvas.put(kind, painted)

    @contextmanager
    def asking(self) -> Generator["Asking"]:
        """The keyboard is ours until this is left."""
        if self.beside:
            self.beside.leave()
        try:
            with self._make() as keys:
                try:
                    yield Asking(self, keys, self._typed)
                finally:
                    self.canvas.ask(None)
        finally:
            if self.beside:
                self.beside.come_back()

    def keys(self) -> Keys:
        """The keyboard, for whoever stands beside."""
        return self._make()


class Asking:
    """Somebody is being asked."""

    def __init__(self, desk: Desk, keys: Keys, typed: Typed) -> None:
        self.desk = desk
        self.keys = keys
        self._typed = typed
        self._began = False

    async def quiet(self) -> None:
        """Wait until nobody types something else any more."""
        self._began = True
        await self.keys.quiet()

    async def key(
        self, offered: Offered, hint: str = "", beside: Callable[[], str] = _nothing
    ) -> str:
        """The next key; keys are offered once nobody types something else.

        `beside` is said under them as long as there is no hint.
        """
        if not self._began:
            await self.quiet()

        def rows(width: int) -> list[list[Part]]:
            said = (f"  {hint}", "accent") if hint else (f"  {beside()}", "dim")
            return [*keyed(offered, width), *([[said]] if said[0].strip() else [])]

        self.desk.canvas.ask(rows)
        key = await self.keys.alone()
        self.desk.canvas.ask(None)
        return key

    async def line(self, prompt: str, text: str = "") -> str | None:
        """A line typed by the person, while the rest of the screen stands still."""
        canvas = self.desk.canvas
        canvas.pause()
        try:
            with self.keys.lent():
                return await self._typed(prompt, text)
        finally:
            canvas.resume()


def unheard(key: str) -> str:
    """What to say to a key that means nothing here."""
    return "Keys that come together do not count." if key == MANY else "? lists the keys."


def keyed(keys: Offered, width: int) -> list[list[Part]]:
    """`y allow once  n deny …`, on as many rows as it takes."""
    rows: list[list[Part]] = [[]]
    used = 0
    for key, meaning in keys:
        room = 3 + cell_len(key) + cell_len(meaning)
        if used and used + room > width:
            rows.append([])
            used = 0
        rows[-1] += [("  ", ""), (key, "key"), (f" {meaning}", "")]
        used += room
    return rows
