"""Asks a server what it offers: tools, resources, prompts, page by page, and no more pages than make sense."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import mcp_types as wire
from mcp.client.session import ClientSession
from pydantic import BaseModel, ValidationError

from bottega.mcp.connection import Connection
from bottega.mcp.definitions import MOST_TOOLS, Offered, offered
from bottega.mcp.problems import Refusal, Unknown

P = TypeVar("P", bound=wire.PaginatedResult)

MOST_PAGES = 50
MOST_ITEMS = 1_000
MOST_ARGUMENTS = 100
"""Of one prompt."""
LONGEST_NAMED = 4_000
LONGEST_DESCRIBED = 8_000
MOST_LISTED = 4_000_000
"""Characters of all of them, after which no further page is asked for."""
_NAMES = frozenset({"name", "uri", "uri_template"})
_USED = _NAMES | {"description", "mime_type", "size", "arguments", "required"}


async def tools(connection: Connection) -> list[Offered]:
    if not _can(connection, "tools"):
        return []
    found: list[Offered] = []

    async def ask(session: ClientSession, cursor: str | None) -> str | None:
        page, next_cursor = await _page_of_tools(connection, session, cursor)
        found.extend(page)
        return next_cursor

    await _pages(connection, ask, lambda: len(found) <= MOST_TOOLS)
    return found


async def resources(connection: Connection) -> list[wire.Resource]:
    return await _all(connection, "resources", ClientSession.list_resources, "resources")


async def templates(connection: Connection) -> list[wire.ResourceTemplate]:
    asked = ClientSession.list_resource_templates
    return await _all(connection, "resources", asked, "resource_templates")


async def prompts(connection: Connection) -> list[wire.Prompt]:
    return await _all(connection, "prompts", ClientSession.list_prompts, "prompts")


async def offers_resources(connection: Connection) -> bool:
    """Whether there is anything to read; many servers say that they can, and have nothing."""
    try:
        return bool(await resources(connection) or await templates(connection))
    except Refusal:
        return False


def _can(connection: Connection, what: str) -> bool:
    return getattr(connection.session.server_capabilities, what, None) is not None


async def _all(
    connection: Connection,
    ability: str,
    asked: Callable[..., Awaitable[P]],
    field: str,
) -> list[Any]:
    if not _can(connection, ability):
        return []
    found: list[Any] = []
    size = 0

    async def ask(session: ClientSession, cursor: str | None) -> str | None:
        nonlocal size
        page = await asked(session, params=wire.PaginatedRequestParams(cursor=cursor))
        listed = [*filter(None, map(_brief, getattr(page, field)[:MOST_ITEMS]))]
        found.extend(listed)
        size += sum(map(_size, listed))
        return page.next_cursor

    with suppress(Unknown):  # some say that they can, and know nothing of it
        await _pages(connection, ask, lambda: len(found) < MOST_ITEMS and size < MOST_LISTED)
    return found[:MOST_ITEMS]


def _brief(item: BaseModel) -> BaseModel | None:
    """What is used of one, as there may be many pages of large ones; None: its name is too long to be used."""
    brief: dict[str, Any] = {}
    for name in _USED & type(item).model_fields.keys():
        value: Any = getattr(item, name)
        if name in _NAMES and len(value) > LONGEST_NAMED:
            return None
        if name == "arguments":
            value = list(filter(None, map(_brief, (value or ())[:MOST_ARGUMENTS])))
        brief[name] = value[:LONGEST_DESCRIBED] if isinstance(value, str) else value
    return type(item).model_construct(**brief)


def _size(item: BaseModel) -> int:
    values = vars(item).values()
    return sum(len(value) for value in values if isinstance(value, str)) + sum(
        map(_size, getattr(item, "arguments", ()))
    )


async def _pages(
    connection: Connection,
    ask: Callable[[ClientSession, str | None], Awaitable[str | None]],
    wanted: Callable[[], bool],
) -> None:
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        at = cursor
        cursor = await connection.ask(lambda session: ask(session, at))  # noqa: B023
        if cursor and len(cursor) > LONGEST_NAMED:
            raise Refusal(
                f"The MCP server {connection.name!r} names its next page at great length."
            )
        if cursor is None or not wanted():
            return


async def _page_of_tools(
    connection: Connection, session: ClientSession, cursor: str | None
) -> tuple[list[Offered], str | None]:
    try:
        page = await session.list_tools(params=wire.PaginatedRequestParams(cursor=cursor))
    except ValidationError:
        # One tool that is not as it should be must not take the others with it.
        return await _loose_page(connection, cursor)
    listed = [(each.name, each.description or "", each.input_schema) for each in page.tools]
    return await _offered(listed), page.next_cursor


async def _loose_page(
    connection: Connection, cursor: str | None
) -> tuple[list[Offered], str | None]:
    asked = {} if cursor is None else {"cursor": cursor}
    raw = await connection.dispatcher.send_raw_request("tools/list", asked)
    listed, following = raw.get("tools"), raw.get("nextCursor")
    if not isinstance(listed, list):
        raise ValueError("its list of tools is none")
    entries = cast("list[dict[str, Any]]", [each for each in listed if isinstance(each, dict)])  # pyright: ignore
    tools = [
        (str(each.get("name", "")), str(each.get("description") or ""), each.get("inputSchema"))
        for each in entries
    ]
    return await _offered(tools), following if isinstance(following, str) else None


async def _offered(tools: list[tuple[str, str, Any]]) -> list[Offered]:
    """Of each no more than is looked at: there may be many pages of large ones."""
    return await asyncio.to_thread(lambda: [offered(*each) for each in tools[: MOST_TOOLS + 1]])
