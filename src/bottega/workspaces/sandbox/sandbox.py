"""The seam of all sandboxes: a place that is opened once, in which programs are started.

A sandbox dies with the process that opened it, and with it everything that was started inside.
"""

import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

import msgspec

from bottega.workspaces.confine import Root
from bottega.workspaces.git.accepting import Meant

Kind = Literal["bubblewrap", "landlock", "none"]


class Size(msgspec.Struct, frozen=True):
    rows: int = 24
    columns: int = 80


class Launch(msgspec.Struct, frozen=True):
    """One program to start."""

    argv: tuple[str, ...]
    folder: str = "."
    """Where it starts, relative to the workspace."""
    environment: Mapping[str, str] = {}
    """Besides what every program in a sandbox gets; never the studio's own."""
    terminal: Size | None = None
    """With a terminal of this size; without one, its input is empty unless `feed`."""
    feed: bool = False
    """Its standard input is a pipe that the caller writes to."""


class Running(Protocol):
    """A program that was started. Its descriptors are the caller's to read and close."""

    stdin: int
    """-1: it has none. With a terminal all three are the terminal."""
    stdout: int
    stderr: int

    async def wait(self) -> int:
        """The exit code; -N: signal N ended it. What it left in the background may still run."""
        ...

    async def kill(self) -> None:
        """End it and everything that it started; returns once nothing of it is left."""
        ...

    def resize(self, size: Size) -> None:
        """Tell its terminal another size."""
        ...


class Sandbox(Protocol):
    """An open sandbox on one workspace, with or without network. Programs inside see each other."""

    @property
    def kind(self) -> Kind: ...

    async def start(self, launch: Launch) -> Running:
        """Start a program; raises a `Problem` where it cannot."""
        ...

    async def close(self) -> None:
        """End everything inside; returns once nothing is left."""
        ...

    def attended(self, *, by_person: bool = False) -> AbstractContextManager[None]:
        """While somebody waits for what runs in it, or a person looks at it.

        Otherwise it is ended where something keeps on planting what git would run in the folder.
        """
        ...

    async def undone(self) -> tuple[str, ...]:
        """Look for what programs have planted in the folder for git to run, and undo it: a sentence for each.

        Once it is closed, what the last look has found.
        """
        ...


class Egress(Protocol):
    """The way out of sandboxes with network: a proxy that judges where a program may connect."""

    async def serve(self, listener: socket.socket) -> Callable[[], Awaitable[None]]:
        """Answer as an HTTP proxy to whatever connects to `listener`, a port that only the sandbox has.

        What is returned ends that, and closes the listener.
        """
        ...


class Sandboxes(Protocol):
    """Opens sandboxes of the best kind that this machine has."""

    @property
    def kind(self) -> Kind: ...

    @property
    def profile(self) -> str:
        """All that decides what a command may do, in one line: shown with an approval and bound to it."""
        ...

    async def trusted(self, folder: str = "") -> str:
        """Empty once the self-test has passed; else a sentence that says why allow mode is off, here or in a folder."""
        ...

    async def recover(self, root: Root) -> tuple[str, ...]:
        """Undo what programs of a dead process planted in a folder for git to run: a sentence for each."""
        ...

    async def recover_left(self, folder: str) -> tuple[str, ...]:
        """The same where it is not known whether there was one: before anything else is done in a folder."""
        ...

    def accepting(
        self, root: Root, paths: Sequence[str], meant: Meant
    ) -> AbstractContextManager[None]:
        """While these paths are changed by a person's will: no sandbox undoes it. Waits: use a thread."""
        ...

    async def open(self, root: Root, *, network: bool = False, person: int = 1) -> Sandbox:
        """Open a sandbox in which only this folder can be written; raises a `Problem` where commands may not run.

        What programs find at its path is this very folder, or none is started. The caller may close the root.
        It counts to that person, who may have so many and no more.
        """
        ...
