"""What two sequences have in common, with a bound on the work: no two texts, whoever chose them, make this slow."""

from collections.abc import Hashable, Iterable, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)

STEPS = 1_000_000
"""Pairs that are looked at: about a fifth of a second."""


class Budget:
    """So many steps, for one comparison or for several together."""

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def spend(self, steps: int) -> bool:
        """Whether there was enough for it."""
        self.left -= steps
        return self.left >= 0


class Bounded(SequenceMatcher[T], Generic[T]):
    """As its class; where the budget is spent, what is left to compare has nothing in common."""

    a: Sequence[T]
    b2j: dict[T, list[int]]

    def __init__(
        self, a: Sequence[T], b: Sequence[T], budget: Budget, *, autojunk: bool = True
    ) -> None:
        self._budget = budget
        self._costs: list[int] | None = None
        super().__init__(None, a, b, autojunk)

    def set_seq1(self, a: Sequence[T]) -> None:
        self._costs = None
        super().set_seq1(a)

    def set_seq2(self, b: Sequence[T]) -> None:
        self._costs = None
        super().set_seq2(b)

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        if self._costs is None:
            each = (1 + len(self.b2j.get(item, ())) for item in self.a)
            self._costs = [0, *accumulate(each)]
        end = len(self.a) if ahi is None else ahi
        if not self._budget.spend(self._costs[end] - self._costs[alo]):
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)


def close(
    word: str, words: Iterable[str], most: int, cutoff: float, steps: int = STEPS
) -> list[str]:
    """Those of the words that are most like this one, the best first, as far as the steps reach."""
    budget = Budget(steps)
    matcher = Bounded("", word, budget, autojunk=False)
    found: list[tuple[float, str]] = []
    for each in words:
        matcher.set_seq1(each)
        if not budget.spend(len(each)):
            break
        if matcher.real_quick_ratio() >= cutoff and matcher.quick_ratio() >= cutoff:
            ratio = matcher.ratio()
            if ratio >= cutoff:
                found.append((ratio, each))
    found.sort(key=lambda one: one[0], reverse=True)
    return [each for _, each in found[:most]]
