"""Asks a server what it offers: tools, resources, prompts, page by page, and no more pages than make sense."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import mcp_types as wire
from mcp.client.session import ClientSession
from pydantic import ValidationError

from bottega.mcp.connection import Connection
from bottega.mcp.definitions import MOST_TOOLS, Offered
from bottega.mcp.problems import Refusal, Unknown

P = TypeVar("P", bound=wire.PaginatedResult)

MOST_PAGES = 50
MOST_ITEMS = 1_000


async def tools(connection: Connection) -> list[Offered]:
    if not _can(connection, "tools"):
        return []
    found: list[Offered] = []

    async def ask(session: ClientSession, cursor: str | None) -> str | None:
        offered, next_cursor = await _page_of_tools(connection, session, cursor)
        found.extend(offered)
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

    async def ask(session: ClientSession, cursor: str | None) -> str | None:
        page = await asked(session, params=wire.PaginatedRequestParams(cursor=cursor))
        found.extend(getattr(page, field))
        return page.next_cursor

    with suppress(Unknown):  # some say that they can, and know nothing of it
        await _pages(connection, ask, lambda: len(found) < MOST_ITEMS)
    return found[:MOST_ITEMS]


async def _pages(
    connection: Connection,
    ask: Callable[[ClientSession, str | None], Awaitable[str | None]],
    wanted: Callable[[], bool],
) -> None:
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        at = cursor
        cursor = await connection.ask(lambda session: ask(session, at))  # noqa: B023
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
    offered = [Offered(each.name, each.description or "", each.input_schema) for each in page.tools]
    return offered, page.next_cursor


async def _loose_page(
    connection: Connection, cursor: str | None
) -> tuple[list[Offered], str | None]:
    asked = {} if cursor is None else {"cursor": cursor}
    raw = await connection.dispatcher.send_raw_request("tools/list", asked)
    listed, following = raw.get("tools"), raw.get("nextCursor")
    if not isinstance(listed, list):
        raise ValueError("its list of tools is none")
    entries = cast("list[dict[str, Any]]", [each for each in listed if isinstance(each, dict)])  # pyright: ignore
    offered = [
        Offered(
            str(each.get("name", "")), str(each.get("description") or ""), each.get("inputSchema")
        )
        for each in entries
    ]
    return offered, following if isinstance(following, str) else None
