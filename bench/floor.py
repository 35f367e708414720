"""The least that the work can cost here: aiohttp and msgspec in a bare loop.

A floor, not a product: no retries, no errors, no other providers, nothing kept, nobody else to think of.
"""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec

from stopwatch import QUESTION, TOOL, Figures, Work, main, stream_figures, turn_figures, value_of


class Function(msgspec.Struct):
    name: str = ""
    arguments: str = ""


class Call(msgspec.Struct):
    index: int = 0
    id: str = ""
    function: Function = msgspec.field(default_factory=Function)


class Delta(msgspec.Struct):
    content: str | None = None
    tool_calls: list[Call] = []


class Choice(msgspec.Struct):
    delta: Delta


class Chunk(msgspec.Struct):
    choices: list[Choice] = []


decode = msgspec.json.Decoder(Chunk).decode
encode = msgspec.json.encode
SCHEMA = {
    "type": "object",
    "properties": {"key": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["key", "count"],
}
TOOLS = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]


async def deltas(
    session: aiohttp.ClientSession, url: str, messages: list[Any]
) -> AsyncIterator[list[Delta]]:
    """What each read of the socket brought."""
    body = {"model": "mock-1", "stream": True, "messages": messages, "tools": TOOLS}
    headers = {"Content-Type": "application/json"}
    async with session.post(
        f"{url}/chat/completions", data=encode(body), headers=headers
    ) as response:
        rest = b""
        while piece := await response.content.readany():
            *events, rest = (rest + piece).split(b"\n\n")
            found = [decode(event[6:]) for event in events if event != b"data: [DONE]"]
            yield [chunk.choices[0].delta for chunk in found if chunk.choices]


async def stream(url: str, quick: bool) -> Figures:
    async with aiohttp.ClientSession() as session:

        def streamer(base: str) -> Work:
            async def read() -> int:
                parts: list[str] = []
                async for found in deltas(session, base, [{"role": "user", "content": QUESTION}]):
                    parts += [delta.content for delta in found if delta.content]
                return len(parts)

            return read

        return await stream_figures(streamer, url, quick)


async def turn(url: str, quick: bool) -> Figures:
    async with aiohttp.ClientSession() as session:

        def turner(base: str, history: list[Any]) -> Work:
            async def run() -> str:
                messages = [*history, {"role": "user", "content": QUESTION}]
                while True:
                    text, calls = await answer(session, base, messages)
                    if not calls:
                        return text
                    messages += acted(calls)

            return run

        return await turn_figures(turner, url, quick)


async def answer(
    session: aiohttp.ClientSession, base: str, messages: list[Any]
) -> tuple[str, dict[int, Call]]:
    parts: list[str] = []
    calls: dict[int, Call] = {}
    async for found in deltas(session, base, messages):
        for delta in found:
            if delta.content:
                parts.append(delta.content)
            for piece in delta.tool_calls:
                call = calls.setdefault(piece.index, Call())
                call.id = piece.id or call.id
                call.function.name += piece.function.name
                call.function.arguments += piece.function.arguments
    return "".join(parts), calls


def acted(calls: dict[int, Call]) -> list[Any]:
    """The calls as a message, and a message with the result of each."""
    made = [
        {"id": call.id, "type": "function", "function": call.function} for call in calls.values()
    ]
    messages: list[Any] = [{"role": "assistant", "content": None, "tool_calls": made}]
    for call in calls.values():
        result = value_of(**msgspec.json.decode(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return messages


if __name__ == "__main__":
    main(stream=stream, turn=turn)
