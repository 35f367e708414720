"""Makes a page readable: its main text if there is one, else all of its text."""

import asyncio

import msgspec

from bottega.fairness import Share, caller
from bottega.tools.web import page as program
from bottega.tools.web.strip import stripped, title
from bottega.workspaces.own_code import INTERPRETER

AT_ONCE = 2
"""Pages of one person's that are read at the same time."""
PATIENCE = 15.0
"""Seconds for the program that looks for the main text."""
_LEAST = 200
"""Characters of main text; where there are fewer, and much more on the page, all is shown."""

_READERS = Share(lambda: AT_ONCE)


class Readable(msgspec.Struct, frozen=True):
    title: str
    content: str


async def readable(page: str, url: str, most: int, patience: float = PATIENCE) -> Readable:
    """At most `most` characters of it; the main text is looked for no longer than `patience`."""
    whose = caller()
    async with _READERS.hold(whose.person if whose else 0):
        main = await _main_text(page, url, most, patience)
    if len(main) < _LEAST:
        whole = await asyncio.to_thread(stripped, page, url, most)
        main = whole if not main or len(whole) > 10 * len(main) else main
    return Readable(title(page), main)


async def _main_text(page: str, url: str, most: int, patience: float) -> str:
    """What the program found; empty where it found nothing, failed, or took too long."""
    try:
        running = await asyncio.create_subprocess_exec(
            *(INTERPRETER, "-I", program.__file__, str(most)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(patience):
            found, _ = await running.communicate(f"{url}\n{page}".encode("utf-8", "replace"))
    except TimeoutError:
        return ""
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    return found.decode("utf-8", "replace") if running.returncode == 0 else ""
