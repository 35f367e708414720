"""The last lines of the screen, which still change; everything above them is final and belongs to the scrollback.

A draw rewrites from the first line that differs, in one write, so nothing flickers and an answer that only grows
rewrites its last line.
"""

from rich.cells import cell_len

from bottega.cli.screen.clean import clean
from bottega.cli.screen.terminal import Terminal


class Region:
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._shown: list[str] = []
        self._width = terminal.width

    def draw(self, final: list[str], changing: list[str]) -> None:
        """Put `final` above for good, and show `changing` under it; of too many lines only the last."""
        room = max(1, self._terminal.height - 1)
        tail = changing[-room:]
        lines = [*final, *tail]
        same = 0
        for old, new in zip(self._shown, lines, strict=False):
            if old != new:
                break
            same += 1
        if same == len(self._shown) == len(lines):
            self._shown = tail
            return
        up = self._rows(self._shown[same:])
        move = f"\x1b[{up}A" if up else ""
        self._terminal.lines(lines[same:], before=f"{move}\r\x1b[J")
        self._shown = tail

    def _rows(self, lines: list[str]) -> int:
        """How many rows these lines fill now; a terminal made narrower has wrapped them."""
        width, before = self._terminal.width, self._width
        self._width = width
        if width >= before:
            return len(lines)
        return sum(max(1, -(-cell_len(clean(line)) // width)) for line in lines)
