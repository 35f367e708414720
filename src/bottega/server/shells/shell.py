"""A shell as a person uses it, whether it runs in this process or in a worker of its own."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

import msgspec

from bottega.workspaces.sandbox.sandbox import Size
from bottega.workspaces.shells import printed
from bottega.workspaces.shells.printed import PIECE, Printed
from bottega.workspaces.shells.shells import Opened, Shells

TYPING = 5.0
"""Seconds that a program may take to take in what was typed."""


class AnyShell(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def root(self) -> str:
        """The folder whose sandbox it runs in."""
        ...

    @property
    def owner(self) -> str:
        """Who opened it: a session's id, or the number of a person."""
        ...

    @property
    def command(self) -> str: ...

    @property
    def network(self) -> bool: ...

    @property
    def size(self) -> int:
        """Bytes that it has printed: the offset of whoever has seen all."""
        ...

    @property
    def ended(self) -> bool: ...

    @property
    def exit_code(self) -> int | None: ...

    async def write(self, text: str) -> None:
        """Type it. Raises a problem where the shell has ended, or nobody takes it in."""
        ...

    async def resize(self, columns: int, rows: int) -> None: ...

    async def read(self, offset: int, limit: int = PIECE) -> Printed: ...

    def follow(self, offset: int) -> AsyncGenerator[Printed]:
        """All from that byte on, as it comes; ends when the shell has, and all is told. Any number may follow."""
        ...

    async def close(self) -> None:
        """End it, with all that runs in it."""
        ...


class Here:
    """One that runs in this process."""

    def __init__(self, opened: Opened, among: Shells) -> None:
        self._opened = opened
        self._among = among
        self.id = opened.shell.id
        self.root = opened.folder
        self.owner = opened.owner
        self.command = opened.command
        self.network = opened.network

    @property
    def size(self) -> int:
        return self._opened.shell.size

    @property
    def ended(self) -> bool:
        return self._opened.shell.ended

    @property
    def exit_code(self) -> int | None:
        return self._opened.shell.exit_code

    async def write(self, text: str) -> None:
        await self._opened.shell.type(text, TYPING)

    async def resize(self, columns: int, rows: int) -> None:
        self._opened.shell.resize(Size(rows, columns))

    async def read(self, offset: int, limit: int = PIECE) -> Printed:
        with self._opened.shell.kept():
            return await asyncio.to_thread(printed.read, self._opened.shell, offset, limit)

    def follow(self, offset: int) -> AsyncGenerator[Printed]:
        return printed.follow(self._opened.shell, offset)

    async def close(self) -> None:
        if not self.ended:
            await self._among.close(self.root, self._opened.person, self.id)


class ServedShell(msgspec.Struct, frozen=True, eq=False):
    """One that a person may use."""

    terminal: AnyShell
    folder: str
    """Where it was opened, from the project; empty: in the project itself."""
    session_id: str
    """The session whose agent has it; empty: it is the person's own."""

    @property
    def id(self) -> str:
        return self.terminal.id

    @property
    def ended(self) -> bool:
        return self.terminal.ended
