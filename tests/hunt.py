"""How long the hunts go: a share in `make test`, all of it in `make fuzz` and `make chaos`."""

import os

LONG = os.environ.get("BOTTEGA_HUNT") == "long"


def examples(short: int, long: int) -> int:
    return long if LONG else short
