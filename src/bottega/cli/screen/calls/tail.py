"""The last lines of what a command prints, however much and in whatever pieces it comes.

A carriage return begins a line anew, as progress bars do. Never keeps more than a few lines.
"""

from collections import deque

from bottega.cli.screen.clean import Cleaner

KEPT = 8
"""Lines that are remembered."""
LONGEST = 400
"""Characters of one line that are remembered."""


class Tail:
    def __init__(self, text: str = "") -> None:
        self._cleaner = _Returns()
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._open = ""
        """The line that has no end yet."""
        self.count = 0
        """Lines that came, empty ones left out."""
        if text:
            self.feed(text)

    def feed(self, piece: str) -> None:
        *whole, rest = self._cleaner.feed(piece).split("\n")
        for line in whole:
            self._close(self._open + line)
            self._open = ""
        self._open = _written(self._open + rest)[-LONGEST:]

    def last(self, number: int) -> list[str]:
        """The last so many lines."""
        lines = [*self._lines, self._open] if self._open.strip() else list(self._lines)
        return lines[-number:]

    @property
    def total(self) -> int:
        return self.count + bool(self._open.strip())

    def _close(self, line: str) -> None:
        shown = _written(line)
        if shown.strip():
            self._lines.append(shown[:LONGEST].rstrip())
            self.count += 1


class _Returns:
    """A cleaner that leaves carriage returns: they mean something here, and everything else is removed."""

    def __init__(self) -> None:
        self._cleaner = Cleaner()

    def feed(self, piece: str) -> str:
        pieces = piece.replace("\r\n", "\n").split("\r")
        return "\r".join(self._cleaner.feed(each) for each in pieces)


def _written(line: str) -> str:
    """What of a line is left to see once its carriage returns were obeyed."""
    parts = [part for part in line.split("\r") if part]
    kept = parts[-1] if parts else ""
    return kept.expandtabs(4)
