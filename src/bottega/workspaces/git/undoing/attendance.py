"""Whether anybody waits for the programs of a workspace, and what they plant while nobody does.

A command may write again what was undone, for as long as it runs; what it has left behind may not. Whoever keeps on
planting with no call under way has no other purpose, and is ended.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

_OFTEN = 3
"""Looks that find a plant with nobody waiting: the first of them may be of a call that has just ended."""


class Attendance:
    """Of one workspace, in this process."""

    def __init__(self) -> None:
        self._calls = 0
        self._plants = 0
        """Looks that found something since the last call began."""

    @contextmanager
    def call(self) -> Generator[None]:
        """While somebody waits for a program."""
        self._calls += 1
        self._plants = 0
        try:
            yield
        finally:
            self._calls -= 1

    def note_plant(self) -> None:
        if not self._calls:
            self._plants += 1

    @property
    def is_suspicious(self) -> bool:
        """Something was planted with nobody waiting: the next look should not be long in coming."""
        return self._plants > 0

    @property
    def is_hopeless(self) -> bool:
        """It is planted again and again: nothing but the end of these programs helps."""
        return self._plants >= _OFTEN


_known: WeakValueDictionary[Path, Attendance] = WeakValueDictionary()


def attendance_of(state: Path) -> Attendance:
    """One for all sandboxes of a workspace, whose state that is."""
    found = _known.get(state)
    if found is None:
        found = _known[state] = Attendance()
    return found
