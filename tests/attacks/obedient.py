"""An OpenAI-compatible model in a process of its own that does what the last prompt says, one directive a line.

`STREAM words pause_ms` streams so many words with a pause after each; `CALL name {json}` calls a tool, all such
lines in one answer, and repeats the results afterwards; `ENDLESS field` writes to that field of a delta until it is cut
off, or 64 MB are written. Without a directive it answers `hello`. It says what an answer
used only by `USAGE {json}`; to `GET` it answers how long each request was.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from typing import Any

_STREAM = re.compile(r"^STREAM (\d+) (\d+)$", re.MULTILINE)
_ENDLESS = re.compile(r"^ENDLESS (\w+)$", re.MULTILINE)
_CALL = re.compile(r"^CALL (\w+) (\{.*\})$", re.MULTILINE)
_USAGE = re.compile(r"^USAGE (\{.*\})$", re.MULTILINE)
_seen: list[int] = []
"""How long each request was."""
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


@contextmanager
def obedient() -> Generator[str]:
    """Its base URL, while it answers."""
    command = [sys.executable, "-m", "tests.attacks.obedient"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


async def _answer(request: dict[str, Any]) -> AsyncIterator[bytes]:
    messages = request["messages"]
    last = max(i for i, each in enumerate(messages) if each["role"] == "user")
    said = _text(messages[last])
    results = [_text(each) for each in messages[last:] if each["role"] == "tool"]
    calls = _CALL.findall(said)
    if calls and not results:
        yield _chunk(tool_calls=[_call(i, *each) for i, each in enumerate(calls)])
        yield _chunk("tool_calls")
    elif found := _ENDLESS.search(said):
        piece = _endless(found[1])
        for _ in range(1000):
            yield piece
    elif found := _STREAM.search(said):
        words, pause = int(found[1]), int(found[2]) / 1000
        many = 1 if pause else 200  # at full rate, as many in one write as a fast server sends
        piece = _chunk(content="word ") * many
        for _ in range(words // many):
            yield piece
            await asyncio.sleep(pause)
        yield _chunk("stop")
    else:
        yield _chunk(content="\n".join(results) or "hello")
        yield _chunk("stop")
    if found := _USAGE.search(said):
        yield b'data: {"id":"x","model":"m","choices":[],"usage":%b}\n\n' % found[1].encode()
    yield b"data: [DONE]\n\n"


def _endless(field: str) -> bytes:
    words = "lorem " * (64 * 1024 // 6)
    return _chunk(**{field: [_call(0, "file_read", words)] if field == "tool_calls" else words})


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return (
        content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    )


def _call(index: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}


def _chunk(finish: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: %b\n\n" % json.dumps({**body, "choices": [choice]}).encode()


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if head.startswith(b"get "):
            writer.write(_HEAD + json.dumps(_seen).encode())
            return
        size = re.search(rb"content-length: (\d+)", head)
        _seen.append(int(size[1]) if size else 0)
        request = json.loads(await reader.readexactly(int(size[1]) if size else 0))
        writer.write(_HEAD)
        async for chunk in _answer(request):
            writer.write(chunk)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # whoever asked has left
    finally:
        writer.close()


async def _main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
