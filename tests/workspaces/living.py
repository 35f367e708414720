"""Which processes of this machine carry a mark in their arguments: those of a test that are still alive."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path


def new_mark() -> str:
    """A number that nobody else sleeps for."""
    return f"{secrets.randbelow(9_000_000) + 1_000_000}.{secrets.randbelow(1_000_000):06}"


def alive(mark: str) -> list[str]:
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            except OSError:
                continue
            if any(mark in word for word in words) and state != "Z":
                found.append(" ".join(words))
    return found


async def until(true: Callable[[], object]) -> None:
    """Ask again and again: what other processes do comes with no word."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def until_alive(mark: str, count: int = 1) -> None:
    """Wait until so many processes with that mark run."""
    await until(lambda: len(alive(mark)) >= count)
