"""Judges a place before anyone connects: its name is looked up once, and every address is checked.

Whoever connects uses the addresses that were checked, never the name again; so a name that
changes its mind between the two changes nothing. One bad address among several refuses all.
"""

import asyncio
import socket
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

import msgspec

from bottega.errors import Problem, Refused
from bottega.workspaces.network.address import Address, is_of_this_machine, read, verdict
from bottega.workspaces.network.allowed import Hosts, opened
from bottega.workspaces.network.url import Place

_MAIL = frozenset({25, 465, 587})
_LOCAL = (".localhost", ".localdomain", ".local", ".internal", ".intranet", ".lan", ".home.arpa")
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104


class AddressRefused(Refused):
    """The place is not one of the public internet, or a rule closes it."""

    code = "address_refused"


class Unreachable(Problem):
    """The place could not be found or reached."""

    code = "unreachable"


class Resolver(Protocol):
    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """All addresses of a name; raises OSError where it has none."""
        ...


async def look_up(host: str, port: int) -> Sequence[str]:
    """The system's own look-up."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class Checked(msgspec.Struct, frozen=True):
    """A place that may be reached, at these addresses and no others."""

    place: Place
    addresses: tuple[Address, ...]
    """Empty: by its name, through a proxy that looks it up."""
    opened: bool = False
    """It is private, and a person has opened it."""


class Guard:
    def __init__(
        self,
        *,
        resolver: Resolver = look_up,
        private: Iterable[str] = (),
        own: Callable[[], Collection[tuple[str, int]]] = tuple,
        hosts: Hosts | None = None,
        patience: float = 10.0,
    ) -> None:
        """`private` opens networks and places; `own` says on which address and port the studio listens now.

        A look-up may take `patience` seconds.
        """
        self._resolver = resolver
        self._opened = opened(private)
        self._own = own
        self._hosts = hosts or Hosts()
        self._patience = patience

    def open_to(self, private: Iterable[str]) -> None:
        """Open these private networks and places from now on, and no others."""
        self._opened = opened(private)

    async def check(self, place: Place, *, by_name: bool = False) -> Checked:
        """Look the place up and judge it; `by_name` leaves the look-up of a name to a proxy."""
        named = place in self._opened.places
        if place.port in _MAIL and not named:
            raise _refused(place, f"port {place.port} is for mail")
        closed = self._hosts.refusal(place.host)
        if closed:
            raise _refused(place, f"the host {closed}")
        literal = read(place.host)
        if literal is None and not named and _is_local(place.host):
            raise _refused(place, "the name belongs to this machine or the local network")
        if literal is None and by_name and not named:
            return Checked(place, ())
        addresses = await self._addresses(place, literal)
        inner = [self._judged(place, address) for address in addresses]
        return Checked(place, addresses, opened=any(inner))

    async def _addresses(self, place: Place, literal: Address | None) -> tuple[Address, ...]:
        if literal is not None:
            return (literal,)
        try:
            async with asyncio.timeout(self._patience):
                found = await self._resolver(place.host, place.port)
        except TimeoutError:
            raise Unreachable(f"The name {place.host} was not found in time.") from None
        except (OSError, UnicodeError):
            raise Unreachable(f"The name {place.host} cannot be found.") from None
        addresses = [read(each) for each in found]
        known = tuple(each for each in addresses if each is not None)
        if len(known) < len(addresses):
            raise _refused(place, "it leads to an address of the local link")
        if not known:
            raise Unreachable(f"The name {place.host} has no address.")
        return known

    def _judged(self, place: Place, address: Address) -> bool:
        """Refuse a bad address; whether a person has opened it."""
        if self._is_own(address, place.port):
            raise _refused(place, "the studio itself listens there")
        found = verdict(address)
        here = (found is None or found.private) and is_of_this_machine(address)
        if found is None and not here:
            return False
        if here and place not in self._opened.places:
            # A network that was opened is the network around this machine, not the machine.
            raise _refused(place, f"{address} is an address of this machine")
        if found is None:
            return True
        if self._opened.lets(place, address, found):
            return True
        lead = "" if place.host == str(address) else f"it leads to {address}, "
        raise _refused(place, f"{lead}{_ARTICLES.get(found.words, 'a')} {found.words} address")

    def _is_own(self, address: Address, port: int) -> bool:
        hosts = {host for host, listening in self._own() if listening == port}
        if str(address) in hosts:
            return True
        return not hosts.isdisjoint(_EVERYWHERE) and (
            address.is_loopback or address.is_unspecified or is_of_this_machine(address)
        )


_ARTICLES = {"unspecified": "an", "embedded IPv4": "an"}


def _is_local(host: str) -> bool:
    """Whether the name could only be found on this machine or the network around it."""
    return "." not in host or f".{host}".endswith(_LOCAL)


def _refused(place: Place, why: str) -> AddressRefused:
    return AddressRefused(f"{place} may not be reached: {why}.")
