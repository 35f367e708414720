"""Text as lines for a terminal, in its own sixteen colours, so that they fit every background.

Whatever is drawn is cleaned here: before it is laid out, so that it is as wide as it looks, and once more piece by
piece, so that the only sequences in a line are the styles that stand around its pieces.
"""

from io import StringIO

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.text import Text
from rich.theme import Theme

from bottega.cli.screen.clean import clean
from bottega.cli.screen.terminal import Painted
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
        "tool.denied": "magenta",
        "diff.added": "green",
        "diff.removed": "red",
        "diff.added.word": "green reverse",
        "diff.removed.word": "red reverse",
        "accent": "yellow",
        "key": "bold yellow",
        "prompt": "bold yellow",
        "found": "bold yellow",
    }
)


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
        from bottega.cli.screen.markdown import Written  # costs more than all the rest

        return self.lines(Written(clean(text)), width)

    def parts(self, parts: list[Part], width: int) -> list[str]:
        return self.lines(Text.assemble(*((clean(text), style) for text, style in parts)), width)

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
        return Painted("".join(reversed(said)))

    def _said(self, text: str, segment: Segment) -> str:
        text, style = clean(text), segment.style
        if not style or self._plain:
            return text
        style = style if self._colour else style.without_color
        return style.render(text, color_system=ColorSystem.STANDARD)
