"""The least that a server can cost here: a plain Starlette socket on uvicorn that only passes on what it is given.

Its source is the mock's stream as well, read by a bare client in the server's process; nothing is stored.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median, quantiles

import aiohttp
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from stopwatch import PACE, STREAMS, Figures, main

CLIENTS = 250
HERE = Path(__file__).resolve()


class Room:
    """All sockets of one stream."""

    def __init__(self) -> None:
        self.sockets: list[WebSocket] = []

    async def pump(self, http: aiohttp.ClientSession, url: str) -> None:
        async with http.post(f"{url}/chat/completions", json={}) as response:
            async for line in response.content:
                if not line.startswith(b'data: {"id"'):
                    continue
                choices = json.loads(line[6:])["choices"]
                text = choices[0]["delta"].get("content") if choices else None
                if text:
                    for socket in self.sockets:
                        await socket.send_text(text)


async def serve(url: str) -> None:
    rooms = [Room() for _ in range(STREAMS)]
    pumps: set[asyncio.Task[None]] = set()

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        room = rooms[int(websocket.path_params["room"])]
        room.sockets.append(websocket)
        try:
            async for text in websocket.iter_text():
                if text == "begin":
                    pumps.add(asyncio.create_task(room.pump(http, url)))
        except WebSocketDisconnect:
            pass
        finally:
            room.sockets.remove(websocket)

    app = Starlette(routes=[WebSocketRoute("/{room}", socket)])
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        config = uvicorn.Config(
            app, port=0, log_config=None, ws="websockets-sansio", ws_per_message_deflate=False
        )
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)
        await running


@asynccontextmanager
async def floor_of(url: str) -> AsyncIterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [sys.executable, HERE, "serve", url, "full"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        yield process, f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait()


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load(url: str, quick: bool) -> Figures:
    seconds = 3 if quick else 10
    late: list[float] = []
    source = f"{url}/stamped-{PACE * (seconds + 60)}-{PACE}/v1"
    async with (
        floor_of(source) as (process, address),
        aiohttp.ClientSession(address, connector=aiohttp.TCPConnector(limit=0)) as http,
    ):
        sockets = [await http.ws_connect(f"/{n % STREAMS}") for n in range(CLIENTS)]

        async def read(socket: aiohttp.ClientWebSocketResponse) -> None:
            async for message in socket:
                late.append(time.monotonic() - float(message.data))

        readers = [asyncio.create_task(read(socket)) for socket in sockets]
        for socket in sockets[:STREAMS]:
            await socket.send_str("begin")
        await asyncio.sleep(2)
        late.clear()
        spent, wall = cpu(process.pid), time.perf_counter()
        await asyncio.sleep(seconds)
        spent, wall = cpu(process.pid) - spent, time.perf_counter() - wall
        seen = late.copy()
        for reader in readers:
            reader.cancel()
    cuts = quantiles(seen, n=100)
    return {
        "load.p50": median(seen) * 1e3,
        "load.p95": cuts[94] * 1e3,
        "load.p99": cuts[98] * 1e3,
        "load.delivered": len(seen) / wall,
        "load.cpu": spent / wall * 100,
    }


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve(sys.argv[2]))
    else:
        main(load=load)
