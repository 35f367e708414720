"""What a command that only tells something prints: lines and tables, in colour where a person looks at it.

A paragraph and a cell are one line each, whatever is in them: nobody's name may look like another line of ours.
"""

import sys
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from bottega.cli.screen import output
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part

_UNBOUNDED = 10_000
"""Columns where nobody looks: a program that reads a table wants no word of it cut off."""


class Page:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self.terminal = Terminal(sys.stdout, environment)
        self.painter = Painter(colour=self.terminal.colour, plain=not self.terminal.moves)
        self.width = self.terminal.width if self.terminal.is_tty else _UNBOUNDED

    def say(self, *parts: Part | str) -> None:
        """One paragraph, of pieces with or without a style."""
        styled = [_part(part) for part in parts]
        self.lines(self.painter.parts(styled, self.width) or [""])

    def lines(self, lines: Sequence[str]) -> None:
        output.lines(lines)

    def table(
        self,
        rows: Sequence[Sequence[Part | str]],
        head: Sequence[str] = (),
        right: Sequence[int] = (),
        spare: Sequence[int] = (),
    ) -> None:
        """Rows in columns, those of numbers on the right; where it gets narrow, the widest are cut.

        `spare` are columns that are left out, in that order, before what is left of others says nothing.
        """
        if not rows:
            return
        table = Table(box=None, pad_edge=False, show_header=bool(head), header_style="dim")
        cells = [[_cell(part) for part in row] for row in rows]
        titles = head or [""] * len(rows[0])
        widths = [
            max(cell_len(title), *(row[place].cell_len for row in cells))
            for place, title in enumerate(titles)
        ]
        room = self.width - GAP * (len(widths) - 1)
        whole = [place for place, title in enumerate(titles) if title in NAMES]
        left_out = _left_out(widths, self.width, spare)
        for place in left_out:
            widths[place], room = 0, room + GAP
        for place, width in enumerate(_narrowed(widths, room, whole)):
            if place in left_out:
                continue
            table.add_column(
                titles[place],
                width=width,
                no_wrap=True,
                overflow="ellipsis",
                justify="right" if place in right else "left",
            )
        for row in cells:
            table.add_row(*(cell for place, cell in enumerate(row) if place not in left_out))
        self.lines(self.painter.lines(table, self.width))


GAP = 2
"""Columns between two of a table."""


NAMES = ("id", "session")
"""Headings of what a person types again: half of it would name nothing."""


def _narrowed(widths: list[int], room: int, whole: Sequence[int] = ()) -> list[int]:
    """Widths that fit into the room, if they can: the widest give way first, what is to stay `whole` never."""
    may = [place for place in range(len(widths)) if place not in whole]
    while sum(widths) > room and may and (most := max(widths[place] for place in may)) > 1:
        widths[next(place for place in may if widths[place] == most)] -= 1
    return widths


READABLE = 10
"""Cells of a column that still say something."""


def _left_out(widths: Sequence[int], room: int, spare: Sequence[int]) -> list[int]:
    """The first of the spare columns, as many as it takes for the others to be read."""
    gone: list[int] = []
    for place in spare:
        left = [min(each, READABLE) for at, each in enumerate(widths) if at not in gone]
        if sum(left) + GAP * (len(left) - 1) <= room:
            break
        gone.append(place)
    return gone


def _part(part: Part | str) -> Part:
    text, style = part if isinstance(part, tuple) else (part, "")
    return output.one_line(text), style


def _cell(part: Part | str) -> Text:
    text, style = _part(part)
    return Text(text, style=style)
