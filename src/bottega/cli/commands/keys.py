"""`bottega keys`: providers' keys, kept encrypted in the home. A key is never an argument and never printed."""

import sys

import click

from bottega.cli import start
from bottega.cli.screen.figures import ago, count
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.errors import BadUsage, Misconfigured
from bottega.mcp import secrets
from bottega.providers.provider import Failed
from bottega.providers.vendors import VENDORS
from bottega.sessions.session import now
from bottega.settings import Settings
from bottega.spending.key import KeyRing
from bottega.studio import Studio
from bottega.studio.setup import reach


@click.group("keys")
def command() -> None:
    """Keep, list, test and remove providers' keys.

    A key in the environment (OPENAI_API_KEY …) works too, and wins over one that is kept here.
    """


@command.command("set")
@click.argument("provider")
def set_command(provider: str) -> None:
    """Keep a provider's key.

    The key is asked for and not shown while you type; from a pipe its first line is read.
    """
    settings = start.settings_of()
    if provider not in VENDORS and provider not in {*settings.values.providers, *_named(settings)}:
        raise _unknown(provider, settings)
    if provider not in VENDORS or VENDORS[provider].keys:
        KeyRing(settings.home).set(provider, _typed(provider))
    test = "mcp test NAME" if provider in _named(settings) else f"keys test {provider}"
    print(f"Kept. Test it with: bottega {test}", file=sys.stderr)
    if found := _variable(provider, settings):
        print(
            f"bottega: {found} is set as well, and wins over the kept key.",
            file=sys.stderr,
        )


@command.command("list")
def list_command() -> None:
    """List the keys: kept here, and found in the environment."""
    settings = start.settings_of()
    kept = {key.provider: key for key in KeyRing(settings.home).list()}
    rows: list[list[Part | str]] = []
    for provider in dict.fromkeys([*VENDORS, *settings.values.providers, *kept]):
        if variable := _variable(provider, settings):
            rows.append([(provider, "bold"), f"in {variable}", ""])
        if key := kept.get(provider):
            rows.append(
                [(provider, "bold"), f"kept here, {key.masked}", (ago(key.at, now()), "dim")]
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
    print(f"Forgot the key of {provider}.", file=sys.stderr)
    if variable := _variable(provider, settings):
        print(f"bottega: {variable} is still set in the environment.", file=sys.stderr)


def _typed(provider: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return click.prompt(f"Key of {provider}", hide_input=True, err=True, type=str)


def _named(settings: Settings) -> set[str]:
    """What MCP servers are given by name: a secret that may be kept here too."""
    servers = settings.values.mcp.values()
    return {name for each in servers for name in secrets.names({**each.env, **each.headers})}


def _variable(provider: str, settings: Settings) -> str:
    """The variable that holds this provider's key, if one does."""
    own = settings.values.providers.get(provider)
    names = [*(VENDORS[provider].keys if provider in VENDORS else ()), own.key_env if own else ""]
    names += [provider] if provider in _named(settings) else []
    return next((name for name in names if settings.environment.get(name, "").strip()), "")


def _unknown(provider: str, settings: Settings) -> BadUsage:
    known = [name for name, vendor in VENDORS.items() if vendor.keys]
    names = ", ".join([*known, *settings.values.providers])
    return BadUsage(
        f"There is no provider {provider!r}.",
        hint=f"There are {names}; define another one with:"
        f" bottega config set providers.{provider}.base_url https://…",
    )


async def _test(studio: Studio, provider: str | None) -> int:
    page = Page(studio.settings.environment)
    async with studio:
        table = studio.runtime.routes()
        with_key = [name for name, endpoint in table.endpoints.items() if endpoint.key]
        if not provider and not with_key:
            raise Misconfigured("There are no keys.", hint="Keep one with: bottega keys set openai")
        if provider and provider not in VENDORS and provider not in table.endpoints:
            raise _unknown(provider, studio.settings)
        failed = 0
        for name in [provider] if provider else with_key:
            found = await reach.check(studio.runtime, name)
            if isinstance(found, Failed):
                failed += 1
                said = f" {found.message} {found.hint}".rstrip()
                page.say(("✗ ", "tool.failed"), (name, "bold"), said)
            else:
                offer = count(len(found), "model")
                page.say(("✓ ", "tool.done"), (name, "bold"), f" takes the key; it offers {offer}.")
    return 1 if failed else 0
