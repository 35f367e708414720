"""`bottega mcp`: servers that offer tools to agents. What is added here is approved with it, exactly as it is."""

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import click
import msgspec

from bottega.cli import start
from bottega.cli.screen.figures import count
from bottega.cli.screen.output import note, print_json
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.errors import BadUsage, Conflict, NotFound
from bottega.mcp import secrets
from bottega.mcp.approved import Approved
from bottega.mcp.server import FOLDER, McpServer, check_secure
from bottega.mcp.servers import Examined
from bottega.settings import Settings
from bottega.spending.key import KeyRing
from bottega.studio.setup import config

_STATES = {
    "approved": ("approved", "tool.done"),
    "changed": ("changed since approved", "tool.failed"),
    "new": ("not approved", "tool.failed"),
    "disabled": ("disabled", "dim"),
}


@click.group("mcp")
def command() -> None:
    """Add, list, test, approve and remove MCP servers.

    A server is a program, which runs in a sandbox, or an address. Agents get its tools as mcp__NAME__tool.
    """


@command.command("add")
@click.argument("name")
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
@click.option("--url", default="", help="The address of a server over HTTP.")
@click.option("--header", "headers", multiple=True, metavar="K=V", help="A header for it.")
@click.option("--env", multiple=True, metavar="K=V", help="A variable for the program.")
@click.option("--network", is_flag=True, help="Let the program use the network.")
@click.option("--visible", multiple=True, metavar="PATH", help="What else the program may read.")
@click.option("--tool", "tools", multiple=True, metavar="NAME", help="Offer only these tools.")
@click.option("--share", "people", multiple=True, metavar="NAME", help="Let this person use it.")
@click.option("--timeout", type=float, help="Seconds that one call may take.  [default: 120]")
def add_command(name: str, program: tuple[str, ...], **given: Any) -> None:
    """Add a server, and approve it.

    \b
    bottega mcp add time -- mcp-server-time
    bottega mcp add git -- mcp-server-git --repository {folder}
    bottega mcp add hub --url https://example.com/mcp --header 'Authorization=Bearer $HUB_TOKEN'

    {folder} in an argument after the program stands for the session's folder; of other projects a server sees
    nothing, and no part of it may lie in one. A value may name a secret, kept by `bottega keys set NAME`, as $NAME;
    --env NAME alone is short for --env NAME='$NAME'. It is yours alone: --share NAME lets another person
    of this home use it, with your secrets, and --share everyone all of them.
    """
    settings = start.settings_of()
    if name in settings.values.mcp:
        raise Conflict(
            f"There is already an MCP server {name!r}.", hint=f"Remove it: bottega mcp rm {name}"
        )
    server = _server(name, program, given)
    check_secure(name, server)
    config.edit(settings, ["mcp", name], msgspec.to_builtins(server))
    Approved(settings.home).approve(name, server)
    for warning in _warnings(server, settings):
        note(f"bottega: {warning}")
    note(f"Added and approved. Try it with: bottega mcp test {name}")


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_command(as_json: bool) -> None:
    """List the servers, and whether they may be started."""
    settings = start.settings_of()
    approved = Approved(settings.home)
    told: list[dict[str, Any]] = []
    rows: list[list[Part | str]] = []
    for name, server in settings.values.mcp.items():
        state, entry = approved.state(name, server), approved.entry(name)
        tools = entry.tools if entry and state == "approved" else None
        shown = msgspec.to_builtins(server.masked())
        told.append(
            {"name": name, "kind": server.kind, "state": state, **shown, "tool_count": tools}
        )
        counted = "" if tools is None else count(tools, "tool")
        rows.append([(name, "bold"), server.kind, server.place, _STATES[state], (counted, "dim")])
    if as_json:
        print_json(told)
        return
    page = Page(settings.environment)
    if not rows:
        page.say("There are no MCP servers. `bottega mcp add --help` says how to add one.")
    page.table(rows)


@command.command("test")
@click.argument("name")
@click.option(
    "-C",
    "--cwd",
    "--folder",
    "folder",
    type=click.Path(path_type=Path),
    help="The folder that it works in.  [default: here]",
)
def test_command(name: str, folder: Path | None) -> None:
    """Start a server and show all that it offers."""
    settings = start.settings_of()
    server = _known(settings, name)
    found = start.run(_examined(settings, name, start.place(folder, None)))
    Approved(settings.home).count(name, server, len(found.tools))
    page = Page(settings.environment)
    page.say(
        ("✓ ", "tool.done"),
        (name, "bold"),
        f" is {found.title or 'nameless'}, protocol {found.protocol}:"
        f" ready after {found.start_ms} ms, all listed after {found.list_ms} ms more.",
    )
    kinds = {"tool": found.tools, "resource": found.resources, "prompt": found.prompts}
    for kind, names in kinds.items():
        page.say((f"  {count(len(names), kind)}", "accent"), f"  {', '.join(names)}".rstrip())
    for notice in found.notices:
        page.say(("! ", "accent"), notice)


@command.command("approve")
@click.argument("name")
def approve_command(name: str) -> None:
    """Approve a server as it is written down now."""
    settings = start.settings_of()
    server = _known(settings, name)
    Approved(settings.home).approve(name, server)
    page = Page(settings.environment)
    for line in _described(server):
        page.say(line)
    note(f"Approved. Try it with: bottega mcp test {name}")


@command.command("rm")
@click.argument("name")
def remove_command(name: str) -> None:
    """Remove a server."""
    settings = start.settings_of()
    _known(settings, name)
    Approved(settings.home).forget(name)
    config.edit(settings, ["mcp", name], None)
    note(f"Removed {name}.")


def _known(settings: Settings, name: str) -> McpServer:
    if name not in settings.values.mcp:
        there = ", ".join(settings.values.mcp) or "none"
        raise NotFound(f"There is no MCP server {name!r}.", hint=f"There are: {there}.")
    return settings.values.mcp[name]


def _server(name: str, program: tuple[str, ...], given: dict[str, Any]) -> McpServer:
    if bool(program) == bool(given["url"]):
        raise BadUsage(
            "A server needs either a command after `--`, or --url.",
            hint=f"As in: bottega mcp add {name} -- COMMAND ARGS…",
        )
    command = program[0] if program else ""
    try:
        return McpServer(
            command=os.path.abspath(command) if command.startswith(".") else command,
            args=program[1:],
            env=_pairs("--env", given["env"]),
            network=given["network"],
            visible=tuple(os.path.abspath(os.path.expanduser(each)) for each in given["visible"]),
            url=given["url"],
            headers=_pairs("--header", given["headers"]),
            tools=given["tools"] or None,
            people=given["people"],
            **({} if given["timeout"] is None else {"timeout": given["timeout"]}),
        )
    except ValueError as problem:
        raise BadUsage(f"{problem}.") from None


def _pairs(option: str, given: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not key or (option == "--header" and not equals):
            raise BadUsage(f"{option} takes NAME=VALUE.")
        pairs[key] = value if equals else f"${key}"
    return pairs


def _warnings(server: McpServer, settings: Settings) -> list[str]:
    """What may not be as it was meant."""
    told: list[str] = []
    path = settings.environment.get("PATH", "")
    if server.command and not shutil.which(server.command, path=path):
        told.append(f"there is no program {server.command!r} yet.")
    if any(not os.path.isabs(each) and os.path.exists(each) for each in server.args):
        told.append(
            f"the program starts in `/`: write whole paths, or {FOLDER} for the session's folder."
        )
    kept = {each.provider for each in KeyRing(settings.home).list()}
    for missing in sorted(secrets.names({**server.env, **server.headers}) - kept):
        told.append(f"no secret {missing} is kept yet: bottega keys set {missing}")
    return told


def _described(server: McpServer) -> list[str]:
    shown = server.masked()
    shared = [f"shared with: {', '.join(shown.people)}"] if shown.people else []
    if shown.url:
        names = ", ".join(f"{name}={value}" for name, value in shown.headers.items())
        return [f"url: {shown.url}", *([f"headers: {names}"] if names else []), *shared]
    told = [f"command: {' '.join([shown.command, *shown.args])}"]
    told += [f"env: {', '.join(f'{k}={v}' for k, v in shown.env.items())}"] if shown.env else []
    told += [f"visible: {', '.join(shown.visible)}"] if shown.visible else []
    return [*told, f"network: {'yes' if shown.network else 'no'}", *shared]


async def _examined(settings: Settings, name: str, folder: Path) -> Examined:
    from bottega.isolation import mcp_servers, way_out
    from bottega.projects.projects import real_folder
    from bottega.studio import Studio
    from bottega.workspaces.confine import Root

    here = real_folder(folder)

    async def open_root() -> Root:
        return await asyncio.to_thread(Root, here)

    async with Studio(settings=settings):  # it knows where agents write
        servers = mcp_servers(settings, here, way_out(settings), open_root)
        try:
            return await servers.examine(name)
        finally:
            await servers.close()
