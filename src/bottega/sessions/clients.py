"""Tools that a client declares for a session and answers itself; kept with the session, they outlive a restart."""

import asyncio
import sqlite3
from collections.abc import Iterable
from typing import Any

import msgspec

from bottega.errors import BadUsage
from bottega.storage.database import Database
from bottega.tools.context import Context
from bottega.tools.tool import Outcome, Tool, failure, success
from bottega.tools.validate import accepted


class ClientTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    description: str
    schema: dict[str, Any]

    def tool(self) -> Tool:
        """As an agent sees it: somebody else's, so it is asked for like any unknown tool."""
        return Tool(
            name=self.name,
            description=self.description,
            schema=self.schema,
            category="PROJECT",
            effects=frozenset({"execute"}),
            run=_delegated,
            known=False,
            waits=True,
        )


async def _delegated(_: dict[str, Any], context: Context) -> Outcome:
    sent = await context.delegate()
    if sent.get("is_error"):
        return failure(str(sent.get("result", "")), "CLIENT_FAILED")
    return success(sent.get("result"))


async def declare(database: Database, n: int, tools: Iterable[ClientTool]) -> None:
    """These are the client's tools of that session from now on, and no others."""
    declared = tuple(tools)
    await asyncio.to_thread(_check_all, declared)
    if len({tool.name for tool in declared}) < len(declared):
        raise BadUsage("Two tools of a client cannot have the same name.")

    def store(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM client_tools WHERE session = ?", (n,))
        connection.executemany(
            "INSERT INTO client_tools (session, name, spec) VALUES (?, ?, ?)",
            [(n, tool.name, msgspec.json.encode(tool)) for tool in declared],
        )

    await database.write(store)


def _check_all(tools: tuple[ClientTool, ...]) -> None:
    for tool in tools:
        _check(tool)


def _check(tool: ClientTool) -> None:
    if tool.schema.get("type") != "object":
        raise BadUsage(f"The schema of the tool {tool.name!r} describes no object.")
    try:
        accepted(tool.schema)
    except (ValueError, TypeError, RecursionError) as error:
        raise BadUsage(
            f"The schema of the tool {tool.name!r} cannot be used: {error}.",
            hint="Declare it with a smaller or simpler schema.",
        ) from error


def listed(database: Database, n: int) -> list[ClientTool]:
    """The client's tools of that session."""
    rows = database.read_now(
        lambda c: c.execute("SELECT spec FROM client_tools WHERE session = ?", (n,)).fetchall()
    )
    return [msgspec.json.decode(spec, type=ClientTool) for (spec,) in rows]


def declared(database: Database, n: int) -> list[Tool]:
    """As an agent sees them."""
    return [each.tool() for each in listed(database, n)]
