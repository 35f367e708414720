"""Whether those who stay are still allowed to: one look for all of them together, every two seconds.

A request is judged when it comes. What lasts, a socket, a stream, a shell, ends soon after the pass that it was had
with, or its person, is no more: whoever took it away may have done so in another process.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from bottega.accounts.passes import Kind, Passes
from bottega.accounts.people import People
from bottega.errors import Problem

EVERY = 2.0
"""Seconds between two looks."""

Gone = Callable[[], None]
K = TypeVar("K", str, int)


class Proofs:
    def __init__(self, passes: Passes, people: People) -> None:
        self._passes = passes
        self._people = people
        self._by_pass: dict[str, set[Gone]] = {}
        self._by_person: dict[int, set[Gone]] = {}
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def signed_in(self, words: str, kind: Kind, gone: Gone) -> Generator[None]:
        """While this lasts, `gone` is called once that pass is good no longer."""
        with self._held(self._by_pass, self._passes.mark(words, kind), gone):
            yield

    @contextmanager
    def known(self, person: int, gone: Gone) -> Generator[None]:
        """While this lasts, `gone` is called once there is no such person any more."""
        with self._held(self._by_person, person, gone):
            yield

    @contextmanager
    def _held(self, among: dict[K, set[Gone]], key: K, gone: Gone) -> Generator[None]:
        among.setdefault(key, set()).add(gone)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_after())
        try:
            yield
        finally:
            others = among.get(key, set())
            others.discard(gone)
            if not others:
                among.pop(key, None)

    async def _look_after(self) -> None:
        while self._by_pass or self._by_person:
            await asyncio.sleep(EVERY)
            try:
                self._look()
            except Problem:
                continue  # what cannot be read now is read the next time

    def _look(self) -> None:
        gone = set(self._by_pass) - self._passes.good(self._by_pass)
        left = set(self._by_person) - {each.n for each in self._people.list()}
        told = [self._by_pass.pop(each) for each in gone]
        told += [self._by_person.pop(each) for each in left]
        for each in [call for calls in told for call in calls]:
            each()
