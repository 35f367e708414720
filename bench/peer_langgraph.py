"""langgraph: langchain's agent graph with one tool on ChatOpenAI, its messages streamed, its history in memory."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from stopwatch import QUESTION, TOOL, Figures, Work, main, stream_figures, turn_figures, value_of


def graph_at(base: str, *tools: Any) -> Any:
    model = ChatOpenAI(model="mock-1", base_url=base, api_key="none", streaming=True)
    return create_agent(model, list(tools))


def streamer(base: str) -> Work:
    graph = graph_at(base)

    async def read() -> int:
        count = 0
        asked = {"messages": [HumanMessage(QUESTION)]}
        async for piece, _ in graph.astream(asked, stream_mode="messages"):
            count += isinstance(piece, AIMessageChunk) and bool(piece.content)
        return count

    return read


def turner(base: str, history: list[Any]) -> Work:
    graph = graph_at(base, tool(TOOL)(value_of))
    said = [
        (HumanMessage if message["role"] == "user" else AIMessage)(message["content"])
        for message in history
    ]

    async def run() -> str:
        parts: list[str] = []
        asked = {"messages": [*said, HumanMessage(QUESTION)]}
        async for piece, _ in graph.astream(asked, stream_mode="messages"):
            if isinstance(piece, AIMessageChunk) and piece.content:
                parts.append(str(piece.content))
        return "".join(parts)

    return run


async def stream(url: str, quick: bool) -> Figures:
    return await stream_figures(streamer, url, quick)


async def turn(url: str, quick: bool) -> Figures:
    return await turn_figures(turner, url, quick)


if __name__ == "__main__":
    main(stream=stream, turn=turn)
