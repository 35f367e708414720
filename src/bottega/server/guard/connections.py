"""Who is connected: strangers have a small share of the connections, and nobody who is signed in competes with them.

A connection is a stranger's until a request on it is a person's. Where strangers have too many, of one address or in
all, the one of theirs that has been still for longest is cut to let the new one in: whoever fills the share with
connections that do nothing loses them first, and a person's connection is taken in at any time.
"""

import asyncio
from collections import Counter
from typing import TypeVar

import msgspec

from bottega.server.guard.addresses import network_of

K = TypeVar("K", str, int)


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """How many connections there may be."""

    strangers: int = 400
    """Of all strangers together."""
    address: int = 200
    """Of strangers from one address."""
    person: int = 2500
    """Of one person."""


class Seat:
    """One connection's place."""

    def __init__(self, among: "Connections", transport: asyncio.Transport, address: str) -> None:
        self._among = among
        self._transport = transport
        self.address = address
        self.person: int | None = None

    @property
    def sender(self) -> str | int:
        """Whose turn it is when something is to be parsed: a person's, or an address's."""
        return self.address if self.person is None else self.person

    def belongs_to(self, person: int) -> bool:
        """A request of this person's came on it. False: the person has too many already."""
        return self._among.known(self, person)

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
        self._among.left(self)


class Connections:
    def __init__(self, shares: Shares | None = None) -> None:
        self._shares = shares or Shares()
        self._strangers: dict[Seat, None] = {}
        """The one that has been still for longest first."""
        self._addresses: Counter[str] = Counter()
        self._persons: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._strangers) + self._persons.total()

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
        if self._persons[person] >= self._shares.person:
            return False
        self.left(seat)
        seat.person = person
        self._persons[person] += 1
        return True

    def moved(self, seat: Seat) -> None:
        if seat in self._strangers:
            del self._strangers[seat]
            self._strangers[seat] = None

    def left(self, seat: Seat) -> None:
        if seat.person is not None:
            _forget(self._persons, seat.person)
            seat.person = None
        elif seat in self._strangers:
            del self._strangers[seat]
            _forget(self._addresses, seat.address)

    def _cut_stillest(self, address: str = "") -> None:
        for seat in self._strangers:
            if not address or seat.address == address:
                self.left(seat)
                seat.cut()
                return


def _forget(among: Counter[K], key: K) -> None:
    among[key] -= 1
    if among[key] <= 0:
        del among[key]
