"""The sandboxes of one run: opened when first needed, one without and one with network, gone when the run ends."""

import asyncio

from bottega.workspaces.sandbox.sandbox import Sandbox, Sandboxes


class RunSandboxes:
    def __init__(self, opener: Sandboxes, folder: str) -> None:
        self._opener = opener
        self._folder = folder
        self._open: dict[bool, Sandbox] = {}
        self._lock = asyncio.Lock()

    async def get(self, *, network: bool) -> Sandbox:
        """Programs that may use the network are kept apart from those that may not."""
        async with self._lock:
            if network not in self._open:
                self._open[network] = await self._opener.open(self._folder, network=network)
            return self._open[network]

    async def close(self) -> None:
        async with self._lock:
            opened, self._open = self._open, {}
        await asyncio.gather(*(each.close() for each in opened.values()))
