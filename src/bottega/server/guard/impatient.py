"""Connections that keep the server waiting are closed: a request must be there whole, but for its body, in 10 s.

What comes after a refusal must end in that time too. A request that is being answered has all the time that it needs.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class Impatient(H11Protocol):
    patience = 10.0
    """Seconds."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._mind()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._mind()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._mind()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _mind(self) -> None:
        """Wait for a request no longer than that; not at all while one is being answered."""
        answering = bool(self.cycle) and not self.cycle.response_complete
        is_socket = self.transport.get_protocol() is not self
        if answering or is_socket or self.transport.is_closing():
            self._rest()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.patience, self.transport.close)

    def _rest(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
