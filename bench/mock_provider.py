"""A provider on loopback that costs nearly nothing: chat completions as server-sent events, from bytes made beforehand.

The first part of the path says how it answers: `/burst-2000/v1/…` sends 2,000 chunks in one write, `/paced-100-20/v1/…`
100 chunks at 20 a second (`/stamped-…` the same, each chunk the time at which it was sent), `/turn-NAME/v1/…` calls the
tool NAME and, once its result is there, answers in ten chunks;
`/held/v1/…` says one word and then nothing until `/release`. `/seen` tells when the last request came in.
"""

import asyncio
import json
import sys
import time
from functools import cache

WORDS = ("the", "log", "is", "what", "happened", "and", "the", "rest", "is", "folded", "from", "it")
ARGUMENTS = json.dumps({"key": "alpha", "count": 3})
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"
)
END = b"0\r\n\r\n"
PHASE = 0.618


def sse(delta: dict[str, object] | None, finish: str | None = None, usage: bool = False) -> bytes:
    """One chunk of a chat completion, as one event in one HTTP chunk."""
    chunk = {
        "id": "chatcmpl-Bq1Zk2v7WqB3xTn9sYd4LrH8uJf6M",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "mock-1",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "choices": []
        if delta is None
        else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
        if usage
        else None,
    }
    return framed(json.dumps(chunk, separators=(",", ":")).encode())


def framed(text: bytes) -> bytes:
    event = b"data: " + text + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(event), event)


FIRST = sse({"role": "assistant", "content": ""})
DONE = sse(None, usage=True) + framed(b"[DONE]") + END
LAST = sse({}, "stop") + DONE
PIECES = [sse({"content": f" {word}"}) for word in WORDS]


def stamp() -> bytes:
    """A chunk that says when it was sent, by the clock that all processes share."""
    return sse({"content": f" {time.monotonic():.6f}"})


@cache
def answer(count: int) -> bytes:
    """A whole answer of that many text chunks."""
    body = b"".join(PIECES[i % len(PIECES)] for i in range(count))
    return HEAD + FIRST + body + LAST


@cache
def call(tool: str) -> bytes:
    """An answer that calls that tool, its arguments in two pieces."""
    function = {"name": tool, "arguments": ""}
    opened = {"index": 0, "id": "call_1", "type": "function", "function": function}
    half = len(ARGUMENTS) // 2
    pieces = [
        sse({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
        for part in (ARGUMENTS[:half], ARGUMENTS[half:])
    ]
    started = sse({"role": "assistant", "content": None, "tool_calls": [opened]})
    return HEAD + started + b"".join(pieces) + sse({}, "tool_calls") + DONE


class Mock:
    """What all connections share."""

    def __init__(self) -> None:
        self.requests = 0
        self.last_at = 0.0
        self.held: list[asyncio.Transport] = []
        self.started = 0

    def seen(self) -> bytes:
        body = json.dumps({"requests": self.requests, "last_at": self.last_at}).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def release(self) -> bytes:
        for transport in self.held:
            transport.write(LAST)
        self.held.clear()
        return self.seen()


class Connection(asyncio.Protocol):
    def __init__(self, mock: Mock) -> None:
        self._mock = mock
        self._parts: list[bytes] = []
        self._missing = -1
        self._path = ""
        self._loop = asyncio.get_running_loop()
        self._pacer: asyncio.TimerHandle | None = None
        self._stamped = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # pyright: ignore[reportAttributeAccessIssue]

    def connection_lost(self, exc: Exception | None) -> None:
        if self._pacer:
            self._pacer.cancel()
        if self._transport in self._mock.held:
            self._mock.held.remove(self._transport)

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        if self._missing < 0 and not self._read_head():
            return
        if self._missing >= 0:
            self._missing -= len(self._parts[-1])
        if self._missing <= 0:
            body, self._parts, self._missing = b"".join(self._parts), [], -1
            self._respond(body)

    def _read_head(self) -> bool:
        """Once the header is whole: its path and how much of the body is still to come."""
        head, end, rest = b"".join(self._parts).partition(b"\r\n\r\n")
        if not end:
            return False
        self._path = head.split(b" ", 2)[1].decode()
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        self._parts, self._missing = [rest], length
        return True

    def _respond(self, body: bytes) -> None:
        mode, *numbers = self._path.split("/")[1].split("-")
        if mode == "seen":
            self._transport.write(self._mock.seen())
            return
        if mode == "release":
            self._transport.write(self._mock.release())
            return
        self._mock.requests += 1
        self._mock.last_at = time.monotonic()
        if mode == "burst":
            self._transport.write(answer(int(numbers[0])))
        elif mode == "turn":
            self._transport.write(answer(10) if ends_with_result(body) else call(numbers[0]))
        elif mode == "held":
            self._transport.write(HEAD + FIRST + PIECES[0])
            self._mock.held.append(self._transport)
        elif mode in ("paced", "stamped"):
            self._stamped = mode == "stamped"
            self._start_pacing(int(numbers[0]), float(numbers[1]))

    def _start_pacing(self, count: int, rate: float) -> None:
        """Streams that start together tick apart."""
        self._mock.started += 1
        offset = (self._mock.started * PHASE) % 1.0
        self._transport.write(HEAD + FIRST)
        begin = self._loop.time() + offset / rate
        self._pacer = self._loop.call_at(begin, self._tick, 0, count, begin, 1 / rate)

    def _tick(self, number: int, count: int, begin: float, pause: float) -> None:
        if number == count:
            self._transport.write(LAST)
            return
        self._transport.write(stamp() if self._stamped else PIECES[number % len(PIECES)])
        after = begin + (number + 1) * pause
        self._pacer = self._loop.call_at(after, self._tick, number + 1, count, begin, pause)


def ends_with_result(body: bytes) -> bool:
    """Whether the last message of the request is a tool's result."""
    return body[body.rfind(b'"role"') + 6 :].lstrip(b" :").startswith(b'"tool"')


async def serve() -> None:
    """Print the port, then serve until standard input closes."""
    mock = Mock()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(mock), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
