"""What a person has opened or closed: private networks and places, and hosts by pattern.

Loopback is never opened by a network, only by a place that is named exactly, with its port.
"""

from collections.abc import Iterable
from ipaddress import ip_network

import msgspec

from bottega.errors import Misconfigured, Problem
from bottega.workspaces.network.address import Address, Network, Verdict, is_loopback
from bottega.workspaces.network.url import Place, parse_place, shown


class Opened(msgspec.Struct, frozen=True):
    """The private parts of the world that may be reached all the same."""

    networks: tuple[Network, ...] = ()
    places: frozenset[Place] = frozenset()

    def lets(self, place: Place, address: Address, verdict: Verdict) -> bool:
        if place in self.places:
            return verdict.words not in ("multicast", "broadcast", "unspecified")
        return verdict.private and any(address in network for network in self.networks)


def opened(entries: Iterable[str]) -> Opened:
    """Networks (`10.1.0.0/16`) and places (`registry.internal:443`), as a setting names them."""
    networks: list[Network] = []
    places: set[Place] = set()
    for entry in entries:
        network = _network(entry)
        if network is None:
            places.add(_place(entry))
        elif is_loopback(network):
            raise Misconfigured(
                f"The network {entry} is this machine itself.",
                hint="Name one place of it with its port, such as 127.0.0.1:8080.",
            )
        else:
            networks.append(network)
    return Opened(tuple(networks), frozenset(places))


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry, strict=False)
    except ValueError:
        return None


def _place(entry: str) -> Place:
    try:
        return parse_place(entry)
    except Problem:
        raise Misconfigured(
            f"{shown(entry)} is neither a network nor a host with its port.",
            hint="Write it like 10.1.0.0/16 or registry.internal:443.",
        ) from None


class Hosts(msgspec.Struct, frozen=True):
    """Patterns of hosts: `example.org` is itself, `*.example.org` all below it, `*` everything."""

    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    """Wins over `allow`."""

    def refusal(self, host: str) -> str:
        """Why the host may not be reached; empty: it may."""
        if any(_matches(host, pattern) for pattern in self.deny):
            return "is on the list of denied hosts"
        if any(_matches(host, pattern) for pattern in self.allow):
            return ""
        return "is not on the list of allowed hosts"


def _matches(host: str, pattern: str) -> bool:
    pattern = pattern.lower().removesuffix(".")
    if pattern.startswith("*."):
        return host.endswith(pattern[1:])
    return pattern in ("*", host)
