"""What each person may have of all that people share in one process: made of the owner's settings, as they are now."""

import asyncio
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from bottega.accounts.people import People
from bottega.agents.model import Model
from bottega.fairness import Share, Turns
from bottega.providers.fair import Fair
from bottega.sessions.bounds.keeping import Keeping
from bottega.sessions.bounds.waiting import Bounds
from bottega.sessions.inbox import Inbox
from bottega.sessions.session import HOST, Sessions
from bottega.settings import Values
from bottega.storage.database import Database
from bottega.storage.disk import MIB, Disk
from bottega.workspaces.sandbox.bounds import machine
from bottega.workspaces.sandbox.places import Allowance, Places

PEOPLE_EVERY = 1.0
"""Seconds for which it is remembered how many people there are."""

TWICE = 2
"""How often the words of a prompt are stored: when they are queued, and when they are taken up."""


class PerPerson:
    def __init__(self, database: Database, home: Path, values: Callable[[], Values]) -> None:
        self._database = database
        self._values = values
        self._counted_at, self._is_shared = -PEOPLE_EVERY, False
        self.disk = Disk(home)
        self.keeping = Keeping(database, lambda: values().person_storage_mb * MIB, self.disk)
        self.places = Places(home / "sandbox" / "places", self._allowance)
        self._calls = Share(self._calls_at_once)
        self._turns = Turns()

    def is_shared(self) -> bool:
        """Whether several people use this home: what one of them may take is bounded then."""
        now = time.monotonic()
        if now - self._counted_at >= PEOPLE_EVERY:
            self._counted_at, self._is_shared = now, len(People(self._database).list()) > 1
        return self._is_shared

    def bound(self, inbox: Inbox, sessions: Sessions) -> None:
        """Have what the owner set hold from now on."""
        values = self._values()
        inbox.bounds = Bounds(person=values.person_waiting)
        sessions.most = values.person_sessions
        self.disk.reserve = values.disk_reserve_mb * MIB

    async def admit(self, person: int, *words: object) -> None:
        """Before what a person says is stored; refused where as much is kept for them as one may have.

        The owner's own words are held by the disk alone.
        """

        def admit() -> None:
            size = TWICE * len(msgspec.json.encode(words, enc_hook=str))
            if person == HOST:
                self.disk.refuse_when_full(size)
            else:
                self.keeping.admit(person, size)

        await asyncio.to_thread(admit)

    def fair(self, model: Model, person: int) -> Model:
        """The model, as that person may use it beside others."""
        provider = Fair(model.provider, person, self._turns)
        place = partial(self._calls.hold, person)
        return msgspec.structs.replace(model, provider=provider, place=place)

    def _allowance(self) -> Allowance:
        """What all sandboxes of one person may use."""
        values = self._values()
        memory = values.person_memory_mb * MIB
        if not memory and self.is_shared():
            memory = machine() // 2
        return Allowance(
            sandboxes=values.person_sandboxes,
            memory=memory,
            processes=values.person_processes,
            reserve=values.disk_reserve_mb * MIB,
        )

    def _calls_at_once(self) -> int:
        """Model calls that one person may have open here, those of children included."""
        return self._values().concurrency if self.is_shared() else sys.maxsize
