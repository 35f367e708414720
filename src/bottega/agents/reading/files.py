"""Code blocks that name a file are files: known as soon as their fence is closed.

A later block of the same path takes the place of an earlier one. A block whose fence was never closed is not
complete and must not be saved. Blocks in quotes, in comments and in other blocks are no files.
"""

import msgspec

from bottega.agents.reading.file_names import in_first_line, in_info, in_line_before, is_saved
from bottega.agents.reading.outline import Line, Outline

FILE_FORM = """\
Write each file as one fenced block that holds the whole file and names its path behind the language:

```html index.html
<!doctype html>
```

The files are saved as you wrote them as soon as their block ends; a later block of the same path replaces the \
earlier one. If a file has fences in it, put four backticks or more around it. Blocks without a path, and \
commands for a shell, are only shown."""


class File(msgspec.Struct, frozen=True):
    path: str
    """As it was written; where it may lead is decided where it is saved."""
    content: str
    complete: bool = True


class _Block(msgspec.Struct):
    path: str
    indent: int
    nameable: bool
    """Its first line may still name it."""
    lines: list[str]


class Files:
    """Fed with pieces of an answer, in order; gives files as soon as they are ready."""

    def __init__(self) -> None:
        self._outline = Outline()
        self._parts: list[str] = []
        self._block: _Block | None = None
        self._before = ""

    def feed(self, piece: str) -> list[File]:
        """More of the answer; the files that are complete now."""
        ready: list[File] = []
        *whole, last = piece.split("\n")
        for part in whole:
            if self._outline.full:
                break
            self._parts.append(part)
            if file := self._line("".join(self._parts) + "\n"):
                ready.append(file)
            self._parts.clear()
        if last:
            self._parts.append(last)
        return ready

    def rest(self) -> list[File]:
        """The answer is over: the file that its last line closed, or the one that was left open."""
        if self._parts and (file := self._line("".join(self._parts))):
            return [file]
        block, self._block = self._block, None
        return [_file(block, complete=False)] if block is not None and block.path else []

    def _line(self, text: str) -> File | None:
        line = self._outline.feed(text)
        block = self._block
        if block is None:
            if line.kind == "open":
                self._block = self._opened(line)
            else:
                self._before = text if line.kind in ("prose", "comment") else ""
            return None
        if line.kind != "close":
            self._content(block, text)
            return None
        self._block, self._before = None, ""
        return _file(block, complete=True) if block.path else None

    def _opened(self, line: Line) -> _Block:
        path = in_info(line.info)
        if not path and not line.inside and is_saved(line.info):
            path = in_line_before(self._before)
        return _Block(path, line.indent, not path and is_saved(line.info), [])

    def _content(self, block: _Block, text: str) -> None:
        if block.nameable:
            block.path, block.nameable = in_first_line(text), False
        if block.path:
            block.lines.append(_outdented(text, block.indent))


def files(text: str) -> tuple[File, ...]:
    """The files of a whole answer, in the order in which they were first written."""
    reader = Files()
    ready = [*reader.feed(text), *reader.rest()]
    found: dict[str, File] = {}
    for file in ready:
        # What was cut off does not take the place of what is whole.
        if file.complete or file.path not in found:
            found[file.path] = file
    return tuple(found.values())


def _file(block: _Block, complete: bool) -> File:
    return File(block.path, "".join(block.lines), complete)


def _outdented(text: str, indent: int) -> str:
    """A line without the blanks that its fence stands behind."""
    if not indent:
        return text
    bare = text.lstrip(" \t")
    return text[min(indent, len(text) - len(bare)) :]
