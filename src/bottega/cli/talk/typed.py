"""What a person types: an edited line with a history on a terminal, plain lines from anything else."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bottega.approvals.mode import MODES
from bottega.cli.talk.echo import shown
from bottega.cli.talk.slash import COMMANDS

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


class Reader(Protocol):
    mode: str
    """How much the agent may do unasked; shown in front of the line, and a key may change it."""

    async def read(self) -> str | None:
        """The next thing said; None when the person leaves."""
        ...

    def interrupt(self) -> bool:
        """Let go of the screen: `read` raises `Interrupted`. False: it has none, and goes on reading."""
        ...


class Interrupted(Exception):  # noqa: N818
    """Something has to be shown; what was typed so far stands in the line when it is read again."""


class Lines:
    """Standard input that is no terminal: each line is a prompt."""

    mode = ""

    def interrupt(self) -> bool:
        return False

    async def read(self) -> str | None:
        with shown():
            line = await asyncio.to_thread(sys.stdin.buffer.readline)
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None


class Editor:
    """A line editor: history, several lines by Alt-Enter or a backslash, pasted text kept whole."""

    mode = "ask"

    def __init__(
        self, history: Path, *, colour: bool, agents: Callable[[], list[str]] = list
    ) -> None:
        self.agents = agents
        """The names that `/agent` may be given."""
        self._session = _session(history, colour, self)
        self._draft = ""

    def prompt(self) -> list[tuple[str, str]]:
        """What stands in front of the line: `› `, or `plan › ` where the mode is not the usual one."""
        sign = ("ansiyellow bold", "› ")
        style = _MODES.get(self.mode)
        return [(style, f"{self.mode} "), sign] if style else [sign]

    def cycle(self) -> None:
        """The next mode."""
        self.mode = (
            MODES[(MODES.index(self.mode) + 1) % len(MODES)] if self.mode in MODES else "ask"
        )

    async def read(self) -> str | None:
        app, draft, self._draft = self._session.app, self._draft, ""
        app.erase_when_done = False
        try:
            return await self._session.prompt_async(default=draft)
        except (EOFError, KeyboardInterrupt):
            return None

    def interrupt(self) -> bool:
        app = self._session.app
        if app.is_running and not app.is_done:
            self._draft = self._session.default_buffer.text
            app.erase_when_done = True
            app.exit(exception=Interrupted())
        return True


_MODES = {"plan": "ansicyan bold", "allow": "ansired bold"}


def _session(history: Path, colour: bool, editor: Editor) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.formatted_text import FormattedText
    from prompt_toolkit.output import ColorDepth

    def words() -> list[str]:
        agents = [f"/agent {name}" for name in editor.agents()]
        return [*(f"/{name}" for name in COMMANDS), *agents]

    completer = WordCompleter(words, sentence=True)
    return PromptSession(
        lambda: FormattedText(editor.prompt()),
        multiline=True,
        prompt_continuation=lambda width, number, wraps: " " * width,
        history=_history(history),
        key_bindings=_keys(editor),
        completer=completer,
        complete_while_typing=False,
        color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
        erase_when_done=False,
    )


def _history(path: Path) -> "History":
    """Kept in a file that only its owner may read; in memory where no file can be had."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _keys(editor: Editor) -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: "KeyPressEvent") -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor(1)
            buffer.insert_text("\n")
        elif buffer.text.strip():
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("s-tab")
    def _(event: "KeyPressEvent") -> None:
        editor.cycle()
        event.app.invalidate()

    @keys.add("c-c")
    def _(event: "KeyPressEvent") -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt())

    return keys
