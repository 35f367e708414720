"""Finding text in an output, by ripgrep: its patterns take time in proportion to the text, whatever they are.

It is given plain text on its standard input, and is killed when it has used up its time. A line longer than `LONGEST`
is searched piece by piece.
"""

import asyncio
from asyncio.subprocess import Process
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from bottega.errors import BadUsage, Misconfigured, Problem
from bottega.workspaces import programs
from bottega.workspaces.outputs.drain import in_thread, unbroken
from bottega.workspaces.outputs.plain import plain
from bottega.workspaces.outputs.source import Source

MOST = 100
"""Lines that are told of one search."""
SECONDS = 20.0
LONGEST = 8_000
_AROUND = 150
_BATCH = 256 * 1024
_OPTIONS = (
    *("--no-config", "--text", "--encoding=none", "--color=never", "--no-heading"),
    *("--line-number", "--column", f"--max-count={MOST + 1}"),
)


class TooSlow(Problem):
    """There was too much to search in the time that there is."""

    code = "timeout"


class Match(msgspec.Struct, frozen=True):
    line: int
    text: str
    """The line, or what stands around the match."""


class Matches(msgspec.Struct, frozen=True):
    found: tuple[Match, ...]
    more: bool
    """There are others after these."""


async def search(
    source: Source, pattern: str, *, regex: bool = False, seconds: float = SECONDS
) -> Matches:
    """The lines in which it occurs, the first `MOST` of them; raises a `Problem` where it cannot be looked for."""
    text = _Text(source)
    process = await asyncio.create_subprocess_exec(
        *(ripgrep(), *_OPTIONS, *(() if regex else ("--fixed-strings",)), "-e", pattern, "-"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={},
    )
    assert process.stdout
    assert process.stderr
    try:
        async with asyncio.timeout(seconds):
            _, found, errors = await asyncio.gather(
                _feed(process, text), process.stdout.read(), process.stderr.read()
            )
            code = await process.wait()
    except TimeoutError:
        raise TooSlow(
            f"The search did not end within {seconds:g} seconds.",
            hint="Read a part of the output with start_line and end_line instead.",
        ) from None
    finally:
        await unbroken(_end(process))
    if code == 2 and not found:
        raise BadUsage(f"There is no searching for {pattern!r}: {errors.decode().strip()}")
    return _matches(found, text)


def ripgrep() -> str:
    found = programs.beside_interpreter("rg") or programs.find("rg")
    if not found:
        raise Misconfigured("The program `rg` is not here.", hint="Install ripgrep.")
    return found


async def _feed(process: Process, text: "_Text") -> None:
    assert process.stdin
    batches = text.batches()
    with suppress(BrokenPipeError, ConnectionResetError):  # it has found enough
        while batch := await in_thread(lambda: next(batches, b"")):
            process.stdin.write(batch)
            await process.stdin.drain()
    process.stdin.close()


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.communicate()


class _Text:
    """The lines as they are searched, and which line of the output each of them is."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._places: list[int] = []
        """Searched lines after which the count goes on otherwise: a line's second piece, or lines that are not kept."""
        self._numbers: list[int] = []

    def batches(self) -> Iterator[bytes]:
        batch = bytearray()
        place, number = 0, 0
        for line in self._source.fragments():
            text = plain(line.content.decode("utf-8", "replace"))
            for start in range(0, max(1, len(text)), LONGEST):
                place += 1
                if line.number - place != number:
                    number = line.number - place
                    self._places.append(place)
                    self._numbers.append(number)
                batch += text[start : start + LONGEST].encode("utf-8", "replace") + b"\n"
            if len(batch) > _BATCH:
                yield bytes(batch)
                batch.clear()
        yield bytes(batch)

    def number(self, place: int) -> int:
        after = bisect_right(self._places, place)
        return place + (self._numbers[after - 1] if after else 0)


def _matches(found: bytes, text: _Text) -> Matches:
    told: dict[int, Match] = {}
    for each in found.splitlines()[:-1] if found.count(b"\n") > MOST else found.splitlines():
        place, column, line = each.split(b":", 2)
        number, at = text.number(int(place)), int(column) - 1
        if number not in told:
            told[number] = Match(number, _around(line, at))
    return Matches(tuple(told.values()), found.count(b"\n") > MOST)


def _around(line: bytes, at: int) -> str:
    before = line[:at].decode("utf-8", "replace")
    after = line[at:].decode("utf-8", "replace")
    head = f"…{before[-_AROUND:]}" if len(before) > _AROUND else before
    return head + (f"{after[: 2 * _AROUND]}…" if len(after) > 2 * _AROUND else after)
