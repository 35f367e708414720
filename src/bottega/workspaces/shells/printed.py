"""What a shell printed, for whoever watches it: text whose every piece has an offset of its own, in bytes.

A watcher is a cursor, never a queue: it reads what is kept, at its own speed. One that is too slow for that finds, in
the next offset, how much it has missed. Nothing that it does, or does not do, holds the terminal.
"""

import asyncio
from collections.abc import AsyncGenerator

import msgspec

from bottega.workspaces.outputs.characters import torn, whole
from bottega.workspaces.shells.shell import Shell

PIECE = 64 * 1024
_MORE = 4


class Printed(msgspec.Struct, frozen=True):
    offset: int
    """The byte that the text begins at; later than the one that was asked for: what lies between is gone."""
    next: int
    """The byte to go on from; not always as many further as the text has bytes, as not all bytes are text."""
    text: str


def read(shell: Shell, offset: int, limit: int = PIECE) -> Printed:
    """What was printed from that byte on, up to a limit; empty: nothing more, yet. Waits for the disk."""
    ended, size = shell.ended, shell.size
    offset = min(offset, size)
    found, at = b"", offset
    for start, chunk in shell.read(offset):
        if found and start != at + len(found):
            break
        at = at if found else start
        found += chunk[: limit + _MORE - len(found)]
        if len(found) >= limit + _MORE:
            break
    if not found:
        return Printed(size, size, "")  # nothing came, or none of it could be kept
    skipped = torn(found) if at > offset else 0
    last = ended and at + len(found) >= size
    text = found[skipped:] if last else found[skipped : max(limit, skipped + _MORE)]
    text = text[: whole(text, last=last)]
    start = at + skipped
    return Printed(start, start + len(text), text.decode("utf-8", "replace"))


async def follow(shell: Shell, offset: int) -> AsyncGenerator[Printed]:
    """All that it printed from that byte on, as it comes, until it has ended and all is told."""
    with shell.kept():
        while True:
            size, ended = shell.size, shell.ended
            printed = await asyncio.to_thread(read, shell, offset)
            if printed.next > offset:
                offset = printed.next
                yield printed
            elif ended:
                return
            else:
                await shell.more(size)
