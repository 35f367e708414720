"""A provider in a process of its own, whose every word is known beforehand, and that counts how often it was asked.

A prompt names a story (`tell s003-p1`); the answer is that story, in numbered pieces at an even pace. It outlives the
servers that ask it, so that what they say of an answer can be held against what was really told.
"""

import asyncio
import json
import re
import subprocess
import sys
import zlib
from collections import Counter
from contextlib import suppress
from types import TracebackType

import aiohttp
from aiohttp import web

ASKED = re.compile(r"tell (s\d+-p\d+)")


def story(key: str) -> str:
    return "".join(pieces(key))


def pieces(key: str) -> list[str]:
    """Between 12 and 36, with letters of one to four bytes."""
    count = 12 + zlib.crc32(key.encode()) % 25
    return ["é漢🙂"[: number % 4] + f"{key}:{number:04};" for number in range(count)]


class Narrator:
    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._asked: Counter[str] = Counter()

    async def tell(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        key = ASKED.findall(json.dumps(body["messages"]))[-1]
        self._asked[key] += 1
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        with suppress(ConnectionResetError):  # whoever asked was killed
            for piece in pieces(key):
                await answer.write(chunk({"content": piece}))
                await asyncio.sleep(self._pause)
            await answer.write(chunk({}, "stop") + b"data: [DONE]\n\n")
        return answer

    async def asked(self, request: web.Request) -> web.Response:
        return web.json_response(self._asked)


def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    made = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "tale",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(made).encode() + b"\n\n"


async def narrate(pause: float) -> None:
    """Print the port, then tell stories until standard input closes."""
    narrator = Narrator(pause)
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", narrator.tell)
    app.router.add_get("/asked", narrator.asked)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


class Telling:
    """That process, for as long as the block lasts."""

    def __init__(self, pause: float) -> None:
        self._pause = pause

    def __enter__(self) -> "Telling":
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.narrator", str(self._pause)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate(timeout=20)

    async def asked(self) -> dict[str, int]:
        async with aiohttp.ClientSession() as http, http.get(f"{self.url}/asked") as response:
            return await response.json()


if __name__ == "__main__":
    asyncio.run(narrate(float(sys.argv[1])))
