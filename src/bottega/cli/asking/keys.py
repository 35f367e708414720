"""Keys as they are pressed, one at a time.

A key counts only if it was pressed for what stands on the screen: what was typed before is thrown away, and so is a key
that comes in a burst, as pasted text does.
"""

import asyncio
import codecs
import os
import re
import signal
import termios
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

QUIET = 0.3
"""Seconds without a key after which somebody may be asked: by then they type nothing else."""
ALONE = 0.04
"""Seconds without another key after which a key was pressed alone."""

MANY = "many"

_PRESSED = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[^\x1b]|.", re.DOTALL)
_NAMES = {
    "\x1b[A": "up", "\x1bOA": "up", "\x1b[B": "down", "\x1bOB": "down",
    "\x1b[5~": "page up", "\x1b[6~": "page down",
    "\x1b[H": "home", "\x1bOH": "home", "\x1b[1~": "home",
    "\x1b[F": "end", "\x1bOF": "end", "\x1b[4~": "end",
    "\x1b": "escape", "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace",
    "\x04": "end of input",
}  # fmt: skip


def pressed(text: str) -> list[str]:
    """The keys of what a terminal sent: a letter as itself, others by name, unknown ones by an empty one."""
    found = (each[0] for each in _PRESSED.finditer(text))
    return [_NAMES.get(key, key if len(key) == 1 and key.isprintable() else "") for key in found]


def _nothing() -> None:
    pass


class Keys:
    """Use it as a context manager: inside, the terminal gives each key at once and shows none of them."""

    def __init__(
        self,
        descriptor: int,
        on_stop: Callable[[], None] = _nothing,
        on_go_on: Callable[[], None] = _nothing,
    ) -> None:
        self._descriptor = descriptor
        self._on_stop = on_stop
        self._on_go_on = on_go_on
        self._before: list[Any] | None = None
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def __enter__(self) -> "Keys":
        loop = asyncio.get_running_loop()
        self._heard = asyncio.Queue()
        self._take()
        loop.add_reader(self._descriptor, self._hear)
        loop.add_signal_handler(signal.SIGTSTP, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._descriptor)
        loop.remove_signal_handler(signal.SIGTSTP)
        self._give_back()

    @contextmanager
    def lent(self) -> Generator[None]:
        """Leave the keyboard to somebody else."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    async def quiet(self) -> None:
        """Return once nothing has been typed for a moment; what was is forgotten."""
        while True:
            try:
                async with asyncio.timeout(QUIET):
                    await self._heard.get()
            except TimeoutError:
                return

    async def alone(self) -> str:
        """The next key that is pressed alone; MANY for those that come together."""
        heard = await self._heard.get()
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(ALONE):
                    heard += await self._heard.get()
        keys = pressed(heard)
        return keys[0] if len(keys) == 1 else MANY

    async def some(self) -> list[str]:
        """The next keys, however they come."""
        return pressed(await self._heard.get())

    def _take(self) -> None:
        with suppress(termios.error):
            self._before = termios.tcgetattr(self._descriptor)
            during = termios.tcgetattr(self._descriptor)
            during[3] &= ~(termios.ICANON | termios.ECHO)
            during[6][termios.VMIN], during[6][termios.VTIME] = 1, 0
            # TCSAFLUSH: what was typed for something else is thrown away with the change.
            termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, during)

    def _give_back(self) -> None:
        if self._before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _hear(self) -> None:
        try:
            heard = os.read(self._descriptor, 4096)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            heard = b""
        if not heard:  # the terminal is gone, and nobody is left to press anything
            asyncio.get_running_loop().remove_reader(self._descriptor)
        elif text := self._decoder.decode(heard):
            self._heard.put_nowait(text)

    def _stop(self) -> None:
        """Ctrl-Z: leave the terminal as it was found, and take it again afterwards."""
        loop = asyncio.get_running_loop()
        self._on_stop()
        self._give_back()
        loop.remove_signal_handler(signal.SIGTSTP)
        os.kill(os.getpid(), signal.SIGTSTP)  # stands still in here until somebody says go on
        loop.add_signal_handler(signal.SIGTSTP, self._stop)
        self._take()
        self._on_go_on()
