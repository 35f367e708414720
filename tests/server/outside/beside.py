"""Somebody at this machine who runs a prompt in the home of a server, in a process of their own."""

import asyncio
import os
import sys
from pathlib import Path


async def run_beside(home: Path, folder: Path, model: str, words: str, *more: str) -> int:
    """`bottega run` beside the server; its exit code."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bottega", "--home", str(home), "run", "-m", model, *more, words),
        cwd=folder,
        env=os.environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()
