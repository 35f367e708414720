"""Markdown as lines for a terminal, in its own sixteen colours, so that it fits every background.

Nothing that was written disappears: tags stand as text, and a link shows where it leads.
"""

from io import StringIO
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, ListItem, Markdown, TableElement
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from bottega.cli.screen.tools import Part

NARROWEST = 20

THEME = Theme(
    {
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.h4": "bold dim",
        "markdown.code": "cyan",
        "markdown.code_block": "cyan",
        "markdown.block_quote": "italic dim",
        "markdown.item.bullet": "yellow",
        "markdown.item.number": "yellow",
        "markdown.link": "underline",
        "markdown.link_url": "blue",
        "markdown.hr": "dim",
        "markdown.table.header": "bold",
        "markdown.table.border": "dim",
        "tool.running": "yellow",
        "tool.done": "green",
        "tool.failed": "red",
        "accent": "yellow",
        "prompt": "bold yellow",
        "found": "bold yellow",
    }
)

_parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Syntax(
            str(self.text).rstrip("\n"),
            self.lexer_name,
            theme="ansi_dark",
            background_color="default",
            word_wrap=True,
        )
        yield Padding(code, (0, 0, 0, 2))


class _Heading(Heading):
    LEVEL_ALIGN = {}


class _Line(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style="markdown.hr", characters="─")


class _Item(ListItem):
    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        mark = f"{number}.".rjust(len(str(last_number)) + 2) + " "
        yield from self._marked(mark, console, options)

    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._marked(" • ", console, options)

    def _marked(self, mark: str, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(1, options.max_width - len(mark)))
        lead = Segment(mark, console.get_style("markdown.item.bullet"))
        for line in console.render_lines(self.elements, inner, style=self.style, pad=False):
            yield lead
            yield from line
            yield Segment.line()
            lead = Segment(" " * len(mark))


class _Table(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, border_style="dim")
        if self.header and self.header.row:
            for cell in self.header.row.cells:
                table.add_column(
                    cell.content, header_style="bold", justify=cast("JustifyMethod", cell.justify)
                )
        for row in self.body.rows if self.body else ():
            table.add_row(*(cell.content for cell in row.cells))
        yield table


class Written(Markdown):
    elements = {
        **Markdown.elements,
        "list_item_open": _Item,
        "table_open": _Table,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
        "hr": _Line,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = text
        self.parsed = _parser.parse(text)
        for token in self.parsed:
            if token.children:
                token.children = list(_shorter(token.children))


def _shorter(tokens: list[Token]) -> "list[Token]":
    """A link whose text is its address is said once."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        three = tokens[place : place + 3]
        if (
            len(three) == 3
            and three[0].type == "link_open"
            and three[1].type == "text"
            and three[1].content == str(three[0].attrs.get("href", ""))
        ):
            kept.append(three[1])
            place += 3
        else:
            kept.append(tokens[place])
            place += 1
    return kept


class Painter:
    """Turns text into lines with colours. `colour=False` keeps bold and the like; `plain` has no escape at all."""

    def __init__(self, *, colour: bool = True, plain: bool = False) -> None:
        self._plain = plain
        self._colour = colour
        self._console = Console(
            file=StringIO(),
            force_terminal=not plain,
            color_system=None if plain else "standard",
            theme=THEME,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def markdown(self, text: str, width: int) -> list[str]:
        return self.lines(Written(text), width)

    def parts(self, parts: list[Part], width: int) -> list[str]:
        return self.lines(Text.assemble(*parts), width)

    def lines(self, what: RenderableType, width: int) -> list[str]:
        """What rich can draw, as lines no wider than `width`, without empty ones around them."""
        console = self._console
        options = console.options.update(width=max(NARROWEST, width), height=None)
        drawn = [self._line(line) for line in console.render_lines(what, options, pad=False)]
        while drawn and not drawn[-1]:
            drawn.pop()
        while drawn and not drawn[0]:
            drawn.pop(0)
        return drawn

    def _line(self, segments: list[Segment]) -> str:
        """Without the spaces at its end: who copies a line wants none of them."""
        said: list[str] = []
        for segment in reversed(segments):
            text = segment.text if said else segment.text.rstrip()
            if text:
                said.append(self._said(text, segment))
        return "".join(reversed(said))

    def _said(self, text: str, segment: Segment) -> str:
        style = segment.style
        if not style or self._plain:
            return text
        style = style if self._colour else style.without_color
        return style.render(text, color_system=ColorSystem.STANDARD)
