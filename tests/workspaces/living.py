"""Which processes of this machine carry a mark in their arguments: those of a test that are still alive."""

import asyncio
from pathlib import Path


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


async def until_alive(mark: str, count: int = 1) -> None:
    """Wait until so many processes with that mark run."""
    async with asyncio.timeout(10):
        while len(alive(mark)) < count:
            await asyncio.sleep(0.01)
