"""What the tests of MCP servers share: a home, a folder, and servers that are approved and closed."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bottega.mcp.approved import Approved
from bottega.mcp.channel import OpenSandbox, Patience, Surroundings
from bottega.mcp.server import McpServer
from bottega.mcp.servers import Servers
from bottega.tools.tool import Outcome, Tool
from tests.mcp.plain import PlainSandboxes
from tests.tools.contexts import Workbench, outcome_of

ODD = Path(__file__).with_name("odd.py")
PATIENCE = Patience(start=20, ping=0.3, grace=0.2, backoff=0)


def odd(*how: str, **more: Any) -> McpServer:
    """The server that does as it is told."""
    args = ("-S", "-E", str(ODD), *how)
    return McpServer(command=sys.executable, args=args, **more)


class Stage:
    """Servers of one session, their tools by name, and a way to call them as the loop does."""

    def __init__(self, servers: Servers, bench: Workbench, sandboxes: PlainSandboxes) -> None:
        self.servers = servers
        self.bench = bench
        self.sandboxes = sandboxes
        self.tools: dict[str, Tool] = {}

    async def look(self) -> dict[str, Tool]:
        self.tools = {tool.name: tool for tool in await self.servers.tools()}
        return self.tools

    async def call(self, name: str, **arguments: Any) -> Outcome:
        """The outcome that a model is given, as `tools.call` makes it."""
        from bottega.messages.block import ToolUse
        from bottega.tools.call import call
        from bottega.tools.registry import Registry

        async def intend(tool: Tool) -> None: ...

        use = ToolUse("call_1", name, arguments)
        return await call(use, Registry(self.tools.values()), self.bench, intend)

    async def result(self, name: str, **arguments: Any) -> Any:
        found = await outcome_of(self.tools[name], arguments, self.bench)
        assert found.status == "success", found
        return found.result

    async def failed(self, name: str, **arguments: Any) -> str:
        """What the model is told of a call that fails, with its code in front."""
        found = await self.call(name, **arguments)
        assert found.error, found
        return f"{found.error.code}: {found.error.message}"


Staged = Callable[..., Stage]


@pytest.fixture
async def stage(home: Path, folder: Path) -> AsyncIterator[Staged]:
    """Make a stage of servers by name; what is not to be approved is named in `unapproved`."""
    made: list[Stage] = []

    def make(
        servers: Mapping[str, McpServer],
        patience: Patience = PATIENCE,
        open_sandbox: OpenSandbox | None = None,
        secrets: Mapping[str, str] = {},
        **more: Any,
    ) -> Stage:
        approved = Approved(home)
        for name, server in servers.items():
            approved.approve(name, server)
        sandboxes = PlainSandboxes(str(folder))
        opens: OpenSandbox = open_sandbox or sandboxes
        path = os.environ["PATH"]
        around = Surroundings(
            str(folder), opens, lambda name, _: secrets.get(name), path, patience=patience, **more
        )
        stage = Stage(Servers(servers, around, approved), Workbench(folder), sandboxes)
        made.append(stage)
        return stage

    yield make
    for each in made:
        await each.servers.close()
        each.bench.root.close()
