"""Who is connected: strangers have a small share of the connections, and nobody who is signed in competes with them.

A connection is a stranger's until a request on it is a person's. Where strangers have too many, of one address or in
all, those of theirs that have been still for longest are cut: whoever fills the share with connections that do nothing
loses them first, and a person's connection is taken in at any time. What has come on a connection may not have been
read yet, as when all clients come back at once after a restart: only where strangers have far too many is one cut that
has been still for less than a second, and one on which something waits to be read only if that is so of the others as
well. Where people have as many as the system has room for, whoever has most of them loses the one that was theirs for
longest.
"""

import asyncio
import fcntl
import ipaddress
import struct
import termios
import time
from collections import Counter
from itertools import islice

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


_GRACE = 1.0
"""Seconds in which a connection is read that something has come on, however busy the server is."""
_FAR_TOO_MANY = 2
"""Times a share."""
_LOOKS = 64
"""Connections at most that are asked, for one that is to be cut, whether something on them waits to be read."""


class Seat:
    """One connection's place."""

    def __init__(self, among: "Connections", transport: asyncio.Transport, address: str) -> None:
        self._among = among
        self._transport = transport
        self.address = address
        self.person: int | None = None
        self.still_since = time.monotonic()
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

    @property
    def has_unread(self) -> bool:
        """Whether something has come that nobody has read yet."""
        sock = self._transport.get_extra_info("socket")
        if sock is None or sock.fileno() < 0:
            return False
        answer = fcntl.ioctl(sock.fileno(), termios.FIONREAD, bytes(4))
        return struct.unpack("i", answer)[0] > 0

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
        self._trimming: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._strangers) + self._people

    def enter(self, transport: asyncio.Transport, address: str) -> Seat:
        seat = Seat(self, transport, network_of(address))
        self._strangers[seat] = None
        self._addresses[seat.address] += 1
        if self._addresses[seat.address] > self._shares.address * _FAR_TOO_MANY:
            self._cut_stillest(seat.address)
        elif len(self._strangers) > self._shares.strangers * _FAR_TOO_MANY:
            self._cut_stillest()
        elif self._is_over(seat.address):
            self._trim_soon()
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
            seat.still_since = time.monotonic()
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

    def _is_over(self, address: str) -> bool:
        return (
            self._addresses[address] > self._shares.address
            or len(self._strangers) > self._shares.strangers
        )

    def _trim_soon(self) -> None:
        if self._trimming is None:
            self._trimming = asyncio.get_running_loop().call_later(_GRACE / 4, self._trim)

    def _trim(self) -> None:
        """Cut those that are too many, unless something may have come on them that was not read yet."""
        self._trimming = None
        before = time.monotonic() - _GRACE
        for seat in list(self._strangers):
            if seat.still_since > before:
                break
            if self._is_over(seat.address):
                self.left(seat)
                seat.cut()
        if any(map(self._is_over, self._addresses)):
            self._trim_soon()

    def _cut_stillest(self, address: str = "") -> None:
        of_address = (each for each in self._strangers if address in ("", each.address))
        stillest = list(islice(of_address, _LOOKS))
        older = stillest[:-1]  # the last one may have come just now
        seat = next((each for each in older if not each.has_unread), stillest[0])
        self.left(seat)
        seat.cut()

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
