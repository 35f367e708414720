"""A line to a server that a test can cut: connections pass through it byte for byte, until they do not."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Cutting:
    def __init__(self, port: int) -> None:
        self._port = port
        self.address = ""
        self.cut: bytes = b""
        """The answer to the next request that begins so is swallowed, and its connection ends."""
        self.swallowed = 0
        self._open: set[asyncio.StreamWriter] = set()

    def sever(self) -> None:
        """End every connection that is open."""
        for writer in self._open:
            writer.transport.abort()

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    @property
    def name(self) -> str:
        return self.address.removeprefix("http://")

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, onward = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:  # there is no server at the moment
            writer.transport.abort()
            return
        self._open |= {writer, onward}
        doomed = False

        async def forth() -> None:
            nonlocal doomed
            while piece := await reader.read(65536):
                if self.cut and piece.startswith(self.cut):
                    self.cut, doomed = b"", True
                # The door knows the server by its own name alone.
                onward.write(piece.replace(self.name.encode(), f"127.0.0.1:{self._port}".encode()))
                await onward.drain()

        async def back() -> None:
            while piece := await there.read(65536):
                if doomed:
                    self.swallowed += 1
                    writer.transport.abort()
                    return
                writer.write(piece)
                await writer.drain()

        tasks = [asyncio.create_task(forth()), asyncio.create_task(back())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for each in (writer, onward):
                each.transport.abort()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._open -= {writer, onward}


@asynccontextmanager
async def cutting(address: str) -> AsyncGenerator[Cutting]:
    """A line to the server at that address."""
    line = Cutting(int(address.rpartition(":")[2]))
    server = await asyncio.start_server(line.meet, "127.0.0.1", 0)
    line.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        line.sever()
        while line.is_open:  # what was cut off is closed before the loop is
            await asyncio.sleep(0)
