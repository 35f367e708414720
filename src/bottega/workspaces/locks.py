"""Who may touch which files now, among all sessions of a process: writers of a path alone, its readers together.

A call takes all its paths at once or waits for all, in the order of arrival: it goes ahead as soon as it conflicts with
nobody before it. So nobody waits in a circle, nobody is overtaken for ever, and each waiter is woken by name.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

_Path = tuple[str, ...]


class _Ticket:
    """One call's wish, from its arrival until it is done."""

    def __init__(self, reads: frozenset[_Path], writes: frozenset[_Path]) -> None:
        self.reads = reads
        self.writes = writes
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def conflicts(self, other: "_Ticket") -> bool:
        return (
            _meet(self.writes, other.writes)
            or _meet(self.writes, other.reads)
            or _meet(self.reads, other.writes)
        )


class Locks:
    """One for all sessions of a process, whichever folders they work in."""

    def __init__(self) -> None:
        self._line: list[_Ticket] = []
        """Those that hold and those that wait, in the order of arrival."""

    @asynccontextmanager
    async def hold(
        self, folder: str, *, reads: Iterable[str] = (), writes: Iterable[str] = ()
    ) -> AsyncGenerator[None]:
        """Hold canonical paths of the workspace at `folder` (its real path); a folder stands for all beneath it."""
        ticket = _Ticket(_under(folder, reads), _under(folder, writes))
        self._line.append(ticket)
        try:
            self._admit()
            await ticket.turn
            yield
        finally:
            self._line.remove(ticket)
            self._admit()

    def _admit(self) -> None:
        """Let everyone go ahead who conflicts with nobody before them."""
        for place, ticket in enumerate(self._line):
            if ticket.turn.done():
                continue
            if not any(ticket.conflicts(earlier) for earlier in self._line[:place]):
                ticket.turn.set_result(None)


def _under(folder: str, paths: Iterable[str]) -> frozenset[_Path]:
    top = _parts(folder)
    return frozenset((*top, *_parts(path)) for path in paths)


def _parts(path: str) -> _Path:
    return tuple(part for part in path.split("/") if part not in ("", "."))


def _meet(some: frozenset[_Path], others: frozenset[_Path]) -> bool:
    """Whether one of them is the same as, or lies beneath, one of the others."""
    return any(one[: len(other)] == other[: len(one)] for one in some for other in others)
