"""The terminal, or what stands in its place: how large it is, whether it moves its cursor, which signs it knows."""

import os
from collections.abc import Mapping
from typing import TextIO

_ASCII = str.maketrans(
    {
        "●": "*",
        "○": "o",
        "✓": "+",
        "✗": "x",
        "✻": "*",
        "›": ">",
        "•": "-",
        "·": "-",
        "…": "...",
        "─": "-",
        "│": "|",
        "▌": "|",
        "↺": "~",
        "■": "#",
        "−": "-",
        "⊘": "x",
        "▸": ">",
        "⋮": ":",
        "⟨": "<",
        "⟩": ">",
        "“": '"',
        "”": '"',
        "←": "<-",
        "→": "->",
        "⏳": "~",
        "–": "-",
        "—": "-",
        **dict.fromkeys("╭╮╰╯┌┐└┘", "+"),
        **dict.fromkeys("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "~"),
    }
)


class Terminal:
    def __init__(self, stream: TextIO, environment: Mapping[str, str]) -> None:
        self._stream = stream
        self.is_tty = stream.isatty()
        self.moves = self.is_tty and environment.get("TERM", "") not in ("", "dumb")
        """The cursor can be moved and lines drawn again."""
        self.colour = self.moves and not environment.get("NO_COLOR")
        self._ascii = "utf" not in (stream.encoding or "").lower().replace("-", "")
        self.gone = False
        """Whoever read this has left; what is written is dropped."""

    @property
    def width(self) -> int:
        return self._size()[0]

    @property
    def height(self) -> int:
        return self._size()[1]

    def write(self, text: str) -> None:
        """Write and flush; a reader that has left is remembered, not raised."""
        if self.gone or not text:
            return
        try:
            self._stream.write(text.translate(_ASCII) if self._ascii else text)
            self._stream.flush()
        except BrokenPipeError:
            self.gone = True
            leave(self._stream)

    def _size(self) -> tuple[int, int]:
        try:
            columns, lines = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            columns, lines = 0, 0
        return columns or 80, lines or 24


def leave(stream: TextIO) -> None:
    """Point a stream whose reader has left at nothing, or the interpreter would complain when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
