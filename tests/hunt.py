"""How long the hunts go: a share in `make test`, all of it in `make fuzz` and `make chaos`."""

import os

LONG = os.environ.get("BOTTEGA_HUNT") == "long"
SEED = int(os.environ.get("BOTTEGA_SEED", "20261115"))
"""What the dice begin with; the long hunts choose another one each time, and print it."""


def examples(short: int, long: int) -> int:
    return long if LONG else short
