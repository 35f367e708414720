"""`bottega keys`: providers' keys, kept encrypted in the home. A key is never an argument and never printed."""

import sys

import click

from bottega import destinations
from bottega.cli import start
from bottega.cli.screen.figures import ago, count
from bottega.cli.screen.output import note, secret
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.errors import Misconfigured
from bottega.providers.provider import Failed
from bottega.sessions.session import now
from bottega.spending.key import KeyRing, told
from bottega.studio import Studio
from bottega.studio.setup import keys


@click.group("keys")
def command() -> None:
    """Keep, list, test and remove providers' keys.

    A provider's key in the environment (OPENAI_API_KEY …) works too, and wins over one that is kept here. A kept key
    is sent to the address that its provider, server or agent had when it was saved, and to no other.
    """


@command.command("set")
@click.argument("provider")
@click.option("--for", "user", default="", help="The MCP server or agent, where several name it.")
def set_command(provider: str, user: str) -> None:
    """Keep a provider's key, a secret of an MCP server, or the token of a remote agent.

    The key is asked for and not shown while you type; from a pipe its first line is read.
    """
    settings = start.settings_of()
    keys.check_name(settings, provider)
    if not keys.takes_one(provider):
        raise keys.needs_none(provider)
    destinations.one_of_key(settings, provider, user)  # before anybody types a key for nothing
    found = keys.keep(settings, provider, _typed(provider), user)
    by_server = provider in keys.named_by_servers(settings)
    agent = keys.named_by_agents(settings).get(provider)
    test = "mcp test NAME" if by_server else f"keys test {provider}"
    test = f"run --agent {agent} hello" if agent else test
    note(f"Kept for {told(found.address)}. Test it with: bottega {test}")
    if variable := keys.variable_of(provider, settings):
        note(f"bottega: {variable} is set as well, and wins over the kept key.")


@command.command("list")
def list_command() -> None:
    """List the keys: kept here, and found in the environment."""
    settings = start.settings_of()
    rows: list[list[Part | str]] = []
    for key in keys.listed(settings):
        if key.variable:
            rows.append([(key.name, "bold"), f"in {key.variable}", ""])
        if key.masked:
            rows.append(
                [
                    (key.name, "bold"),
                    f"kept here, {key.masked}, for {key.destination}",
                    (ago(key.at, now()), "dim"),
                ]
            )
    page = Page(settings.environment)
    if not rows:
        page.say("There are no keys. `bottega keys set openai` keeps one.")
    page.table(rows)


@command.command("test")
@click.argument("provider", required=False)
def test_command(provider: str | None) -> int:
    """Ask a provider, or all that have a key, whether they take it."""
    return start.run(_test(start.studio_of(), provider))


@command.command("rm")
@click.argument("provider")
def remove_command(provider: str) -> None:
    """Forget the kept key of a provider."""
    settings = start.settings_of()
    KeyRing(settings.home).remove(provider)
    note(f"Forgot the key of {provider}.")
    if variable := keys.variable_of(provider, settings):
        note(f"bottega: {variable} is still set in the environment.")


def _typed(provider: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return secret(f"Key of {provider}")


async def _test(studio: Studio, provider: str | None) -> int:
    page = Page(studio.settings.environment)
    async with studio:
        table = studio.runtime.routes()
        with_key = [
            name
            for name, endpoint in table.endpoints.items()
            if endpoint.key or name in table.withheld
        ]
        if not provider and not with_key:
            raise Misconfigured("There are no keys.", hint="Keep one with: bottega keys set openai")
        failed = 0
        if provider:
            keys.check_testable(studio.settings, provider)
        for name in [provider] if provider else with_key:
            found = await _tried(studio, name)
            if isinstance(found, Failed):
                failed += 1
                said = f" {found.message} {found.hint}".rstrip()
                page.say(("✗ ", "tool.failed"), (name, "bold"), said)
            else:
                offer = count(len(found.models), "model")
                page.say(("✓ ", "tool.done"), (name, "bold"), f" takes the key; it offers {offer}.")
    return 1 if failed else 0


async def _tried(studio: Studio, name: str) -> Failed | keys.Tried:
    try:
        return await keys.tried(studio.runtime, name)
    except Misconfigured as problem:  # such as a key that was saved for another address
        return Failed(problem.message, "misconfigured", hint=problem.hint)
