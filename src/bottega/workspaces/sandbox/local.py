"""Sandboxes of this machine: the best kind that it has."""

import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from bottega.errors import Problem
from bottega.workspaces.sandbox import bubblewrap, view
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Egress, Kind
from bottega.workspaces.sandbox.warden import Warden


class Local:
    """Implements `Sandboxes`."""

    def __init__(
        self,
        state: Path,
        *,
        bounds: Bounds | None = None,
        readable: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        egress: Egress | None = None,
        unsandboxed: bool = False,
    ) -> None:
        """`readable`: folders that programs may read besides. `hidden`: what none may see, such as the home."""
        self._state = state
        self._readable = readable
        self._hidden = hidden
        self._unsandboxed = unsandboxed
        self._bounds = bounds or Bounds()
        self._egress = egress
        self._bwrap = bubblewrap.find()

    @property
    def kind(self) -> Kind:
        return "bubblewrap"

    @property
    def profile(self) -> str:
        return "bubblewrap"

    async def trusted(self) -> str:
        return ""

    async def open(self, folder: str, *, network: bool = False) -> Opened:
        real = os.path.realpath(folder)
        user = view.owner(real)
        room = bubblewrap.Room(folder=real, user=user, bounds=self._bounds)
        assert self._bwrap
        bwrap = self._bwrap

        async def begin() -> Warden:
            held: list[int] = []
            try:
                warden = Warden(bubblewrap.recipe(bwrap, room, held))
            finally:
                for fd in held:
                    os.close(fd)
            await warden.first()
            await warden.ready()
            return warden

        opened = Opened(
            "bubblewrap",
            real,
            view.environment(),
            begin,
            AsyncExitStack(),
            self._egress if network else None,
        )
        await opened.living()
        return opened
