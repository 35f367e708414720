"""The bare openai SDK: streaming, and a tool loop written by hand in memory."""

import json
from typing import Any

from openai import AsyncOpenAI

from stopwatch import QUESTION, TOOL, Figures, Work, main, stream_figures, turn_figures, value_of

PARAMETERS = {
    "type": "object",
    "properties": {"key": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["key", "count"],
}
TOOLS: Any = [{"type": "function", "function": {"name": TOOL, "parameters": PARAMETERS}}]


def streamer(base: str) -> Work:
    client = AsyncOpenAI(base_url=base, api_key="none")

    async def read() -> int:
        count = 0
        async for chunk in await client.chat.completions.create(
            model="mock-1", messages=[{"role": "user", "content": QUESTION}], stream=True
        ):
            count += bool(chunk.choices and chunk.choices[0].delta.content)
        return count

    return read


def turner(base: str, history: list[Any]) -> Work:
    client = AsyncOpenAI(base_url=base, api_key="none")

    async def run() -> str:
        messages: list[Any] = [*history, {"role": "user", "content": QUESTION}]
        while True:
            text, calls = await answer(client, messages)
            if not calls:
                return text
            messages += acted(calls)

    return run


async def answer(client: AsyncOpenAI, messages: list[Any]) -> tuple[str, dict[int, Any]]:
    parts: list[str] = []
    calls: dict[int, Any] = {}
    async for chunk in await client.chat.completions.create(
        model="mock-1", messages=messages, tools=TOOLS, stream=True
    ):
        if not chunk.choices:
            continue
        delta = chunk.choices[0].delta
        if delta.content:
            parts.append(delta.content)
        for piece in delta.tool_calls or []:
            if piece.index in calls:
                calls[piece.index].function.arguments += piece.function.arguments
            else:
                calls[piece.index] = piece
    return "".join(parts), calls


def acted(calls: dict[int, Any]) -> list[Any]:
    made = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in calls.values()
    ]
    messages: list[Any] = [{"role": "assistant", "content": None, "tool_calls": made}]
    for call in calls.values():
        result = value_of(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return messages


async def stream(url: str, quick: bool) -> Figures:
    return await stream_figures(streamer, url, quick)


async def turn(url: str, quick: bool) -> Figures:
    return await turn_figures(turner, url, quick)


if __name__ == "__main__":
    main(stream=stream, turn=turn)
