"""Tickets: what a socket is opened with, as a browser can put nothing but an address into its request.

A ticket is good once and for half a minute, so that one that ends up in some log opens nothing. It lives in memory:
after a restart a client fetches another, as it has to connect again anyhow.
"""

import secrets
import time
from collections.abc import Callable

import msgspec

from bottega.accounts.passes import Kind
from bottega.accounts.people import Person

LASTS = 30.0
"""Seconds."""
MOST = 10_000
"""Kept at once; the oldest goes first."""
MOST_OF_PERSON = 500
"""Of one person, likewise."""


class Ticket(msgspec.Struct, frozen=True):
    person: Person
    words: str
    kind: Kind
    """The pass that it was had with: a socket ends soon after that does."""
    until: float

    @property
    def browser(self) -> bool:
        """It was had with a cookie, which any page may make a browser send: its socket must say where it comes from."""
        return self.kind == "login"


class Tickets:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, Ticket] = {}

    def give(self, person: Person, words: str, kind: Kind) -> str:
        """A new ticket for that person's next socket."""
        now = self._clock()
        while self._open:  # oldest first, all last equally long
            name, oldest = next(iter(self._open.items()))
            if oldest.until > now and len(self._open) < MOST:
                break
            del self._open[name]
        own = [name for name, each in self._open.items() if each.person.n == person.n]
        for name in own[: max(0, len(own) - MOST_OF_PERSON + 1)]:
            del self._open[name]
        ticket = secrets.token_urlsafe(32)
        self._open[ticket] = Ticket(person, words, kind, now + LASTS)
        return ticket

    def __len__(self) -> int:
        return len(self._open)

    def known(self, words: str) -> Ticket | None:
        """One that could be used now; it is not used up."""
        ticket = self._open.get(words)
        return ticket if ticket and ticket.until > self._clock() else None

    def take(self, words: str) -> Ticket | None:
        """Use it up; None for one that was used, is too old, or never was."""
        ticket = self._open.pop(words, None)
        return ticket if ticket and ticket.until > self._clock() else None
