"""The requests that a server is sent, and their answers as our own values."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as wire
import msgspec
from mcp.client.session import ClientSession
from pydantic import TypeAdapter

from bottega.mcp import listing
from bottega.mcp.channel import Show
from bottega.mcp.connection import Connection
from bottega.mcp.problems import Refusal, plain
from bottega.mcp.results import contents, link, outcome, spoken
from bottega.tools.tool import Outcome

T = TypeVar("T")

_MOST_PROGRESS = 200
"""Words of progress that are shown of one call."""

_CALLED: TypeAdapter[wire.CallToolResult | wire.InputRequiredResult] = TypeAdapter(
    wire.CallToolResult | wire.InputRequiredResult
)


class Argument(msgspec.Struct, frozen=True):
    name: str
    description: str = ""
    required: bool = False


class Prompt(msgspec.Struct, frozen=True):
    """A prompt that a server offers to people."""

    server: str
    name: str
    description: str = ""
    arguments: tuple[Argument, ...] = ()


async def call(connection: Connection, tool: str, arguments: dict[str, Any], show: Show) -> Outcome:
    """Call a tool. Not by the SDK's own `call_tool`: that runs patterns of the server's choice on its answers."""

    left = _MOST_PROGRESS

    async def shown(progress: float, total: float | None, message: str | None) -> None:
        nonlocal left
        told = message or (f"{progress:g} of {total:g}" if total else "")
        if told and left:
            left -= 1
            show(f"{plain(connection.channel.tidy(told, 1_600), 200)}\n")

    request = wire.CallToolRequest(
        params=wire.CallToolRequestParams(name=tool, arguments=arguments)
    )

    async def ask(session: ClientSession) -> wire.CallToolResult | wire.InputRequiredResult:
        return await session.send_request(request, _CALLED, progress_callback=shown)

    found = await _final(connection, ask)
    return await asyncio.to_thread(outcome, found, connection.channel.tidy)


async def resources(connection: Connection) -> dict[str, Any]:
    tidy = connection.channel.tidy
    found = await listing.resources(connection)
    kinds = await listing.templates(connection)

    def told() -> dict[str, Any]:
        listed: dict[str, Any] = {"resources": [link(each, tidy) for each in found]}
        if kinds:
            listed["templates"] = [
                {
                    "uri": each.uri_template,
                    "name": each.name,
                    "description": tidy(each.description or ""),
                }
                for each in kinds
            ]
        return listed

    return await asyncio.to_thread(told)


async def read(connection: Connection, uri: str) -> Outcome:
    async def ask(session: ClientSession) -> wire.ReadResourceResult | wire.InputRequiredResult:
        return await session.read_resource(uri, allow_input_required=True)

    found = await _final(connection, ask)
    return await asyncio.to_thread(contents, found, connection.channel.tidy)


async def prompts(connection: Connection) -> list[Prompt]:
    found = await listing.prompts(connection)
    return [
        Prompt(
            connection.name,
            each.name,
            plain(each.description or ""),
            tuple(
                Argument(given.name, plain(given.description or ""), bool(given.required))
                for given in each.arguments or ()
            ),
        )
        for each in found
    ]


async def prompt(connection: Connection, name: str, arguments: dict[str, str]) -> str:
    async def ask(session: ClientSession) -> wire.GetPromptResult | wire.InputRequiredResult:
        return await session.get_prompt(name, arguments, allow_input_required=True)

    found = await _final(connection, ask)
    return await asyncio.to_thread(spoken, found.messages, connection.channel.tidy)


async def _final(
    connection: Connection,
    ask: Callable[[ClientSession], Awaitable[T | wire.InputRequiredResult]],
) -> T:
    """The answer; a server that first wants something of us gets nothing."""
    found = await connection.ask(ask)
    if isinstance(found, wire.InputRequiredResult):
        raise Refusal(
            f"The MCP server {connection.name!r} asks for more before it answers, which it does not get."
        )
    return found
