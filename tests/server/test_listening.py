"""The server's socket: what is sent goes out at once."""

import asyncio
import socket

from bottega.server.serve import listen


async def test_small_answers_do_not_wait_for_the_clients_acknowledgement() -> None:
    held: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    server = await asyncio.start_server(
        lambda _, writer: held.put_nowait(writer), sock=listen("127.0.0.1", 0)
    )
    async with server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        accepted = await held.get()
        connection = accepted.get_extra_info("socket")
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for each in (writer, accepted):
            each.close()
            await each.wait_closed()
