"""What keeps agents in: the way out to the network, sandboxes and MCP servers, as the settings have them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from bottega import destinations
from bottega.approvals.outgoing import Outgoing
from bottega.mcp.approved import Approved
from bottega.mcp.channel import Surroundings
from bottega.mcp.server import McpServer
from bottega.mcp.servers import Servers
from bottega.sessions.session import HOST
from bottega.settings import Settings
from bottega.spending.key import KeyRing
from bottega.storage import serving
from bottega.workspaces.confine import Root
from bottega.workspaces.network.egress import Egress
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.way import WayOut
from bottega.workspaces.programs import workspace_folders
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.places import Places
from bottega.workspaces.sandbox.sandbox import Sandbox

OpenRoot = Callable[[], Awaitable[Root]]


def way_out(settings: Settings) -> WayOut:
    """The way to the world for agents: never to where a studio of this home listens, whatever is opened."""
    own = partial(serving.listening, settings.home)
    return WayOut(Guard(private=settings.values.network_private, own=own))


def sandboxes(  # noqa: PLR0913 - each is a word of its own
    settings: Settings,
    way: WayOut,
    readable: Iterable[str],
    judge: Outgoing,
    places: Places | None = None,
    closed: Iterable[str] = (),
    shows_workspace: bool = True,
) -> Local:
    return Local(
        settings.home / "sandbox",
        readable=[Path(each).expanduser() for each in readable],
        hidden=[settings.home],
        closed=closed,
        shows_workspace=shows_workspace,
        egress=Egress(way, judge=judge),
        unsandboxed=settings.values.sandbox == "off",
        places=places,
        environment=settings.environment,
    )


def mcp_servers(  # noqa: PLR0913 - each is a word of its own
    settings: Settings,
    folder: str,
    way: WayOut,
    open_root: OpenRoot,
    servers: Mapping[str, McpServer] | None = None,
    places: Places | None = None,
    person: int = HOST,
) -> Servers:
    """The MCP servers of one folder, all or these, which count to that person; none is started yet.

    `open_root` opens the folder for each.
    """
    environment, ring = settings.environment, KeyRing(settings.home)
    destinations.bind_old_keys(settings, ring)
    outgoing = Outgoing(lambda: settings.values.rules, ("mcp",))

    async def open_sandbox(
        *, network: bool, visible: tuple[str, ...], folder: bool
    ) -> Sandbox:  # one a server: each may read its own program, and no other's
        with await open_root() as root:
            closed = {*workspace_folders(), root.path}
            opener = sandboxes(settings, way, visible, outgoing, places, closed, folder)
            return await opener.open(root, network=network, person=person)

    around = Surroundings(
        folder=folder,
        open_sandbox=open_sandbox,
        look_up=ring.get,
        path=environment.get("PATH", ""),
        ca_file=settings.values.ca_file or environment.get("SSL_CERT_FILE", ""),
        to_owner=person == HOST,
    )
    offered = settings.values.mcp if servers is None else servers
    return Servers(offered, around, Approved(settings.home))
