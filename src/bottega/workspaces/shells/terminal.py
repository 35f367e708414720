"""A terminal from the side of whoever holds it: what is typed, and whether a program waits for it.

Whether a program waits is asked of the system: which processes are in the foreground, and what they sleep in.
"""

import asyncio
import os
import platform
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

from bottega.workspaces.outputs.drain import writable

_PROC = Path("/proc")
_LOCAL = 3
_CALLS = {
    # read, and those that wait for several descriptors at once
    "x86_64": (0, frozenset({7, 23, 232, 270, 271, 281, 441})),
    "aarch64": (63, frozenset({22, 72, 73, 441})),
}.get(platform.machine())

Readers = frozenset[tuple[int, str]]
"""Processes that wait for the terminal, each with how often it has slept: it has another number after any input."""


class Terminal:
    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._typing = asyncio.Lock()

    async def write(self, text: str) -> None:
        """Type it; waits as long as nobody takes it in, and for whoever types already."""
        rest = memoryview(text.encode("utf-8", "replace"))
        async with self._typing:
            while rest:
                try:
                    rest = rest[os.write(self._fd, rest[:4096]) :]
                except BlockingIOError:
                    await writable(self._fd)

    @property
    def enter(self) -> str:
        """What the key for a line's end sends, as the program has it."""
        mode = self._mode()
        return "\r" if mode and not mode[_LOCAL] & termios.ICANON else "\n"

    def hush(self) -> None:
        """Echo nothing, and take whole lines, whatever the last program left."""
        if mode := self._mode():
            mode[_LOCAL] = (mode[_LOCAL] & ~termios.ECHO) | termios.ICANON | termios.ISIG
            mode[0] &= ~termios.INLCR & ~termios.IGNCR & ~termios.ISTRIP
            with suppress(termios.error):
                termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def echo(self) -> None:
        """Echo again what is typed at the prompt."""
        if mode := self._mode():
            mode[_LOCAL] |= termios.ECHO
            with suppress(termios.error):
                termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def foreground(self) -> int:
        """The process group that has the terminal; 0: it cannot be seen from here."""
        try:
            return os.tcgetpgrp(self._fd)
        except OSError:
            return 0

    def readers(self) -> Readers | None:
        """Who waits for the terminal; None where the system does not say. May take milliseconds."""
        group = self.foreground()
        if group <= 0 or _CALLS is None:
            return None
        mode = self._mode()
        raw = mode is not None and not mode[_LOCAL] & termios.ICANON
        try:
            return frozenset((pid, _sleeps(pid)) for pid in _members(group) if _reads(pid, raw=raw))
        except PermissionError:
            return None

    def _mode(self) -> list[Any] | None:
        try:
            return termios.tcgetattr(self._fd)
        except termios.error:
            return None


def _members(group: int) -> list[int]:
    found: list[int] = []
    for each in os.listdir(_PROC):
        if each.isdigit():
            with suppress(OSError):
                # The name before the last bracket may hold anything; state, parent and group come after it.
                fields = (_PROC / each / "stat").read_text(errors="replace").rpartition(")")[2]
                if int(fields.split()[2]) == group:
                    found.append(int(each))
    return found


def _reads(pid: int, *, raw: bool) -> bool:
    """Whether it sleeps in a read of a terminal, or waits for one that it has taken over."""
    assert _CALLS is not None
    read, waits = _CALLS
    try:
        words = (_PROC / str(pid) / "syscall").read_text().split()
        if not words[0].isdigit():
            return False
        if int(words[0]) in waits:
            return raw
        if int(words[0]) != read:
            return False
        device = os.stat(_PROC / str(pid) / "fd" / str(int(words[1], 16))).st_rdev
        return os.major(device) in _TERMINALS
    except (FileNotFoundError, ProcessLookupError):
        return False


_TERMINALS = frozenset({5, *range(136, 144)})
"""Major numbers: `/dev/tty`, and the terminals of programs."""


def _sleeps(pid: int) -> str:
    with suppress(OSError):
        for line in (_PROC / str(pid) / "status").read_text(errors="replace").splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                return line.split()[1]
    return ""
