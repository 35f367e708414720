"""Carries bytes between two ends until both have said all, or neither has said anything for long.

An end that has finished speaking may still listen: each direction is closed on its own.
"""

import asyncio
from types import TracebackType

import msgspec

_PIECE = 64 * 1024


class End(msgspec.Struct, frozen=True):
    """One end of a conversation."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def close(self, within: float) -> None:
        """Let it have what was written, but not wait for ever until it takes it."""
        self.writer.close()
        try:
            async with asyncio.timeout(within):
                await self.writer.wait_closed()
        except (TimeoutError, asyncio.CancelledError) as waited:
            self.abort()
            if isinstance(waited, asyncio.CancelledError):
                raise
        except OSError:
            pass  # it is gone already

    def abort(self) -> None:
        """Drop it at once."""
        self.writer.transport.abort()


class Patience(msgspec.Struct, frozen=True):
    """Seconds of silence after which a conversation is over."""

    idle: float = 300.0
    half: float = 30.0
    """Once one end has finished: most often it is gone."""


class Traffic:
    """Bytes that went out and came back."""

    def __init__(self) -> None:
        self.sent = 0
        self.received = 0


class Relay:
    """Use it inside `async with`, which raises TimeoutError once the patience is at its end."""

    def __init__(self, near: End, far: End, patience: Patience, traffic: Traffic) -> None:
        self.near = near
        self.far = far
        self._patience = patience
        self._traffic = traffic
        self._silence = patience.idle
        self._limit = asyncio.timeout(patience.idle)

    async def __aenter__(self) -> "Relay":
        await self._limit.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._limit.__aexit__(kind, problem, trace)

    async def both_ways(self) -> None:
        """Carry until both ends have finished; raises a group where one breaks off."""
        async with asyncio.TaskGroup() as ways:
            ways.create_task(self._out_to_its_end())
            ways.create_task(self._back_to_its_end())

    async def out(self, most: int = -1) -> int:
        """Carry from near to far, all or `most` bytes; returns how many bytes are missing."""
        while most and (piece := await self._piece(self.near, most)):
            most -= len(piece) if most > 0 else 0
            self._traffic.sent += len(piece)
            await self._passed_on(self.far, piece)
        return max(most, 0)

    async def back(self, most: int = -1) -> int:
        """Carry from far to near, all or `most` bytes; returns how many bytes are missing."""
        while most and (piece := await self._piece(self.far, most)):
            most -= len(piece) if most > 0 else 0
            self._traffic.received += len(piece)
            await self._passed_on(self.near, piece)
        return max(most, 0)

    def half(self) -> None:
        """One end has finished."""
        self._silence = self._patience.half
        self._heard()

    async def _out_to_its_end(self) -> None:
        await self.out()
        self.half()
        self.far.writer.write_eof()

    async def _back_to_its_end(self) -> None:
        await self.back()
        self.half()
        self.near.writer.write_eof()

    async def _piece(self, end: End, most: int) -> bytes:
        piece = await end.reader.read(_PIECE if most < 0 else min(most, _PIECE))
        self._heard()
        return piece

    async def _passed_on(self, end: End, piece: bytes) -> None:
        end.writer.write(piece)
        await end.writer.drain()
        self._heard()

    def _heard(self) -> None:
        """Somebody spoke: the silence begins anew."""
        if not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._silence)
