"""How much there may be in one answer, however many events it comes in."""

from collections.abc import Sized

MOST_PARTS = 10_000
"""Texts, thoughts, calls, pictures or sources of one answer: honest ones have hundreds."""


class TooMuch(ValueError):
    """An answer holds more than any provider means."""


def check_number(parts: Sized) -> None:
    """Before one more is added."""
    if len(parts) >= MOST_PARTS:
        raise TooMuch
