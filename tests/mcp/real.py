"""Servers that others wrote, and the sandbox that they run in."""

import shutil
import sys
from pathlib import Path

import pytest

from bottega.mcp.channel import OpenSandbox
from bottega.mcp.server import McpServer
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.sandbox import Sandbox

BIN = Path(sys.executable).parent
_PLACES = (Path(sys.prefix), Path(__file__).parents[2] / ".venv")
_SCRIPT = "everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js"


def held(home: Path, place: Path) -> OpenSandbox:
    """Opens the sandboxes that this machine really has; a test that needs one is skipped where it has none."""
    if Local(home / "sandbox").kind != "bubblewrap":
        pytest.skip("bubblewrap is not installed")

    async def open_sandbox(*, network: bool, visible: tuple[str, ...], folder: bool) -> Sandbox:
        readable = [Path(each) for each in visible]
        local = Local(home / "sandbox", readable=readable, hidden=[home], shows_workspace=folder)
        with Root(place) as root:
            return await local.open(root, network=network)

    return open_sandbox


def everything(*args: str) -> McpServer:
    """The reference server that has everything; needs node."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    script = next((place / _SCRIPT for place in _PLACES if (place / _SCRIPT).exists()), None)
    if script is None:
        pytest.skip("server-everything is not installed (npm could not)")
    return McpServer(command="node", args=(str(script), *(args or ("stdio",))))


def of_python(name: str, *args: str) -> McpServer:
    """`mcp-server-NAME` of the same environment as the tests."""
    return McpServer(command=str(BIN / f"mcp-server-{name}"), args=args)
