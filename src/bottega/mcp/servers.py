"""All MCP servers of one session, as tools. Each starts when it is first needed, and is alone in its trouble.

One `Servers` a session: a server keeps state, and one session's must not be seen in another.
"""

import asyncio
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from bottega.errors import NotFound, Problem
from bottega.mcp.approved import Approved
from bottega.mcp.channel import Surroundings
from bottega.mcp.definitions import Definition, public_name
from bottega.mcp.link import Link, Offer
from bottega.mcp.problems import plain
from bottega.mcp.server import McpServer
from bottega.tools.context import Context
from bottega.tools.tool import Arguments, Effect, Outcome, Tool, success

if TYPE_CHECKING:
    from bottega.mcp.asking import Prompt

DANGEROUS: frozenset[Effect] = frozenset({"execute", "network"})
"""Of every tool of a stranger: what a server says of its own harmlessness is not heard."""

_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_URI: dict[str, Any] = {
    "type": "object",
    "properties": {"uri": {"type": "string", "description": "As list_resources names it."}},
    "required": ["uri"],
    "additionalProperties": False,
}


class Examined(msgspec.Struct, frozen=True):
    """What a server turned out to be when it was started."""

    server: str
    title: str
    """What it calls itself, with its version."""
    protocol: str
    start_ms: int
    tools: tuple[str, ...]
    resources: tuple[str, ...]
    prompts: tuple[str, ...]
    notices: tuple[str, ...]
    list_ms: int


class Servers:
    def __init__(
        self, servers: Mapping[str, McpServer], around: Surroundings, approved: Approved
    ) -> None:
        self._links = {
            name: Link(name, server, around, approved)
            for name, server in servers.items()
            if server.enabled
        }
        self.notices: tuple[str, ...] = ()
        """What could not be had when the tools were last asked for, one sentence each."""

    async def tools(self) -> list[Tool]:
        """The tools of all servers, started at the same time; those of one that is down stay as they were."""
        troubles = await asyncio.gather(*map(_look, self._links.values()))
        tools: list[Tool] = []
        notices: list[str] = []
        for link, trouble in zip(self._links.values(), troubles, strict=True):
            made, left_out = _tools(link)
            tools += made
            notices += [trouble] if trouble else left_out
        self.notices = tuple(notices)
        return tools

    async def prompts(self) -> list["Prompt"]:
        """The prompts of all servers that can be asked now; `notices` tells of the others."""
        found: list[Prompt] = []
        notices: list[str] = []
        for link in self._links.values():
            try:
                found += await link.prompts()
            except Problem as problem:
                notices.append(str(problem))
        self.notices = tuple(notices)
        return found

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> str:
        """A server's prompt with these arguments put in, as a text to send."""
        return await self._link(server).prompt(name, dict(arguments))

    async def examine(self, server: str) -> Examined:
        """Start a server and look at all it offers; raises a `Problem` that says why that failed."""
        link = self._link(server)
        began = time.monotonic()
        connection = await link.ready()
        started = time.monotonic()
        resources = await link.resources()
        prompts = await link.prompts()
        known = connection.session.server_info
        return Examined(
            server=server,
            title=plain(f"{known.name} {known.version}", 200) if known else "",
            protocol=connection.session.protocol_version or "",
            start_ms=round((started - began) * 1000),
            tools=tuple(each.tool for each in link.offer.tools),
            resources=tuple(each["uri"] for each in resources["resources"]),
            prompts=tuple(each.name for each in prompts),
            notices=link.offer.notices,
            list_ms=round((time.monotonic() - started) * 1000),
        )

    async def close(self) -> None:
        """End all; returns once nothing of them is left."""
        await asyncio.gather(*(link.close() for link in self._links.values()))

    def _link(self, name: str) -> Link:
        if name not in self._links:
            raise NotFound(
                f"There is no MCP server {name!r}, or it is disabled.",
                hint="See them with: bottega mcp list",
            )
        return self._links[name]


async def _look(link: Link) -> str:
    """Why a server cannot be used; empty where it can."""
    try:
        await link.look()
    except Problem as problem:
        return str(problem)
    return ""


def _tools(link: Link) -> tuple[list[Tool], list[str]]:
    offer: Offer = link.offer
    tools = {each.name: _tool(link, each) for each in offer.tools}
    notices = list(offer.notices)
    for each in _of_resources(link) if offer.resources else ():
        if each.name in tools:
            notices.append(
                f"The MCP server {link.name!r} has a tool of its own called {each.name!r}."
            )
        tools.setdefault(each.name, each)
    return list(tools.values()), notices


def _tool(link: Link, definition: Definition) -> Tool:
    async def run(arguments: Arguments, context: Context) -> Outcome:
        return await link.call(definition, arguments, context.emit_output)

    return _made(link, definition, run)


def _of_resources(link: Link) -> list[Tool]:
    async def listed(arguments: Arguments, context: Context) -> Outcome:
        return success(await link.resources())

    async def read(arguments: Arguments, context: Context) -> Outcome:
        return await link.read(arguments["uri"])

    own = partial(_own, link)
    return [
        _made(
            link,
            own("list_resources", f"List what the MCP server {link.name} has to read.", _NOTHING),
            listed,
        ),
        _made(
            link,
            own("read_resource", f"Read a resource of the MCP server {link.name}.", _URI),
            read,
        ),
    ]


def _own(link: Link, name: str, description: str, schema: dict[str, Any]) -> Definition:
    return Definition(public_name(link.name, name), name, description, schema, link.bound)


def _made(link: Link, definition: Definition, run: Any) -> Tool:
    return Tool(
        name=definition.name,
        description=definition.description,
        schema=definition.schema,
        category="WEB" if link.server.url else "PROJECT",
        effects=DANGEROUS,
        known=False,
        run=run,
        settings={
            "server": link.name,
            "tool": definition.tool,
            "fingerprint": definition.fingerprint,
        },
    )
