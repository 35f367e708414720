"""What a command that only tells something prints: lines, tables and JSON, in colour where a person looks at it."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
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
        for place in range(len(rows[0])):
            table.add_column(
                head[place] if head else "",
                no_wrap=True,
                overflow="ellipsis",
                justify="right" if place in right else "left",
            )
        for row in rows:
            table.add_row(*map(_cell, row))
        self.lines(self.painter.lines(table, self.width))


def print_json(value: Any) -> None:
    """For programs: indented by two, so that people can read it too."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(f"{text.decode()}\n")


def _cell(part: Part | str) -> Text:
    text, style = part if isinstance(part, tuple) else (part, "")
    return Text(text, style=style)
