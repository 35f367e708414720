"""Who is connected: strangers have a small share of the connections, and nobody who is signed in competes with them.

A connection is a stranger's until a request on it is a person's. Where strangers have too many, of one address or in
all, the one of theirs that has been still for longest is cut to let the new one in: whoever fills the share with
connections that do nothing loses them first, and a person's connection is taken in at any time. Where people have as
many as the system has room for, whoever has most of them loses the one that was theirs for longest.
"""

import asyncio
import ipaddress
from collections import Counter

import msgspec


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """How many connections there may be."""

    strangers: int = 400
    """Of all strangers together."""
    address: int = 200
    """Of strangers from one address."""
    person: int = 2500
    """Of one person."""
    people: int = 20_000
    """Of all people together."""


class Seat:
    """One connection's place."""

    def __init__(self, among: "Connections", transport: asyncio.Transport, address: str) -> None:
        self._among = among
        self._transport = transport
        self.address = address
        self.person: int | None = None
        self._has_left = False

    @property
    def sender(self) -> str | int:
        """Whose turn it is when something is to be parsed: a person's, or an address's."""
        return self.address if self.person is None else self.person

    def belongs_to(self, person: int) -> bool:
        """A request of this person's came on it. False: the person has too many already."""
        return self._has_left or self._among.known(self, person)

    @property
    def is_gone(self) -> bool:
        """Whether nothing more can be sent on it."""
        return self._transport.is_closing()

    def moved(self) -> None:
        """Something came, or was taken."""
        self._among.moved(self)

    def cut(self) -> None:
        self._transport.abort()

    def leave(self) -> None:
        """For good: what is still found out about it does not count any more."""
        self._has_left = True
        self._among.left(self)


class Connections:
    def __init__(self, shares: Shares | None = None) -> None:
        self._shares = shares or Shares()
        self._strangers: dict[Seat, None] = {}
        """The one that has been still for longest first."""
        self._addresses: Counter[str] = Counter()
        self._persons: dict[int, dict[Seat, None]] = {}
        """Of each the oldest first."""
        self._people = 0

    def __len__(self) -> int:
        return len(self._strangers) + self._people

    def enter(self, transport: asyncio.Transport, address: str) -> Seat:
        seat = Seat(self, transport, network_of(address))
        self._strangers[seat] = None
        self._addresses[seat.address] += 1
        if self._addresses[seat.address] > self._shares.address:
            self._cut_stillest(seat.address)
        elif len(self._strangers) > self._shares.strangers:
            self._cut_stillest()
        return seat

    def known(self, seat: Seat, person: int) -> bool:
        if seat.person == person:
            return True
        if len(self._persons.get(person, ())) >= self._shares.person:
            return False
        self.left(seat)
        seat.person = person
        self._persons.setdefault(person, {})[seat] = None
        self._people += 1
        if self._people > self._shares.people:
            self._cut_of_largest()
        return True

    def moved(self, seat: Seat) -> None:
        if seat in self._strangers:
            del self._strangers[seat]
            self._strangers[seat] = None

    def left(self, seat: Seat) -> None:
        if seat.person is not None:
            seats = self._persons[seat.person]
            del seats[seat]
            if not seats:
                del self._persons[seat.person]
            self._people -= 1
            seat.person = None
        elif seat in self._strangers:
            del self._strangers[seat]
            self._addresses[seat.address] -= 1
            if not self._addresses[seat.address]:
                del self._addresses[seat.address]

    def _cut_stillest(self, address: str = "") -> None:
        for seat in self._strangers:
            if not address or seat.address == address:
                self.left(seat)
                seat.cut()
                return

    def _cut_of_largest(self) -> None:
        seat = next(iter(max(self._persons.values(), key=len)))
        self.left(seat)
        seat.cut()


def network_of(address: str) -> str:
    """An address, or for one of the new kind its network: everybody has very many of those."""
    if ":" not in address:
        return address
    found = ipaddress.IPv6Address(address.partition("%")[0])
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))
