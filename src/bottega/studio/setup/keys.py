"""Providers' keys: which there are and where each comes from, never the key itself.

What may have one: a provider that is known or defined, whatever an MCP server is given by name, and a server at which
a remote agent is: its token is kept like a key.
"""

import asyncio

import msgspec

from bottega import destinations
from bottega.destinations import Destination, named_by_agents, named_by_servers
from bottega.errors import BadUsage
from bottega.providers import vendors
from bottega.providers.provider import Failed
from bottega.providers.vendors import VENDORS
from bottega.runtime import Runtime
from bottega.settings import Settings
from bottega.spending.key import KeyRing, told
from bottega.studio.setup import reach
from bottega.studio.setup.models import Offered, offered


class Key(msgspec.Struct, frozen=True):
    """What is known of one."""

    name: str
    variable: str = ""
    """The environment variable that holds it, and wins; empty: none does."""
    masked: str = ""
    """Of one that is kept here: enough to tell two apart, too little to use."""
    at: int = 0
    """When it was kept, in milliseconds UTC."""
    destination: str = ""
    """Of one that is kept: the only place that it is sent to."""


class Tried(msgspec.Struct, frozen=True):
    """What a provider offers to a key."""

    models: list[str]
    suggested: Offered | None
    """The model to begin with; None: it offers none."""


class Whose(msgspec.Struct, frozen=True):
    """Who may have given a key out."""

    fits: list[str]
    """Providers whose keys look like that, the likeliest first."""
    others: list[str]
    """All others that take a key."""


def bare(pasted: str) -> str:
    """The key in what somebody pasted: without the name of a variable before it, and without quotes."""
    key = pasted.strip().removeprefix("export ").strip()
    name, mark, value = key.partition("=")
    if mark and name.isupper() and name.isidentifier():
        key = value.strip()
    return key.strip("\"'")


def whose(settings: Settings, pasted: str) -> Whose:
    """Told by how the key begins, or by the variable that was pasted with it. It goes nowhere."""
    name = pasted.strip().removeprefix("export ").partition("=")[0].strip()
    fits = [each for each, vendor in VENDORS.items() if name in vendor.keys]
    fits = fits or vendors.whose(bare(pasted))
    known = [each for each in (*VENDORS, *settings.values.providers) if takes_one(each)]
    return Whose(fits, [each for each in dict.fromkeys(known) if each not in fits])


def listed(settings: Settings) -> list[Key]:
    """All that are set, kept here or found in the environment."""
    ring = KeyRing(settings.home)
    destinations.bind_old_keys(settings, ring)
    kept = {key.provider: key for key in ring.list()}
    found: list[Key] = []
    for name in dict.fromkeys([*VENDORS, *settings.values.providers, *kept]):
        variable, stored = variable_of(name, settings), kept.get(name)
        if stored:
            place = told(stored.destination)
            found.append(Key(name, variable, stored.masked, stored.at, place))
        elif variable:
            found.append(Key(name, variable))
    return found


def keep(settings: Settings, name: str, key: str, user: str = "") -> Destination:
    """Keep a key for where it leads now, and say where that is; refuse a name that nobody would use it under.

    `user` says which MCP server or agent it is for, where several name it.
    """
    check_name(settings, name)
    if not takes_one(name):
        raise needs_none(name)
    ring = KeyRing(settings.home)
    destinations.bind_old_keys(settings, ring)
    found = destinations.one_of_key(settings, name, user)
    ring.set(name, bare(key), found.address)
    return found


def takes_one(name: str) -> bool:
    """Whether this one has any use for a key."""
    return name not in VENDORS or bool(VENDORS[name].keys)


def check_name(settings: Settings, name: str) -> None:
    named = {*named_by_servers(settings), *named_by_agents(settings)}
    if name not in {*VENDORS, *settings.values.providers, *named}:
        raise unknown(name, settings)


def needs_none(name: str) -> BadUsage:
    hint = f"It can be used as it is: bottega models {name}"
    return BadUsage(f"The provider {name!r} needs no key.", hint=hint)


def check_testable(settings: Settings, name: str) -> None:
    """A token of a remote agent, or a secret of an MCP server, is tried by using it."""
    if name in {*VENDORS, *settings.values.providers}:
        return
    if agent := named_by_agents(settings).get(name):
        hint = f"Test it with: bottega run --agent {agent} hello"
        raise BadUsage(
            f"{name!r} is the token of the agent {agent!r}, not a provider's key.", hint=hint
        )
    if name in named_by_servers(settings):
        hint = "Test it with: bottega mcp test NAME"
        raise BadUsage(f"{name!r} is a secret of an MCP server, not a provider's key.", hint=hint)


async def tried(runtime: Runtime, name: str, pasted: str = "") -> Failed | Tried:
    """What the provider offers to its key, or why it does not take it; with a key given, to that: it is not kept."""
    if name not in VENDORS and name not in runtime.routes().endpoints:
        raise unknown(name, runtime.settings)
    found = await reach.check(runtime, name, bare(pasted))
    if isinstance(found, Failed):
        return found
    return Tried(found, await asyncio.to_thread(_suggested, name, found))


def _suggested(name: str, models: list[str]) -> Offered | None:
    """What new sessions would use with this provider, if it is offered; else the first that is."""
    usual = VENDORS[name].default_model if name in VENDORS else ""
    chosen = usual if usual in models or not models else models[0]
    return offered(name, chosen) if chosen and models else None


def variable_of(name: str, settings: Settings) -> str:
    """The variable that holds this key, if one does."""
    own = settings.values.providers.get(name)
    names = [*(VENDORS[name].keys if name in VENDORS else ()), own.key_env if own else ""]
    return next((each for each in names if settings.environment.get(each, "").strip()), "")


def unknown(name: str, settings: Settings) -> BadUsage:
    known = [each for each, vendor in VENDORS.items() if vendor.keys]
    names = ", ".join([*known, *settings.values.providers])
    return BadUsage(
        f"There is no provider {name[:60]!r}.",
        hint=f"There are {names}; define another one with:"
        f" bottega config set providers.{name[:60]}.base_url https://…"
        " What an MCP server or a remote agent needs is kept once that is written down.",
    )
