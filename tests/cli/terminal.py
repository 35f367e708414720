"""A terminal that a test can look at: the real program on a real PTY, its screen kept by an emulator."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pyte

from tests.cli.conftest import PROGRAM

PATIENCE = 30
"""Seconds for something to appear on a busy machine."""


class _Screen(pyte.HistoryScreen):
    """An emulator that answers when it is asked where its cursor is."""

    answer: Callable[[str], None]

    def write_process_input(self, data: str) -> None:
        self.answer(data)


class Terminal:
    def __init__(
        self,
        arguments: list[str],
        env: Mapping[str, str],
        cwd: Path,
        size: tuple[int, int] = (30, 140),
        program: list[str] = PROGRAM,
    ) -> None:
        self._screen = _Screen(size[1], size[0], history=2000, ratio=0.5)
        self._screen.answer = self.send
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._child = pexpect.spawn(
            program[0],
            [*program[1:], *arguments],
            env=dict(env),
            cwd=str(cwd),
            dimensions=size,
            timeout=PATIENCE,
        )
        self._child.delaybeforesend = None
        self._child.delayafterclose = self._child.delayafterterminate = 0.01

    def clear(self) -> None:
        """Forget what was shown so far."""
        self._screen.reset()
        self._screen.history.top.clear()
        self.raw = b""

    def resize(self, lines: int, columns: int) -> None:
        self._screen.resize(lines, columns)
        self._child.setwinsize(lines, columns)

    def send(self, text: str) -> None:
        self._child.send(text)

    def line(self, text: str) -> None:
        self._child.send(f"{text}\r")

    def end(self) -> None:
        """Whatever it does, it does not outlive the test."""
        if self._child.closed:
            return
        if "COVERAGE_PROCESS_CONFIG" in os.environ:  # it has to write down what it ran
            self._leave_gently()
        self._child.close(force=True)

    def _leave_gently(self) -> None:
        """Ctrl-C stops what runs or is asked, and leaves where nothing is."""
        deadline = time.monotonic() + 6
        while self._child.isalive() and time.monotonic() < deadline:
            self.send("\x03")
            until = time.monotonic() + 0.6
            while time.monotonic() < until:
                if not self._read():
                    self._child.wait()
                    return

    def signal(self, number: int) -> None:
        if self._child.isalive():
            self._child.kill(number)

    def wait_for(self, text: str, times: int = 1) -> None:
        """Return once the screen, or what was scrolled off it, shows the text so often."""
        deadline = time.monotonic() + PATIENCE
        while self.text().count(text) < times:
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"{text!r} did not come; the screen shows:\n{self.text()}")

    def hang_up(self) -> None:
        """Press Ctrl-D once the editor has the keyboard: before, the terminal itself would swallow it."""
        deadline = time.monotonic() + PATIENCE
        while self.raw.count(b"\x1b[?2004h") <= self.raw.count(b"\x1b[?2004l"):
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"it does not ask; the screen shows:\n{self.text()}")
        self.send("\x04")

    def leave(self) -> int:
        """The exit code, once the program has ended."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            if time.monotonic() > deadline:
                raise AssertionError(f"it does not end; the screen shows:\n{self.text()}")
        self._child.close()
        return self._child.exitstatus if self._child.exitstatus is not None else -1

    def text(self) -> str:
        above = [
            "".join(line[x].data for x in range(self._screen.columns))
            for line in self._screen.history.top
        ]
        return "\n".join(line.rstrip() for line in [*above, *self._screen.display])

    def _read(self) -> bool:
        """Take what the program has written; False once it has ended."""
        try:
            piece = self._child.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += piece
        self._stream.feed(piece)
        return True
