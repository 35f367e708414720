"""A part of an output as a model reads it: whole lines as plain text, as many as there is room for."""

import codecs

import msgspec

from bottega.workspaces.outputs.plain import plain
from bottega.workspaces.outputs.source import Line, Source

ROOM = 8_500
"""Characters of one part."""
LINE = 2_000
"""Characters of one line."""


class Part(msgspec.Struct, frozen=True):
    text: str
    first: int
    """The number of its first line; 0: it has none."""
    last: int
    more: bool
    """There was no room for all that was asked for."""


def part(source: Source, first: int, last: int, room: int = ROOM) -> Part:
    """The lines from `first` to `last`, or to as far as there is room."""
    texts: list[str] = []
    begun, ended = 0, 0
    for line in source.lines(first):
        if line.number > last:
            break
        text = shown(line)
        room -= len(text) + 1
        if room < 0 and texts:
            return Part("\n".join(texts), begun, ended, more=True)
        texts.append(text)
        begun, ended = begun or line.number, line.number
    return Part("\n".join(texts), begun, ended, more=False)


def tail(source: Source, count: int, room: int = ROOM) -> Part:
    """The last lines, up to `count`, or as many as there is room for."""
    texts: list[str] = []
    total = source.total()
    wanted = [line for line in source.lines(max(1, total - count + 1)) if line.number <= total]
    first = total + 1
    for line in reversed(wanted):
        text = shown(line)
        room -= len(text) + 1
        if room < 0 and texts:
            return Part("\n".join(reversed(texts)), first, total, more=True)
        texts.append(text)
        first = line.number
    return Part("\n".join(reversed(texts)), first if texts else 0, total, more=False)


def within(source: Source, number: int, column: int, room: int = ROOM) -> tuple[str, bool]:
    """What stands in a long line from that character on, counted from 1; and whether there is more of it."""
    skip, texts = column - 1, list[str]()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for each in source.fragments(number):
        if each.number != number:
            break
        text = plain(decoder.decode(each.content))
        if room <= 0:
            return "".join(texts), True
        text, skip = text[skip:], max(0, skip - len(text))
        texts.append(text[:room])
        if len(text) > room:
            return "".join(texts), True
        room -= len(text)
    return "".join(texts), False


def shown(line: Line) -> str:
    text = plain(line.content.decode("utf-8", "replace")).rstrip("\r")
    cut = line.left + max(0, len(text) - LINE)
    if cut:
        text = f"{text[:LINE]} [… {cut:,} more in this line]"
    if line.gap:
        text = f"[… {line.gap:,} bytes before this were not kept]\n{text}"
    return text
