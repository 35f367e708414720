"""While an exchange runs, what is typed stands at the end of the screen; Enter says it into the exchange."""

import asyncio
from contextlib import ExitStack, suppress

from bottega.cli.asking.desk import Desk
from bottega.cli.asking.keys import Keys
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.tools import Part
from bottega.errors import Problem
from bottega.studio.anywhere import AnySession


class Steering:
    """Use it as a context manager around the exchange."""

    def __init__(self, desk: Desk, session: AnySession) -> None:
        self._desk = desk
        self._session = session
        self._text = ""
        self._held = ExitStack()
        """The keyboard, while it is ours."""
        self._listening: asyncio.Task[None] | None = None
        self._saying: set[asyncio.Task[None]] = set()

    def __enter__(self) -> None:
        self._desk.beside = self
        self.come_back()

    def __exit__(self, *_: object) -> None:
        self._desk.beside = None
        self.leave()

    def come_back(self) -> None:
        keys = self._held.enter_context(self._desk.keys())
        self._listening = asyncio.create_task(self._listen(keys))
        self._show()

    def leave(self) -> None:
        # At once, and not when the task gets to it: by then the keyboard may be somebody else's.
        self._held.close()
        if self._listening:
            self._listening.cancel()
            self._listening = None
            self._desk.canvas.ask(None)

    async def _listen(self, keys: Keys) -> None:
        while True:
            for key in await keys.some():
                self._press(key)
            self._show()

    def _press(self, key: str) -> None:
        if key == "enter" and self._text.strip():
            saying = asyncio.create_task(self._say(self._text))
            self._saying.add(saying)
            saying.add_done_callback(self._saying.discard)
            self._text = ""
        elif key == "backspace":
            self._text = self._text[:-1]
        elif key == "escape":
            self._text = ""
        elif len(key) == 1:
            self._text += key

    def _show(self) -> None:
        typed = self._text

        def rows(width: int) -> list[list[Part]]:
            tail = typed[-(max(10, width) - 6) :]
            said = "  Enter says it into the exchange that runs, Esc forgets it."
            return [[("› ", "prompt"), (f"{tail}▏", "bold")], [(said, "dim")]]

        self._desk.canvas.ask(rows if typed else None)

    async def _say(self, text: str) -> None:
        self._desk.say("prompt", [("› ", "prompt"), (one_line(text), "bold")])
        with suppress(asyncio.CancelledError):
            try:
                async for _ in self._session.steer(text):
                    break  # it is admitted: the exchange itself is followed already
            except Problem as problem:
                self._desk.say("note", [(f"  {problem}", "red")])
