"""What is below a connection with TLS, from before its handshake on: records are decrypted in turns, and counted.

What a record costs has little to do with its length: 27 bytes may ask for new keys, and hold nothing that a protocol
ever gets to see. So only a few records are decrypted before the time is looked at, none while what they hold would not
be taken, and whoever sends very many of them with next to nothing inside is cut off.
"""

import asyncio
import ssl
import time
from asyncio.sslproto import SSLProtocol
from collections.abc import Hashable
from typing import Any, cast

from bottega.server.guard.connections import Seat
from bottega.server.guard.turns import Portions, Turns, wired

RECORDS = 16
"""Records that are decrypted before the time is looked at."""
_HEAD = 5
"""Bytes that say how long a record is: in the last two."""
EMPTY = 128
"""Records that may come with nothing inside, at once."""
PER_SECOND = 20
"""Records that may come with nothing inside, for as long as the connection lasts."""
FULL = 32
"""Bytes that make up for one record."""


class Deciphered(ssl.SSLObject):
    """Counts the bytes that were in the records."""

    received = 0

    def read(self, *given: Any, **named: Any) -> Any:
        got: int | bytes = super().read(*given, **named)
        self.received += got if isinstance(got, int) else len(got)
        return got


class Tls(SSLProtocol):
    max_size = Portions.portion
    """Bytes that are kept ready for what comes."""
    unsent = 32 * 1024
    """Bytes that wait to be encrypted; what is encrypted waits in the connection below."""
    patience = 10
    """Seconds for a handshake."""
    farewell = 5
    """Seconds for the client to say that it has ended, too."""

    def __init__(self, above: asyncio.Protocol, context: ssl.SSLContext) -> None:
        nobody = cast("Any", None)  # waits for the handshake
        super().__init__(
            *(asyncio.get_running_loop(), above, context, nobody),
            server_side=True,
            ssl_handshake_timeout=self.patience,
            ssl_shutdown_timeout=self.farewell,
        )
        inner: Any = self  # whose parts no types are known of
        inner._set_read_buffer_limits(1, 0)  # no more comes while nothing is taken above

    @property
    def received(self) -> int:
        """Bytes that were in the records."""
        inner: Any = self
        return inner._sslobj.received


class Records(Portions):
    """Gives TLS what comes in, a few records at a time."""

    def __init__(self, above: Tls, turns: Turns, seat: Seat) -> None:
        self._above = above
        self.turns = turns
        self._seat = seat
        self._head = b""
        """What has come of the head of a record."""
        self._left = 0
        """Bytes of a record that are still to come."""
        self._credit, self._at = float(EMPTY), time.monotonic()
        self._received = 0

    @property
    def sender(self) -> Hashable:
        return self._seat.sender

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = wired(cast("asyncio.Transport", transport))
        self.wire.on_resume = self._go_on
        self._above.connection_made(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._seat.leave()
        self.wire.on_resume = None
        self.unparsed = b""
        self._above.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return self._above.eof_received()

    def pause_writing(self) -> None:
        self._above.pause_writing()

    def resume_writing(self) -> None:
        self._above.resume_writing()

    def data_received(self, data: bytes) -> None:
        buffer = self._above.get_buffer(len(data))
        buffer[: len(data)] = data
        self._above.buffer_updated(len(data))
        if self._credit < 0:
            self._settle()

    def piece_end(self, data: bytes, at: int) -> int:
        """After a few records, or at the end of what has come."""
        begun = 0
        while at < len(data):
            if self._left:
                step = min(self._left, len(data) - at)
                self._left -= step
            elif begun == RECORDS:
                break
            else:
                step = min(_HEAD - len(self._head), len(data) - at)
                self._head += data[at : at + step]
                if len(self._head) == _HEAD:
                    self._left = int.from_bytes(self._head[3:])
                    self._head = b""
                    begun += 1
            at += step
        self._credit -= begun
        return at

    def _settle(self) -> None:
        """Count what was in the records that have come, and how long they took."""
        now, received = time.monotonic(), self._above.received
        made_up = (now - self._at) * PER_SECOND + (received - self._received) / FULL
        self._at, self._received = now, received
        self._credit = min(self._credit + made_up, float(EMPTY))
        if self._credit < 0:
            self.transport.abort()

    @property
    def is_ready(self) -> bool:
        return not self.wire.is_paused

    def _go_on(self) -> None:
        if self.unparsed and not self._is_waiting:
            self._wait()
