"""A session's log as entries that can be found and read again: what was said, called and given, each under its index.

Nothing is left out because it was compacted or reset. Searching reads the log itself, so the newest is found too.
"""

from collections.abc import Callable, Iterable

import msgspec

from bottega.events import facts as f
from bottega.events.codec import decode
from bottega.messages.block import Block, Media, Reasoning, Text, ToolUse
from bottega.sessions.feed import Row

AROUND = 120
"""Characters that are shown before and after what was found."""
BLOBS = 40
"""Whole outputs, the newest, that a search looks into besides what the model was shown of them."""
DEEP = 1_000_000
"""Characters of such an output that are searched."""

ReadBlob = Callable[[str], str]

_TOLD = (b'{"type":"user_message"', b'{"type":"assistant_message"', b'{"type":"tool_result"')


class Entry(msgspec.Struct, frozen=True):
    index: int
    at: int
    who: str
    """`user`, `agent`, or the tool that gave it."""
    text: str
    blob: str = ""
    """Where the whole of a long result is kept."""


def find(rows: Iterable[Row], query: str, most: int, whole: ReadBlob) -> list[tuple[Entry, str]]:
    """The newest entries that hold every word of the query, each with the text around the first."""
    words = query.lower().split()
    found: list[tuple[Entry, str]] = []
    opened = 0
    for index, body in reversed(list(rows)):
        if not body.startswith(_TOLD) or len(found) >= most:
            continue
        entry = _entry(index, body)
        if entry is None or not words:
            continue
        place = _place(entry.text, words)
        text = entry.text
        if place < 0 and entry.blob and opened < BLOBS:
            opened += 1
            text = whole(entry.blob)[:DEEP]
            place = _place(text, words)
        if place >= 0:
            found.append((entry, _around(text, place)))
    return found


def read(rows: Iterable[Row], wanted: int, whole: ReadBlob) -> Entry | None:
    """The entry at that index, whole; None if nothing was said there."""
    for index, body in rows:
        if index == wanted and body.startswith(_TOLD) and (entry := _entry(index, body)):
            text = whole(entry.blob) if entry.blob else entry.text
            return msgspec.structs.replace(entry, text=text)
    return None


def _entry(index: int, body: bytes) -> Entry | None:
    event = decode(index, body)
    said = event.data
    if isinstance(said, f.UserMessage):
        return Entry(index, event.at, "user", _text(said.content))
    if isinstance(said, f.AssistantMessage):
        return Entry(index, event.at, "agent", _text(said.content))
    if isinstance(said, f.ToolResultFact) and said.name != "recall":
        return Entry(index, event.at, said.name, _text(said.content), said.blob)
    return None


def _text(content: Iterable[Block]) -> str:
    lines: list[str] = []
    for block in content:
        if isinstance(block, Text | Reasoning):
            lines.append(block.text)
        elif isinstance(block, ToolUse) and block.name != "recall":
            arguments = block.malformed or msgspec.json.encode(block.input).decode()
            lines.append(f"(called {block.name} {arguments})")
        elif isinstance(block, Media):
            lines.append(f"[{block.name or block.media_type}]")
    return "\n".join(lines)


def _place(text: str, words: list[str]) -> int:
    lower = text.lower()
    return lower.find(words[0]) if all(word in lower for word in words) else -1


def _around(text: str, place: int) -> str:
    start, end = max(0, place - AROUND), place + AROUND
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
