"""The terminal, or what stands in its place: how large it is, whether it moves its cursor, which signs it knows.

Text is cleaned where it is written, so that no caller can forget to. Two things alone pass as they are: lines that the
painter made (`Painted`, whose text it has cleaned), and the few commands that are ours (`command`).
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import TextIO

from bottega.cli.screen.clean import clean

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


_COMMAND = re.compile(r"(?:\x1b\[(?:\??\d*[AHJKhl])|[\r\n\b ])*")
"""Cursor up and home, clear, show and hide the cursor, the other screen."""


class Painted(str):
    """A line that the painter made: our colours around clean text. Put together with anything, it is text again."""

    __slots__ = ()


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
        """Text of anybody, of which nothing is obeyed."""
        self._send(clean(text))

    def lines(
        self, lines: Iterable[str], last: str = "", *, before: str = "", behind: str = ""
    ) -> None:
        """Whole lines in one write, so that nothing flickers, and a `last` one that stays open.

        `before` all of them and `behind` each stand commands of ours.
        """
        begin, end = _ours(before), _ours(behind)
        drawn = "".join(f"{safe(line)}{end}\n" for line in lines)
        self._send(f"{begin}{drawn}{safe(last)}{end if last else ''}")

    def command(self, sequence: str) -> None:
        """Something that the terminal is to do: never made of what others say."""
        self._send(_ours(sequence))

    def _send(self, text: str) -> None:
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


def safe(line: str) -> str:
    """A line as it may be written."""
    return line if isinstance(line, Painted) else clean(line)


def _ours(sequence: str) -> str:
    if not _COMMAND.fullmatch(sequence):
        raise ValueError(f"{sequence!r} is no command that a terminal is given.")
    return sequence


def leave(stream: TextIO) -> None:
    """Point a stream whose reader has left at nothing, or the interpreter would complain when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
