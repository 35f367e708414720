"""Bytes on their way to a client, taken from the disk as fast as the client takes them, and let go whatever happens.

They are made in threads of the person's own share. The web framework would go through a generator in threads that all
people share, so no other module hands it one.
"""

import asyncio
from collections.abc import AsyncIterator, Generator, Mapping

from fastapi.responses import StreamingResponse

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


class Streamed(StreamingResponse):
    """An answer that is sent as it is made."""

    def __init__(
        self,
        chunks: Generator[bytes],
        headers: Mapping[str, str],
        media_type: str,
        status_code: int = 200,
    ) -> None:
        super().__init__(Sent(chunks), status_code, headers, media_type)
