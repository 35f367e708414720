"""The sandboxes of one run: opened when first needed, one without and one with network, gone when the run ends."""

import asyncio

from bottega.workspaces.confine import Identity, Root
from bottega.workspaces.sandbox.sandbox import Sandbox, Sandboxes


class RunSandboxes:
    def __init__(self, opener: Sandboxes, person: int) -> None:
        """They count to that person."""
        self._opener = opener
        self._person = person
        self._open: dict[bool, tuple[Identity, Sandbox]] = {}
        self._lock = asyncio.Lock()

    async def get(self, root: Root, *, network: bool) -> Sandbox:
        """The one on this very folder. Programs that may use the network are kept apart from those that may not."""
        async with self._lock:
            held = self._open.get(network)
            if held and held[0] == root.identity:
                return held[1]
            if held:  # another folder has come to its place
                del self._open[network]
                await held[1].close()
            opened = await self._opener.open(root, network=network, person=self._person)
            self._open[network] = (root.identity, opened)
            return opened

    async def close(self) -> tuple[str, ...]:
        """End them; what programs had planted in the folder and was undone at the end, a sentence each."""
        async with self._lock:
            opened, self._open = self._open, {}
        await asyncio.gather(*(each.close() for _, each in opened.values()))
        undone = [await each.undone() for _, each in opened.values()]
        return tuple(dict.fromkeys(said for each in undone for said in each))
