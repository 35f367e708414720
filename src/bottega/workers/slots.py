"""Run slots: how many sessions one worker process runs at once, and how many of those one person may have.

All slots belong to whoever is alone on a home. Where there are several people, none takes the last quarter, and
everybody may have `ASSURED` sessions at work even where all slots are taken: nobody's first prompt waits for
somebody else's. A run that only waits for an answer holds no slot, but may not wait in any number.
"""

from collections import Counter
from collections.abc import Callable, Iterable

ASSURED = 2
"""Sessions that each person may have at work, whatever others do; 1 where there are few slots."""
FEW = 8
WAITING = 4
"""Times as many sessions as there are slots for a person may be attended, those that only wait included."""


class Slots:
    def __init__(self, room: int, is_shared: Callable[[], bool] = lambda: False) -> None:
        """`room` is how many slots there are; `is_shared` whether several people use them."""
        self.room = room
        self._is_shared = is_shared
        self._assured = ASSURED if room >= FEW else 1

    @property
    def each(self) -> int:
        """How many one person may hold."""
        return max(1, self.room - max(1, self.room // 4)) if self._is_shared() else self.room

    def count(self, attended: Iterable[int], at_work: Iterable[int]) -> "Counted":
        """`attended` and `at_work` name the person of each session that is here, or that needs a slot now."""
        return Counted(self.room, self.each, self._assured, Counter(attended), Counter(at_work))


class Counted:
    """The slots as they are taken at one moment."""

    def __init__(
        self, room: int, each: int, assured: int, attended: Counter[int], at_work: Counter[int]
    ) -> None:
        self._room = room
        self._each = each
        self._assured = assured
        self._attended = attended
        self._at_work = at_work
        self._total = at_work.total()

    def is_assured(self, person: int) -> bool:
        """Whether the person may begin something now, even before what others wait for."""
        return self._at_work[person] < self._assured and self._has_patience(person)

    def has_place(self, person: int) -> bool:
        free = self._total < self._room and self._at_work[person] < self._each
        return self.is_assured(person) or (free and self._has_patience(person))

    def take(self, person: int) -> None:
        self._at_work[person] += 1
        self._attended[person] += 1
        self._total += 1

    def _has_patience(self, person: int) -> bool:
        return self._attended[person] < self._each * WAITING
