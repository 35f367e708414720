"""What each line of a markdown text is: prose, code, a quote, markup. One pass, line by line.

Everything that reads an answer asks this first, so that an example is never taken for a deed. Where markdown is
ambiguous a line counts as code or quote: what is inert is only shown. A line is judged by what stands before it,
never by what follows: a stream and the whole text are read alike, in time linear in the text.
"""

import re
from typing import Literal

import msgspec

from bottega.agents.reading.spans import left_open

Kind = Literal["blank", "prose", "quote", "open", "code", "close", "comment", "markup"]

MARKDOWN = frozenset({"md", "markdown", "mdx"})
"""Fences in these hold fences of their own, even where the outer one is no longer than they are."""
INERT = frozenset(
    {"pre", "script", "style", "textarea", "code", "blockquote", "think", "thinking"}
    | {"q", "kbd", "samp", "example", "examples", "reasoning", "system", "user"}
    | {"tool_result", "tool_results", "tool_response", "function_result", "function_results"}
)
"""Elements whose text is shown, quoted or thought, and never meant."""
ALONE = INERT - {"pre", "script", "style", "textarea", "code", "blockquote", "think", "thinking"}
"""Those that count only if their tag has its line for itself: others use such words in angle brackets."""

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_ELEMENT = re.compile(r"<([a-z_]{1,20})(?=[\s>]|$)", re.IGNORECASE)
_TABS = 4
_NESTED = 8
"""How many marks of lists one line may begin with; nobody means more."""
MOST_LINES = 50_000
"""What comes after so many lines is inert: nobody means that either, and reading stays quick."""


class Line(msgspec.Struct, frozen=True, gc=False):
    text: str
    """As it was written, with its end."""
    kind: Kind
    info: str = ""
    """What stands behind an opening fence."""
    indent: int = 0
    """The column at which it begins; of a fence in a list, the fence's."""
    listed: bool = False
    """It stands in an item of a list."""
    inside: str = ""
    """What was open as the line began: a quotation mark, backticks, or `>` for a quote that runs on."""

    @property
    def top(self) -> bool:
        """Whether nothing stands around it."""
        return not self.listed and not self.inside and self.indent < _TABS


class _Fence(msgspec.Struct):
    mark: str
    length: int
    indent: int
    nests: bool
    depth: int = 0


class Outline:
    """Fed with whole lines, one after the other; says of each what it is."""

    def __init__(self) -> None:
        self._fence: _Fence | None = None
        self._element = ""
        self._depth = 0
        self._list: int | None = None
        """The column at which the outermost open item has its text."""
        self._inside = ""
        self._lazy = False
        """A quote's paragraph may run on without its mark."""
        self._blank = True
        self._left = MOST_LINES

    @property
    def full(self) -> bool:
        """Whether so much was read that all the rest is inert."""
        return self._left <= 0

    @property
    def inert(self) -> bool:
        """Whether the next line is certainly code or markup."""
        return self.full or self._fence is not None or self._element != ""

    @property
    def inside(self) -> str:
        """What is open as the next line begins."""
        return ">" if self._lazy else self._inside

    def interrupt(self) -> None:
        """A block that stands by itself was taken out here: no paragraph runs on behind it."""
        self._paragraph_ends()
        self._list = None

    def feed(self, text: str) -> Line:
        self._left -= 1
        if self._left < 0:
            return Line(text, "code")
        if self._fence is not None:
            return self._in_fence(text, self._fence)
        if self._element:
            return self._in_element(text)
        bare = text.lstrip(" \t")
        if not bare or bare.isspace():
            self._paragraph_ends()
            return Line(text, "blank")
        indent = _columns(text, len(text) - len(bare))
        return self._begun(text, bare, indent)

    def _begun(self, text: str, bare: str, indent: int) -> Line:
        """A line outside of code: what is around it first, then itself."""
        body, column = self._unlisted(bare, indent)
        listed = self._list is not None and column >= self._list
        if not body or (not listed and column >= _TABS):
            return Line(text, "code", indent=column, listed=listed)
        if body.startswith(">"):
            return self._quote(text, body[1:].lstrip("> \t"))
        if body.startswith(("```", "~~~")) and (fence := _fence(body, column)):
            return self._opened(text, body, fence, listed)
        if body.startswith("<") and (line := self._markup(text, body, column)):
            return line
        if self._lazy and not body.startswith("#"):
            return Line(text, "quote", indent=column, inside=">")
        inside = self._inside
        if body.startswith("#"):
            self._paragraph_ends()
        else:
            self._inside, self._blank = left_open(body, inside), False
        return Line(text, "prose", indent=column, listed=listed, inside=inside)

    def _unlisted(self, bare: str, indent: int) -> tuple[str, int]:
        """The text behind the marks of lists, and its column; notes which list is open. No text: it is code."""
        if self._list is not None and indent < self._list:
            fenced = bare.startswith(("```", "~~~", "#"))
            if self._blank or fenced or _ITEM.match(bare):
                self._list = None
        column, outer = indent, self._list
        for _ in range(_NESTED):
            item = _ITEM.match(bare)
            if item is None or (outer is None and column >= _TABS):
                break
            rest = bare[item.end() :]
            bare = rest.lstrip(" \t")
            if _width(rest[: len(rest) - len(bare)], column + item.end()) > _TABS and bare.strip():
                bare = ""  # so far behind its mark, a text is code
            column += item.end() + min(max(len(rest) - len(bare), 1), _TABS)
            outer = column if outer is None else outer
            self._paragraph_ends()
        self._list = outer
        return bare, column

    def _quote(self, text: str, said: str) -> Line:
        self._paragraph_ends()
        self._lazy = not said.startswith(("```", "~~~")) and not said.isspace() and said != ""
        self._blank = False
        return Line(text, "quote")

    def _opened(self, text: str, body: str, fence: _Fence, listed: bool) -> Line:
        self._fence = fence
        inside, info = self._inside, body.lstrip(fence.mark).strip()
        self._paragraph_ends()
        return Line(text, "open", info, fence.indent, listed, inside)

    def _in_fence(self, text: str, fence: _Fence) -> Line:
        bare = text.lstrip(" \t")
        if not bare.startswith(fence.mark * 3):
            return Line(text, "code")
        indent = _columns(text, len(text) - len(bare))
        other = _fence(bare, indent)
        if other is None or other.mark != fence.mark or other.length < fence.length:
            return Line(text, "code")
        if bare.rstrip().strip(fence.mark):
            fence.depth += fence.nests
        elif fence.depth:
            fence.depth -= 1
        elif indent < fence.indent + _TABS:
            self._fence = None
            self._blank = True
            return Line(text, "close")
        return Line(text, "code")

    def _markup(self, text: str, body: str, indent: int) -> Line | None:
        if body.startswith("<!--"):
            self._element = "" if "-->" in body[4:] else "-->"
            kind: Kind = "markup" if self._element else "comment"
            line = Line(text, kind, indent=indent, inside=self.inside)
            self._paragraph_ends()
            return line
        element = _ELEMENT.match(body)
        if element is None or element[1].lower() not in INERT:
            return None
        if element[1].lower() in ALONE and body[element.end() :].strip() != ">":
            return None
        self._element, self._depth = element[1].lower(), 0
        self._paragraph_ends()
        return self._in_element(text)

    def _in_element(self, text: str) -> Line:
        name = self._element
        if name == "-->":
            self._element = "" if "-->" in text else name
        elif "<" in text:
            lower = text.lower()
            opened = lower.count(f"<{name}>") + lower.count(f"<{name} ")
            self._depth += opened - lower.count(f"</{name}>")
            self._element = name if self._depth > 0 else ""
        return Line(text, "markup")

    def _paragraph_ends(self) -> None:
        self._inside = ""
        self._lazy = False
        self._blank = True


def lines(text: str) -> list[str]:
    """A text as its lines, each with its end; nothing but a newline ends a line."""
    found = text.split("\n")
    last = found.pop()
    whole = [line + "\n" for line in found]
    if last:
        whole.append(last)
    return whole


def _fence(body: str, indent: int) -> _Fence | None:
    mark = body[0]
    info = body.lstrip(mark)
    if mark == "`" and "`" in info:
        return None  # that is inline code
    word = info.strip().lower().partition(" ")[0]
    return _Fence(mark, len(body) - len(info), indent, word in MARKDOWN)


def _width(blanks: str, column: int) -> int:
    """How many columns these blanks take that begin at one."""
    end = column
    for blank in blanks:
        end = end - end % _TABS + _TABS if blank == "\t" else end + 1
    return end - column


def _columns(text: str, end: int) -> int:
    """How many columns the leading blanks of a line take."""
    if "\t" not in text[:end]:
        return end
    return len(text[:end].expandtabs(_TABS))
