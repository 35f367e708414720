"""openai-agents: an agent with one tool on chat completions, streamed, its history in memory, tracing off."""

from typing import Any

from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from stopwatch import QUESTION, TOOL, Figures, Work, main, stream_figures, turn_figures, value_of

set_tracing_disabled(True)


def agent_at(base: str, *tools: Any) -> Agent:
    client = AsyncOpenAI(base_url=base, api_key="none")
    model = OpenAIChatCompletionsModel(model="mock-1", openai_client=client)
    return Agent(name="bench", model=model, tools=list(tools))


def streamer(base: str) -> Work:
    agent = agent_at(base)

    async def read() -> int:
        count = 0
        async for event in Runner.run_streamed(agent, QUESTION).stream_events():
            if event.type == "raw_response_event":
                count += isinstance(event.data, ResponseTextDeltaEvent)
        return count

    return read


def turner(base: str, history: list[Any]) -> Work:
    agent = agent_at(base, function_tool(value_of, name_override=TOOL))

    async def run() -> str:
        asked = [*history, {"role": "user", "content": QUESTION}]
        result = Runner.run_streamed(agent, asked)
        async for _ in result.stream_events():
            pass
        return result.final_output

    return run


async def stream(url: str, quick: bool) -> Figures:
    return await stream_figures(streamer, url, quick)


async def turn(url: str, quick: bool) -> Figures:
    return await turn_figures(turner, url, quick)


if __name__ == "__main__":
    main(stream=stream, turn=turn)
