"""The hub: every open socket, whose it is, and what its frames do. Runs belong to workers; this admits and follows."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from bottega.server import problems
from bottega.server.house import House
from bottega.server.hub import frames, told
from bottega.server.hub.line import EXTENSION, Line
from bottega.server.hub.prompting import Prompting
from bottega.server.hub.simply import Simply
from bottega.server.hub.socket import Socket
from bottega.server.hub.tabbing import Tabbing
from bottega.server.hub.terminals import Terminals
from bottega.server.tickets import Ticket

SOCKETS = 2000
"""Open at once, for one person."""


class Hub:
    def __init__(self, house: House) -> None:
        self._house = house
        self._sockets: defaultdict[int, set[Socket]] = defaultdict(set)
        self._tabbing = Tabbing(house)
        self._prompting = Prompting(house, self._tabbing)
        self._simply = Simply(house)
        self._terminals = Terminals(house)
        self._telling: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A socket at `/ws/{ticket}`: refused, or served until either side goes."""
        ticket = self._house.tickets.take(scope["path_params"]["ticket"])
        if refusal := self._refusal(ticket, Headers(scope=scope)):
            await refusal(scope, receive, send)
            return
        assert ticket
        line: Line = scope["extensions"][EXTENSION]
        socket = Socket(ticket, line, self._house.followers, self._house.turns)
        proofs = self._house.proofs
        dismiss = partial(self._dismiss, socket)
        with self._kept(socket), proofs.signed_in(ticket.words, ticket.kind, dismiss):
            await receive()  # that it wants to connect
            await send({"type": "websocket.accept"})
            await self._house.seen(ticket.person)
            await socket.run(receive, self._do)

    def tell_session(self, n: int, frame: dict[str, Any]) -> None:
        """Send a frame to every visible tab of a session, with the tab's id."""
        for socket in self._all():
            for tab_id, shown in list(socket.tabs.items()):
                if shown == n:
                    self._tell(socket, {**frame, "tab_id": tab_id})

    def tell_all(self, frame: dict[str, Any]) -> None:
        """Send a frame to every socket."""
        for socket in self._all():
            self._tell(socket, frame)

    def stop(self) -> None:
        """The server ends: clients connect again later, and what is held is freed with all the rest."""
        self.tell_all({"type": "stopping"})
        self._tabbing.freeing.stop()

    def _refusal(self, ticket: Ticket | None, headers: Headers) -> Response | None:
        if ticket is None or not self._house.passes.holder(ticket.words, ticket.kind):
            return problems.problem(
                401,
                "bad_ticket",
                "This ticket was used already, is too old, or its pass was revoked.",
                "POST /api/tickets gives another; it is good once, for 30 s.",
            )
        if ticket.browser and "origin" not in headers:
            return problems.problem(
                403,
                "no_origin",
                "A ticket that was had with a cookie opens a socket of a page of this server only.",
                "Use a token: `bottega people token`.",
            )
        if len(self._sockets[ticket.person.n]) >= SOCKETS:
            return problems.problem(
                429,
                "too_many",
                f"You have {SOCKETS} open sockets.",
                "Close some, then connect again.",
                {"retry-after": "15"},
            )
        return None

    @contextmanager
    def _kept(self, socket: Socket) -> Generator[None]:
        own = self._sockets[socket.person.n]
        own.add(socket)
        try:
            yield
        finally:
            own.discard(socket)

    def _all(self) -> list[Socket]:
        return [socket for own in self._sockets.values() for socket in own]

    def _tell(self, socket: Socket, frame: dict[str, Any]) -> None:
        self._soon(socket.tell(told.encoded(frame)))

    def _dismiss(self, socket: Socket) -> None:
        """Its person has signed out, or is nobody here any more."""
        self._soon(socket.close("signed out"))

    def _soon(self, telling: Coroutine[Any, Any, None]) -> None:
        """Have it done, unless the client goes meanwhile."""

        async def tell() -> None:
            with suppress(ClientDisconnected):
                await telling

        task = asyncio.create_task(tell())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _do(self, socket: Socket, frame: frames.Frame) -> None:
        match frame:
            case frames.Prompt():
                await self._prompting.prompt(socket, frame)
            case frames.Cancel():
                await self._prompting.cancel(socket, frame)
            case frames.Answer():
                await self._prompting.answer(socket, frame)
            case frames.Simple():
                await self._simply.prompt(socket, frame)
            case frames.Ping():
                await socket.answer(frame, told.PONG)
            case frames.NewTab() | frames.Restore() | frames.Visible():
                await self._show(socket, frame)
            case frames.Hidden():
                await self._tabbing.hidden(socket, frame)
            case frames.CloseTab():
                await self._tabbing.close(socket, frame)
            case _:
                await self._terminals.do(socket, frame)

    async def _show(
        self, socket: Socket, frame: frames.NewTab | frames.Restore | frames.Visible
    ) -> None:
        match frame:
            case frames.NewTab():
                await self._tabbing.new(socket, frame)
            case frames.Restore():
                await self._tabbing.restore(socket, frame)
            case frames.Visible():
                await self._tabbing.visible(socket, frame)
