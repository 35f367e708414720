"""One plain HTTP request through the proxy, and its one answer.

Only as many bytes as the request announced are passed on, and each side is told that the
connection ends here; so no second request can ride along to a place that was not checked.
"""

import asyncio

import msgspec

from bottega.workspaces.network import head as heads
from bottega.workspaces.network.head import BadHead
from bottega.workspaces.network.relay import Relay
from bottega.workspaces.network.way import told

_BODILESS = frozenset({204, 304})


class Sent(msgspec.Struct, frozen=True):
    """A request as it goes out."""

    head: bytes
    length: int
    """Bytes of its body."""
    bodiless: bool = False
    """Its answer has no body, whatever the answer's head says."""


class Cut(Exception):  # noqa: N818
    """The answer broke off before its first byte; it says why."""


async def exchange(sent: Sent, relay: Relay) -> None:
    """Pass the request out and the answer back; what breaks off later simply ends."""
    answered = False
    try:
        async with relay:
            relay.far.writer.write(sent.head)
            upload = asyncio.create_task(_upload(sent, relay))
            try:
                length = await _answer_begins(sent, relay)
                answered = True
                await relay.back(length)
            finally:
                upload.cancel()
                await asyncio.gather(upload, return_exceptions=True)
    except BadHead as problem:
        raise Cut(str(problem)) from None
    except TimeoutError:
        if not answered:
            raise Cut("it did not answer in time") from None
    except OSError as problem:
        if not answered:
            raise Cut(told(problem)) from None


async def _upload(sent: Sent, relay: Relay) -> None:
    if await relay.out(sent.length):
        relay.far.writer.transport.abort()  # half a request must not be taken for a whole one
    elif not await relay.near.reader.read(1):
        relay.half()


async def _answer_begins(sent: Sent, relay: Relay) -> int:
    """Pass on the answer's head and those that come before it; the length of its body, or -1."""
    while True:
        head = await heads.read_head(relay.far.reader)
        if head is None:
            raise BadHead("it closed the connection")
        status = heads.status(head)
        if status == 101:
            raise BadHead("it wants to speak something else")
        length = head.length()
        relay.near.writer.write(heads.back(head))
        if status >= 200:
            bodiless = sent.bodiless or status in _BODILESS
            return 0 if bodiless else -1 if length is None else length
