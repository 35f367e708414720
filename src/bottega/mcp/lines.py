"""JSON-RPC over a program's pipes, a line a message, as the streams that the SDK's session reads and writes.

Memory stays bounded whatever the program writes: a line has a largest size. What is no message is skipped, within
reason; some programs print on their output.
"""

import asyncio
import os
from types import TracebackType
from typing import Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from bottega.mcp.channel import reason_to_refuse

MOST_GARBAGE = 100
"""Lines that are no messages, one after the other."""
_PIECE = 64 * 1024
_SHOWN = 200


class Pipes:
    """One program's pipes. `fault` says why reading was given up, if the program itself did not end it."""

    def __init__(self, stdin: int, stdout: int, largest: int) -> None:
        self._fds = (stdin, stdout)
        self._largest = largest
        self._reader = asyncio.StreamReader(limit=_PIECE)
        self._writer: asyncio.StreamWriter | None = None
        self._buffer = bytearray()
        self._scanned = 0
        self._garbage = 0
        self.printed = ""
        """The first line that was no message."""
        self.fault = ""

    async def open(self) -> None:
        """Take the descriptors over; whatever happens, they are closed in the end."""
        loop = asyncio.get_running_loop()
        stdin, stdout = os.fdopen(self._fds[0], "wb", 0), os.fdopen(self._fds[1], "rb", 0)
        unread = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        try:
            self._into, _ = await loop.connect_write_pipe(lambda: unread, stdin)
            self._writer = asyncio.StreamWriter(self._into, unread, None, loop)
            self._from, _ = await loop.connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(self._reader), stdout
            )
        except BaseException:
            if self._writer:
                self._into.abort()
            stdin.close()
            stdout.close()
            raise

    async def line(self) -> bytes | None:
        """The next line without its end; None: there will be no more."""
        while (end := self._buffer.find(b"\n", self._scanned)) < 0:
            self._scanned = len(self._buffer)
            if self._scanned > self._largest:
                self.fault = f"It sent a line of more than {self._largest:,} bytes."
                return None
            piece = await self._reader.read(_PIECE)
            if not piece:
                return None
            self._buffer += piece
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._scanned = 0
        return line

    def skip(self, line: bytes) -> bool:
        """Note a line that is no message; False: it was one too many."""
        more = "…" if len(line) > _SHOWN else ""
        self.printed = self.printed or line[:_SHOWN].decode(errors="replace") + more
        self._garbage += 1
        if self._garbage > MOST_GARBAGE:
            self.fault = "It writes what is no MCP message to its standard output."
        return not self.fault

    def holds_too_much(self, line: bytes, fault: str) -> bool:
        """Note a line that is not decoded; True: it may be an answer that somebody waits for, so the program ends."""
        if line.lstrip()[:1] in (b"{", b"["):
            self.fault = f"It sent a line {fault}."
        else:
            self.skip(line)
        return bool(self.fault)

    def took(self) -> None:
        """Note a message."""
        self._garbage = 0

    async def write(self, line: bytes) -> None:
        """Whole or not at all: who is cancelled while waiting leaves no half line behind."""
        assert self._writer
        self._writer.write(line)
        await self._writer.drain()

    def close_input(self) -> None:
        """Tell the program that nothing more will come; what it has not read by now is dropped."""
        if self._into.is_closing():
            return
        if self._into.get_write_buffer_size():
            self._into.abort()
        else:
            self._into.close()

    def close(self) -> None:
        self._from.close()


class _Stream:
    """What the SDK wants of both directions."""

    def __init__(self, pipes: Pipes, ended: asyncio.Event) -> None:
        self._pipes = pipes
        self._ended = ended

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None: ...

    async def aclose(self) -> None: ...


class Incoming(_Stream):
    """What the program says; ends when it does."""

    def __aiter__(self) -> "Incoming":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        pipes = self._pipes
        while (line := await pipes.line()) is not None:
            if fault := await reason_to_refuse(line):
                if not pipes.holds_too_much(line, fault):
                    continue
                break
            if not line.strip():
                continue
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                if pipes.skip(line):
                    continue
                break
            pipes.took()
            return SessionMessage(message)
        self._ended.set()
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None


class Outgoing(_Stream):
    """What is said to the program."""

    async def send(self, item: SessionMessage, /) -> None:
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._pipes.write(f"{text}\n".encode())
        except OSError:
            raise anyio.BrokenResourceError from None
