"""Imports everything that a server or a worker will need, before it hears anybody.

What is imported later comes from the disk as it is then. The folders it comes from are read-only in every sandbox
(`workspaces/own_code`); this is the second wall. The MCP SDK, which takes a second, only where a server is set up.
"""

import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules

import bottega
from bottega.events.codec import build_decoders
from bottega.settings import Settings
from bottega.workspaces import own_code, programs
from bottega.workspaces.sandbox.pack import packed

_LEFT_OUT = (
    "bottega.__main__",
    "bottega.cli",
    "bottega.client",
    "bottega.mcp.asking",
    "bottega.mcp.connection",
    "bottega.mcp.http",
    "bottega.mcp.lines",
    "bottega.mcp.listing",
    "bottega.mcp.results",
    "bottega.mcp.stdio",
    "bottega.workspaces.sandbox.inside",
)
"""What no server imports, runs as a program of its own, or needs the MCP SDK."""
_LATE = (
    *("aiohttp", "cryptography.fernet", "jsonschema_rs", "platformdirs", "tomlkit", "yarl"),
    *("anyio._core._sockets", "anyio._core._streams", "anyio.streams.memory", "anyio.streams.tls"),
    *("genai_prices.data", "genai_prices.data_snapshot", "genai_prices.data_units"),
    *("prometheus_client.core", "prometheus_client.exposition", "tree_sitter", "tree_sitter_bash"),
)
"""What is imported only once it is needed, by modules of ours and of others."""
_MCP = ("bottega.mcp.asking", "bottega.mcp.http", "bottega.mcp.listing", "bottega.mcp.stdio")


def preload(settings: Settings) -> None:
    """Import all of it, and settle which code is protected from now on. Takes a moment: use a thread."""
    sys.path[:] = dict.fromkeys(own_code.real_entries(sys.path))
    import_everything()
    for name in _MCP if settings.values.mcp else ():
        import_module(name)
    build_decoders()
    packed()
    for name in ("bwrap", "git"):
        programs.find(name)
    programs.beside_interpreter("rg")
    own_code.protected()


def import_everything() -> None:
    """All but the MCP SDK."""
    for name in (*_modules(bottega.__path__, "bottega."), *_LATE):
        import_module(name)


def _modules(path: Iterable[str], prefix: str) -> Iterator[str]:
    for each in iter_modules(path):
        name = f"{prefix}{each.name}"
        if name in _LEFT_OUT:
            continue
        yield name
        if each.ispkg:
            yield from _modules(import_module(name).__path__, f"{name}.")
