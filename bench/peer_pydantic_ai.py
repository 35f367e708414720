"""pydantic-ai: an agent with one tool, its events streamed, its history in memory."""

from typing import Any

from pydantic_ai import Agent, PartDeltaEvent, PartStartEvent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from stopwatch import QUESTION, TOOL, Figures, Work, main, stream_figures, turn_figures, value_of


def agent_at(base: str) -> Agent:
    return Agent(OpenAIChatModel("mock-1", provider=OpenAIProvider(base_url=base, api_key="none")))


def streamer(base: str) -> Work:
    agent = agent_at(base)

    async def read() -> int:
        count = 0
        async with agent.run_stream_events(QUESTION) as events:
            async for event in events:
                if isinstance(event, PartStartEvent):
                    count += isinstance(event.part, TextPart)
                elif isinstance(event, PartDeltaEvent):
                    count += isinstance(event.delta, TextPartDelta)
        return count

    return read


def turner(base: str, history: list[Any]) -> Work:
    agent = agent_at(base)
    agent.tool_plain(name=TOOL)(value_of)
    said = [as_message(message) for message in history]

    async def run() -> str:
        result: Any = None
        async with agent.run_stream_events(QUESTION, message_history=said) as events:
            async for event in events:
                result = event
        return result.result.output

    return run


def as_message(message: dict[str, str]) -> ModelMessage:
    if message["role"] == "user":
        return ModelRequest(parts=[UserPromptPart(message["content"])])
    return ModelResponse(parts=[TextPart(message["content"])])


async def stream(url: str, quick: bool) -> Figures:
    return await stream_figures(streamer, url, quick)


async def turn(url: str, quick: bool) -> Figures:
    return await turn_figures(turner, url, quick)


if __name__ == "__main__":
    main(stream=stream, turn=turn)
