"""Where kept keys may go: each name of a key leads to one destination, by the settings and the agents' files.

A provider's key goes to the provider's address, an MCP server's secret to the server, a remote agent's token to the
Bottega where it is. A key is saved for the destination in force at that moment (`spending/key.py`), and whoever
wants to use it later says where it would go.
"""

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from bottega.agents.shelf import from_file
from bottega.agents.spec import WrongSpec
from bottega.errors import BadUsage, Problem
from bottega.mcp import secrets
from bottega.mcp.server import destination_of
from bottega.origin import origin_of
from bottega.providers import route
from bottega.providers.route import Endpoint, Routes
from bottega.providers.vendors import VENDORS
from bottega.settings import OwnProvider, Settings
from bottega.spending.key import KeyRing
from bottega.storage.home import Home


class Destination(msgspec.Struct, frozen=True):
    user: str
    """Who uses the key: a provider, an MCP server or an agent, by its name."""
    address: str
    """What the key is bound to."""


def routes(settings: Settings, providers: dict[str, OwnProvider] | None = None) -> Routes:
    """Every provider that is set up by variables or in the config file, without kept keys."""
    env, values = settings.environment, settings.values
    table = route.from_environment(env, values.provider)
    for name, own in (values.providers if providers is None else providers).items():
        endpoint = Endpoint(base_url=own.base_url, wire=own.wire, key_env=own.key_env)
        table = route.define(table, name, endpoint, env)
    return table


def of_providers(settings: Settings, table: Routes) -> dict[str, str]:
    """By their names, the origins to which providers' keys would go."""
    known = dict.fromkeys([*VENDORS, *settings.values.providers])
    return {name: origin_of(route.address_of(name, table)) for name in known}


def with_kept_keys(settings: Settings, table: Routes, ring: KeyRing) -> Routes:
    """The table with the key ring's keys for providers that have none of the environment, and why some are withheld."""
    wanted = {
        name: origin
        for name, origin in of_providers(settings, table).items()
        if not table.endpoints.get(name, Endpoint()).key
    }
    kept, withheld = ring.fitting(wanted)
    return route.with_keys(
        table, kept, {name: (why.message, why.hint) for name, why in withheld.items()}
    )


def of_key(settings: Settings, name: str) -> list[Destination]:
    """Every destination that the key of this name has. A provider's name is the provider's alone."""
    providers = of_providers(settings, routes(settings))
    if name in providers:
        return [Destination(name, providers[name])]
    return [each for key, each in _named(settings) if key == name]


def one_of_key(settings: Settings, name: str, user: str = "") -> Destination:
    """The destination that a key is saved for; refuse a name that leads nowhere, or to several places."""
    found = [each for each in of_key(settings, name) if user in ("", each.user)]
    if len({each.address for each in found}) == 1:
        return found[0]
    if not found:
        raise BadUsage(f"Nothing {f'called {user!r} ' if user else ''}uses a key {name[:60]!r}.")
    users = ", ".join(each.user for each in found)
    raise BadUsage(
        f"The key {name!r} is named by several that are not at one address ({users}), and a key is for one.",
        hint=f"Say which: bottega keys set {name} --for {found[0].user}; and give the other one a key of its own.",
    )


def bind_old_keys(settings: Settings, ring: KeyRing) -> None:
    """Keys that were kept before they had a destination get the one that they lead to now, if there is just one."""
    with suppress(Problem):  # a ring that cannot be opened says so where a key is needed
        if not ring.is_unbound:
            return
        found: dict[str, str] = {}
        for key in ring.list():
            addresses = {each.address for each in of_key(settings, key.provider)}
            if len(addresses) == 1:
                found[key.provider] = addresses.pop()
        ring.bind(found)


def named_by_servers(settings: Settings) -> set[str]:
    """What MCP servers are given by name."""
    servers = settings.values.mcp.values()
    return {name for each in servers for name in secrets.names({**each.env, **each.headers})}


def named_by_agents(settings: Settings) -> dict[str, str]:
    """The tokens of remote agents, by their names, and the agent that each is for."""
    return {name: user.user for name, user in _of_agents(settings)}


def _named(settings: Settings) -> Iterator[tuple[str, Destination]]:
    for server, entry in settings.values.mcp.items():
        for name in sorted(secrets.names({**entry.env, **entry.headers})):
            yield name, Destination(server, destination_of(server, entry))
    yield from _of_agents(settings)


def _of_agents(settings: Settings) -> Iterator[tuple[str, Destination]]:
    for file in sorted(Home(settings.home).agents.glob("*.toml")):
        with suppress(WrongSpec):
            spec = from_file(file)
            if spec.remote:
                yield (
                    spec.remote.token_name,
                    Destination(spec.slug, origin_of(spec.remote.address)),
                )
