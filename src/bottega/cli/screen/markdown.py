"""Markdown as a terminal can show it. Nothing that was written disappears: tags stand as text, and a link shows
where it leads.
"""

from typing import cast

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, ListItem, Markdown, TableElement
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table

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
