"""One ask about a call, from its appearance on the screen to the key that decides it.

Enter decides nothing. What is longer than the screen shows is not allowed before it was looked at.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from bottega.cli.asking import pager
from bottega.cli.asking.keys import Keys
from bottega.cli.asking.line import Typed
from bottega.cli.asking.shown import Shown, as_json, shown
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Canvas
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part, plain
from bottega.cli.screen.visible import visible
from bottega.sessions.asks import Ask, Reply

EDITABLE = 64_000
"""Characters that can sensibly be edited in a terminal."""

HELP = (
    "  y  allow it, this once",
    "  a  allow it, and from now on in this session all that the words beside it cover",
    "  n  deny it; you may say why, and the agent goes on without it",
    "  e  change what runs, then it runs so",
    "  d  show all of it, to scroll through",
    "  s  stop the agent; so does Ctrl-C",
)


class Desk:
    """What a question needs: a screen to stand on, keys, and a line to type into."""

    def __init__(
        self, canvas: Canvas, terminal: Terminal, keys: Callable[[], Keys], typed: Typed
    ) -> None:
        self.canvas = canvas
        self.terminal = terminal
        self.painter = Painter(colour=terminal.colour, plain=not terminal.moves)
        self.keys = keys
        self._typed = typed

    def say(self, kind: str, *rows: list[Part]) -> None:
        width = self.terminal.width
        painted = [line for row in rows for line in self.painter.parts(row, width) or [""]]
        self.canvas.put(kind, painted)

    async def line(self, prompt: str, text: str = "") -> str | None:
        """A line typed by the person, while the rest of the screen stands still."""
        self.canvas.pause()
        try:
            return await self._typed(prompt, text)
        finally:
            self.canvas.resume()


class Question:
    def __init__(self, desk: Desk, ask: Ask, folder: str, place: str = "") -> None:
        self._desk = desk
        self._ask = ask
        self._folder = folder
        self._place = place
        self._looked = False
        """All of it was looked at."""

    async def reply(self) -> Reply:
        """Show it, and wait for a decision."""
        desk = self._desk
        width = desk.terminal.width
        what = shown(self._ask, width, self._folder, self._place)
        self._looked = not what.is_cut
        desk.say("ask", what.title, *what.body, *what.notes)
        is_first = True
        while True:
            key = await self._key(is_first)
            is_first = False
            if reply := await self._decide(key, what):
                return reply

    async def _key(self, is_first: bool) -> str:
        """The next key; keys are offered once nobody types anything else any more."""
        desk = self._desk
        with desk.keys() as keys:
            if is_first:
                await keys.quiet()
            desk.canvas.ask(self._offered())
            try:
                return await keys.alone()
            finally:
                desk.canvas.ask([])

    def _offered(self) -> list[Part]:
        offers = self._offers
        keys = [("y", "allow once")]
        if len(offers) == 1:
            keys.append(("a", f"allow all {visible(offers[0])}"))
        keys += [(str(n), f"allow all {visible(each)}") for n, each in enumerate(offers, 1)][
            : 9 if len(offers) > 1 else 0
        ]
        keys += [("n", "deny"), ("e", "edit"), ("d", "show all"), ("s", "stop"), ("?", "help")]
        return keyed(keys)

    @property
    def _offers(self) -> list[str]:
        offers: Any = self._ask.asked.detail.get("offers") or ()
        return [str(each) for each in offers]

    async def _decide(self, key: str, what: Shown) -> Reply | None:
        match key:
            case "y" | "a":
                return self._allowed(key)
            case _ if key.isdigit():
                return self._allowed(key)
            case "n":
                return await self._denied()
            case "e":
                return await self._edited()
            case "s":
                return Reply("stop")
            case "d":
                await self._look(what)
            case "?":
                self._desk.say("note", *([(line, "dim")] for line in HELP))
            case "enter":
                self._desk.say("note", [("  Enter decides nothing here: y allows, n denies.", "dim")])
            case _:
                pass
        return None

    def _allowed(self, key: str) -> Reply | None:
        offers = self._offers
        if not self._looked:
            self._desk.say("note", [("  Not all of it was shown: press d and look first.", "accent")])
            return None
        if key == "y":
            return Reply("allow_once")
        if key == "a" and len(offers) > 1:
            self._desk.say("note", [(f"  Which? Press 1 to {len(offers)}.", "dim")])
            return None
        place = 1 if key == "a" else int(key)
        if 1 <= place <= len(offers) and (key == "a" or len(offers) > 1):
            return Reply("allow_all", grant=offers[place - 1])
        return None

    async def _denied(self) -> Reply | None:
        note = await self._desk.line("  Why? (Enter: no reason) › ")
        return None if note is None else Reply("deny", note.strip())

    async def _look(self, what: Shown) -> None:
        desk = self._desk
        if not desk.terminal.moves:
            desk.say("ask", *what.whole(desk.terminal.width))
            self._looked = True
            return
        desk.canvas.pause()
        try:
            with desk.keys() as keys:
                title = plain(what.title)
                seen = await pager.scroll(what.whole, title, desk.terminal, desk.painter, keys)
        finally:
            desk.canvas.resume()
        self._looked = self._looked or seen

    async def _edited(self) -> Reply | None:
        given = self._ask.input
        command = given.get("command")
        text = command if isinstance(command, str) else as_json(given)
        if len(text) > EDITABLE:
            self._desk.say("note", [("  This is too long to be edited here.", "dim")])
            return None
        changed = text
        while True:
            said = await self._desk.line("  edit › ", changed)
            if said is None or said == text:
                return None
            changed = said
            if isinstance(command, str):
                return Reply("edit", input={**given, "command": said}) if said.strip() else None
            try:
                return Reply("edit", input=msgspec.json.decode(said, type=dict[str, Any]))
            except msgspec.DecodeError as problem:
                told = f"  These are no arguments: {problem}. Mend them, or leave with Ctrl-C."
                self._desk.say("note", [(told, "accent")])


def keyed(keys: list[tuple[str, str]]) -> list[Part]:
    """`y allow once · n deny …`"""
    parts: list[Part] = []
    for key, meaning in keys:
        parts += [("  ", ""), (key, "bold accent"), (f" {meaning}", "")]
    return parts
