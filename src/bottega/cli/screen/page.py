"""What a command that only tells something prints: lines, tables and JSON, in colour where a person looks at it."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

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
        styled = [part if isinstance(part, tuple) else (part, "") for part in parts]
        self.lines(self.painter.parts(styled, self.width) or [""])

    def lines(self, lines: Sequence[str]) -> None:
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def table(
        self,
        rows: Sequence[Sequence[Part | str]],
        head: Sequence[str] = (),
        right: Sequence[int] = (),
    ) -> None:
        """Rows in columns, those of numbers on the right; where it gets narrow, the widest are cut."""
        if not rows:
            return
        table = Table(box=None, pad_edge=False, show_header=bool(head), header_style="dim")
        cells = [[_cell(part) for part in row] for row in rows]
        titles = head or [""] * len(rows[0])
        widths = [
            max(cell_len(title), *(row[place].cell_len for row in cells))
            for place, title in enumerate(titles)
        ]
        for place, width in enumerate(_narrowed(widths, self.width - GAP * (len(widths) - 1))):
            table.add_column(
                titles[place],
                width=width,
                no_wrap=True,
                overflow="ellipsis",
                justify="right" if place in right else "left",
            )
        for row in cells:
            table.add_row(*row)
        self.lines(self.painter.lines(table, self.width))


GAP = 2
"""Columns between two of a table."""


def _narrowed(widths: list[int], room: int) -> list[int]:
    """Widths that fit into the room, if they can: the widest give way first, so that ids are never cut."""
    while sum(widths) > room and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return widths


def print_json(value: Any) -> None:
    """For programs: indented by two, so that people can read it too."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(f"{text.decode()}\n")


def _cell(part: Part | str) -> Text:
    text, style = part if isinstance(part, tuple) else (part, "")
    return Text(text, style=style)
