"""One ask about a call, from its appearance on the screen to the key that decides it.

Enter decides nothing. What is longer than the screen shows is not allowed before it was looked at.
"""

import textwrap
from collections.abc import Callable
from typing import Any

import msgspec

from bottega.cli.asking import pager
from bottega.cli.asking.desk import Asking, Desk, Offered, unheard
from bottega.cli.asking.shown import Shown, as_json, shown
from bottega.cli.screen.clean import visible
from bottega.cli.screen.tools import plain
from bottega.sessions.asks import Ask, Reply

EDITABLE = 64_000
"""Characters that can sensibly be edited in a terminal."""

HELP = (
    "  y  allow it, this once",
    "  a  allow it, and from now on in this session all that is named beside it",
    "  n  deny it; you may say why, and the agent goes on without it",
    "  e  change what runs; then it runs so",
    "  d  show all of it, to scroll through",
    "  s  stop the agent; so does Ctrl-C",
)


def helped(width: int) -> list[str]:
    """What each key does; what needs a second line stands beneath its first."""
    return [
        line
        for each in HELP
        for line in textwrap.wrap(each, max(20, width), subsequent_indent="     ")
    ]


class Question:
    def __init__(
        self, desk: Desk, ask: Ask, folder: str, behind: Callable[[], int] = lambda: 0
    ) -> None:
        """`behind` says how many others wait behind this one."""
        self._desk = desk
        self._ask = ask
        self._behind = behind
        self._shown = shown(ask, desk.terminal.width, folder)
        self._looked = not self._shown.is_cut
        """All of it was looked at."""
        self._hint = ""
        offers: Any = ask.asked.detail.get("offers") or ()
        self._offers = [str(each) for each in offers][:9]

    async def reply(self) -> Reply:
        """Show it, and wait for a decision."""
        what = self._shown
        self._desk.say("ask", what.title, *what.body, *what.notes)
        with self._desk.asking() as asking:
            while True:
                key = await asking.key(self._offered(), self._hint, self._beside)
                self._hint = ""
                if reply := await self._decide(key, asking):
                    return reply

    def _beside(self) -> str:
        number = self._behind()
        return f"{number} more {'waits' if number == 1 else 'wait'} behind it." if number else ""

    def _offered(self) -> Offered:
        offers = [f"allow all {visible(each)}" for each in self._offers]
        keys = [("y", "allow once")]
        if len(offers) == 1:
            keys.append(("a", offers[0]))
        else:
            keys += [(str(number), each) for number, each in enumerate(offers, 1)]
        keys += [("n", "deny"), ("e", "edit")]
        keys += [] if self._looked else [("d", "show all")]
        return [*keys, ("s", "stop"), ("?", "help")]

    async def _decide(self, key: str, asking: Asking) -> Reply | None:
        match key:
            case "y" | "a":
                return self._allowed(key)
            case _ if key.isdigit():
                return self._allowed(key)
            case "n":
                note = await asking.line("  Why? (Enter: no reason) › ")
                return None if note is None else Reply("deny", note.strip())
            case "e":
                return await self._edited(asking)
            case "s":
                return Reply("stop")
            case "d":
                await self._look(self._shown, asking)
            case "?":
                width = self._desk.terminal.width
                self._desk.say("note", *([(line, "dim")] for line in helped(width)))
            case "enter":
                self._hint = "Enter decides nothing here: y allows, n denies."
            case _:
                self._hint = unheard(key)
        return None

    def _allowed(self, key: str) -> Reply | None:
        if not self._looked:
            self._hint = "Not all of it was shown: press d and look first."
            return None
        if key == "y":
            return Reply("allow_once")
        offers = self._offers
        if key == "a" and len(offers) == 1:
            return Reply("allow_all", grant=offers[0])
        if len(offers) > 1 and key != "a" and 1 <= int(key) <= len(offers):
            return Reply("allow_all", grant=offers[int(key) - 1])
        self._hint = f"Which? Press 1 to {len(offers)}." if len(offers) > 1 else unheard(key)
        return None

    async def _look(self, what: Shown, asking: Asking) -> None:
        desk = self._desk
        if not desk.terminal.moves:
            desk.say("ask", *what.whole(desk.terminal.width))
            self._looked = True
            return
        desk.canvas.pause()
        try:
            title = plain(what.title)
            seen = await pager.scroll(what.whole, title, desk.terminal, desk.painter, asking.keys)
        finally:
            desk.canvas.resume()
        self._looked = self._looked or seen

    async def _edited(self, asking: Asking) -> Reply | None:
        given = self._ask.input
        command = given.get("command")
        text = command if isinstance(command, str) else as_json(given)
        if len(text) > EDITABLE:
            self._hint = "This is too long to be edited here."
            return None
        changed: str | None = text
        while True:
            changed = await asking.line("  edit › ", changed)
            if changed is None or changed == text:
                return None
            if isinstance(command, str):
                return Reply("edit", input={**given, "command": changed})
            try:
                return Reply("edit", input=msgspec.json.decode(changed, type=dict[str, Any]))
            except msgspec.DecodeError as problem:
                told = f"  These are no arguments: {problem}. Mend them, or leave with Ctrl-C."
                self._desk.say("note", [(told, "accent")])
