"""Pairs of texts that a plain comparison takes very long for."""

import random


def interleaved(lines: int, kinds: int = 50) -> tuple[bytes, bytes]:
    """No two neighbours match: each look for the longest run takes off one line."""
    a = ["A", *(f"{i % kinds}" for i in range(lines))]
    b = ["B", *(x for i in range(lines // 2) for x in (f"{i % kinds}", f"j{i}"))]
    return "\n".join(a).encode(), "\n".join(b).encode()


def tossed(letters: int, count: int) -> list[str]:
    """Texts of two letters in any order: all alike at first sight, and long to compare."""
    dice = random.Random(letters)
    return ["".join(dice.choices("ab", k=letters)) for _ in range(count)]
