"""Shells of agents that run in worker processes: what a person does with one is an errand to its worker.

What is known of one is as of the last answer. With its worker a shell has ended: whoever watches it is told so.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

import msgspec

from bottega.errors import Problem
from bottega.server.staff import errands
from bottega.server.staff.asking import Asking
from bottega.server.staff.errands import Absent, Piece, ShellTold
from bottega.workspaces.shells.printed import PIECE, Printed


class Elsewhere:
    """One that runs in a worker process."""

    def __init__(self, worker: Asking, told: ShellTold) -> None:
        self._worker = worker
        self._told = told

    @property
    def id(self) -> str:
        return self._told.id

    @property
    def root(self) -> str:
        return self._told.folder

    @property
    def owner(self) -> str:
        return self._told.owner

    @property
    def command(self) -> str:
        return self._told.command

    @property
    def network(self) -> bool:
        return self._told.network

    @property
    def size(self) -> int:
        return self._told.size

    @property
    def ended(self) -> bool:
        return self._told.ended

    @property
    def exit_code(self) -> int | None:
        return self._told.exit_code

    async def write(self, text: str) -> None:
        await self._worker.ask(errands.TypeInto(self.id, text), within=None)

    async def resize(self, columns: int, rows: int) -> None:
        await self._worker.ask(errands.Resize(self.id, columns, rows))

    async def read(self, offset: int, limit: int = PIECE) -> Printed:
        return (await self._read(errands.Read(self.id, offset, limit))).printed

    async def follow(self, offset: int) -> AsyncGenerator[Printed]:
        try:
            await self._worker.ask(errands.Keep(self.id))
            async for printed in self._more(offset):
                yield printed
        except Absent:
            self._told = msgspec.structs.replace(self._told, ended=True)
        finally:
            with suppress(Problem):
                await self._worker.ask(errands.LetGo(self.id))

    async def _more(self, offset: int) -> AsyncGenerator[Printed]:
        seen = -1
        while True:
            got = await self._read(errands.Read(self.id, offset, than=seen))
            if got.printed.next > offset:
                offset, seen = got.printed.next, -1
                yield got.printed
            elif got.shell.ended:
                return
            else:
                seen = got.shell.size

    async def _read(self, errand: errands.Read) -> Piece:
        got = msgspec.json.decode(await self._worker.ask(errand, within=None), type=Piece)
        self._told = got.shell
        return got

    async def close(self) -> None:
        await self._worker.ask(errands.CloseShell(self.id), within=None)


async def in_workers(workers: Sequence[Asking]) -> list[Elsewhere]:
    """All that agents have open in these processes; of one that does not answer, none."""
    found = await asyncio.gather(*map(_in, workers))
    return [shell for each in found for shell in each]


async def _in(worker: Asking) -> list[Elsewhere]:
    try:
        told = await worker.ask(errands.ListShells())
    except Absent:
        return []
    return [Elsewhere(worker, each) for each in msgspec.json.decode(told, type=list[ShellTold])]
