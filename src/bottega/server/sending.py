"""Bytes on their way to a client, taken from the disk as fast as the client takes them, and let go whatever happens."""

import asyncio
from collections.abc import AsyncIterator, Generator

from bottega.workspaces.outputs.drain import unbroken


class Sent:
    """Goes through a generator in threads, one piece at a time, and closes it."""

    def __init__(self, chunks: Generator[bytes]) -> None:
        self._chunks = chunks

    def __del__(self) -> None:
        self._chunks.close()  # of an answer that nobody began to take

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while (
                chunk := await unbroken(asyncio.to_thread(next, self._chunks, None))
            ) is not None:
                if chunk:
                    yield chunk
        finally:
            self._chunks.close()
