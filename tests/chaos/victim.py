"""Processes to kill: forked from a server that has everything imported, so that each costs milliseconds.

A victim opens a studio on a home, prompts a scripted model, and prints every event that it is shown, as the command
line's `--json` does. What it printed is what a user saw.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec

from bottega import failpoint
from bottega.approvals.mode import Mode
from bottega.events import codec
from bottega.studio import Studio
from bottega.tools.decorator import tool
from tests.forking import CONTEXT, Handle


@tool(effects=["write"])
def leave_trace(path: str) -> str:
    """Have an effect that can be counted."""
    with Path(path).open("a") as file:
        file.write("here\n")
    return "done"


class Seen(msgspec.Struct):
    """A line that a victim printed."""

    index: int
    sub: int
    type: str
    data: Any
    message_id: str = ""


class Victim:
    def __init__(
        self, home: Path, model: str, folder: Path, failpoints: str = "", mode: Mode = "allow"
    ) -> None:
        self._reads, writes = os.pipe()
        self.process = CONTEXT.Process(
            target=_live, args=(str(home), model, str(folder), failpoints, mode, Handle(writes))
        )
        self.process.start()
        os.close(writes)

    def first_bytes(self) -> bytes:
        """Wait until it has printed something; b"" once it is dead and all was read."""
        return os.read(self._reads, 65536)

    def prints(self, word: bytes) -> bytes:
        """What it has printed once that word is in it."""
        shown = b""
        while word not in shown:
            piece = self.first_bytes()
            assert piece, f"a victim died before it printed {word!r}"
            shown += piece
        return shown

    def kill(self) -> None:
        self.process.kill()

    def last_words(self, before: bytes = b"") -> list[Seen]:
        """Everything it printed, whole lines only, once it is dead."""
        parts = [before]
        while piece := os.read(self._reads, 65536):
            parts.append(piece)
        os.close(self._reads)
        self.process.join(20)
        assert self.process.exitcode is not None, "a victim hung"
        lines = b"".join(parts).split(b"\n")[:-1]
        return [msgspec.json.decode(line, type=Seen) for line in lines]


def _live(home: str, model: str, folder: str, failpoints: str, mode: Mode, out: Handle) -> None:
    failpoint.arm(failpoints)
    asyncio.run(_prompt(Path(home), model, folder, mode, out.number))


async def _prompt(home: Path, model: str, folder: str, mode: Mode, out: int) -> None:
    async with Studio(home, tools=[leave_trace]) as studio:
        rows = await studio.sessions(1)
        if rows:
            session = await studio.resume(rows[0].id)
        else:
            session = await studio.start(model=model, folder=folder, mode=mode)
        async for event in session.prompt("go"):
            os.write(out, codec.line(session.id, event) + b"\n")
