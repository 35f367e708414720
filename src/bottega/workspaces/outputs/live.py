"""What is shown of an output while it still comes: in pieces that are worth an event, and no more than a log can bear.

An unfinished line is shown too, since it may be a question; one that is rewritten waits until it is settled.
"""

import asyncio
from collections.abc import Callable

ROOM = 256 * 1024
"""Characters that are shown of one call."""
PAUSE = 0.1
"""Seconds between two pieces."""


class Live:
    def __init__(self, emit: Callable[[str], None], rest: str, room: int = ROOM) -> None:
        self._emit = emit
        self._rest = f"\n[{rest}]\n"
        """Says where the rest is, once there is no more room."""
        self._room = room
        self._pending: dict[str, str] = {}
        self._partial: dict[str, Callable[[], str]] = {}
        self._shown: dict[str, str] = {}
        """What was already shown of each stream's unfinished line."""
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0

    def add(self, stream: str, settled: str, partial: Callable[[], str]) -> None:
        """Take lines of a stream, and how to ask for its unfinished one."""
        if self._room <= 0:
            return
        self._pending[stream] = self._pending.get(stream, "") + settled
        self._partial[stream] = partial
        if not self._timer:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._next, loop.time()), self._due)

    def stop(self) -> None:
        """Show no more, and say where the rest is."""
        self._flush()
        if self._room > 0:
            self._room = 0
            self._emit(self._rest)

    def finish(self) -> None:
        """Show what is left; nothing comes after it."""
        if self._timer:
            self._timer.cancel()
        self._flush()
        self._room = 0

    def _due(self) -> None:
        self._timer = None
        self._next = asyncio.get_running_loop().time() + PAUSE
        self._flush()

    def _flush(self) -> None:
        for stream in list(self._partial):
            if self._room > 0 and (piece := self._piece(stream)):
                self._emit(piece[: self._room])
                self._room -= len(piece)
                if self._room <= 0:
                    self._emit(self._rest)

    def _piece(self, stream: str) -> str:
        settled, shown = self._pending.pop(stream, ""), self._shown.pop(stream, "")
        piece = _after(shown, settled)
        shown = "" if settled else shown
        partial = self._partial[stream]()
        if partial.startswith(shown):
            piece += partial[len(shown) :]
            shown = partial
        self._shown[stream] = shown
        return piece


def _after(shown: str, settled: str) -> str:
    if not settled or settled.startswith(shown):
        return settled[len(shown) :]
    return f"\n{settled}"
