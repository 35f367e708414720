"""A worker's view of the server that it belongs to: two pipes, and an end without delay when the server is gone.

A thread reads, so that the end of the server is noticed even where the loop hangs; and nothing here waits for a server
that does not read.
"""

import asyncio
import os
import threading
from asyncio.transports import WriteTransport
from contextlib import suppress


class Owner:
    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()
        """Lines, as they came."""
        self._loop = asyncio.get_running_loop()
        self._way: WriteTransport | None = None
        self._errands = -1

    async def begin(self) -> None:
        """From now on, hear what stdin brings, and answer to stdout.

        Nobody else has them: what others in this process print goes to stderr, and programs find nothing to read.
        """
        answers = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        self._errands = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._way, _ = await self._loop.connect_write_pipe(asyncio.Protocol, answers)
        threading.Thread(target=self._read, name="bottega-owner", daemon=True).start()

    def tell(self, line: bytes) -> None:
        """Say this; how much may wait to be read is bounded by how much is asked."""
        if self._way:
            self._way.write(line)

    def _read(self) -> None:
        with os.fdopen(self._errands, "rb") as errands:
            for line in errands:
                with suppress(RuntimeError):  # the loop has ended, and this process does so too
                    self._loop.call_soon_threadsafe(self.heard.put_nowait, line)
        os._exit(1)
