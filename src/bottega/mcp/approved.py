"""What the user approved of each MCP server: `home/mcp.json`, a hash a server.

The file is replaced whole or not at all, under a lock: neither a crash nor a second process leaves half of one.
"""

import time
from pathlib import Path
from typing import Literal

import msgspec

from bottega.mcp.server import McpServer, fingerprint
from bottega.storage.whole import alone, read_whole, write_whole

VERSION = 1

State = Literal["approved", "changed", "new", "disabled"]


class Entry(msgspec.Struct, frozen=True):
    hash: str
    at: int
    """When it was approved, in milliseconds UTC."""
    tools: int | None = None
    """How many tools it offered when it was last tested."""


class _File(msgspec.Struct, frozen=True):
    version: int = VERSION
    servers: dict[str, Entry] = {}


class Approved:
    """The approvals of one home. Every method may raise `Misconfigured` or `StorageFailed`, with the next step."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._file = home / "mcp.json"

    def state(self, name: str, server: McpServer) -> State:
        """Whether this server, exactly as it is written down now, may be started."""
        if not server.enabled:
            return "disabled"
        entry = self.entry(name)
        if entry is None:
            return "new"
        return "approved" if entry.hash == fingerprint(server) else "changed"

    def entry(self, name: str) -> Entry | None:
        return self._read().servers.get(name)

    def approve(self, name: str, server: McpServer) -> None:
        self._put(name, Entry(fingerprint(server), time.time_ns() // 1_000_000))

    def count(self, name: str, server: McpServer, tools: int) -> None:
        """Remember how many tools an approved server offers."""
        entry = self.entry(name)
        if entry and entry.hash == fingerprint(server):
            self._put(name, msgspec.structs.replace(entry, tools=tools))

    def forget(self, name: str) -> None:
        self._put(name, None)

    def _put(self, name: str, entry: Entry | None) -> None:
        with alone(self._home / "mcp.lock"):
            servers = dict(self._read().servers)
            servers.pop(name, None)
            if entry is not None:
                servers[name] = entry
            text = msgspec.json.format(msgspec.json.encode(_File(VERSION, servers)), indent=1)
            write_whole(self._file, [text])

    def _read(self) -> _File:
        again = "Remove it, and approve each server again: bottega mcp approve NAME"
        return read_whole(self._file, _File(), "file of approved MCP servers", again)


def why_not(name: str, state: State) -> str:
    """Why a server is not started, as a sentence with the next step."""
    if state == "disabled":
        return f"The MCP server {name!r} is disabled."
    changed = "has changed since it was approved" if state == "changed" else "was never approved"
    return (
        f"The MCP server {name!r} {changed}, so it is not started."
        f" Look at it, then type: bottega mcp approve {name}"
    )
