"""Stalls where a busy machine stalls: in loops, between threads, in pools. `BOTTEGA_STALLS=SEED make test` has them.

A test that holds only as long as nothing is ever late shows it here, on a quiet machine, before it does on a busy one.
"""

import asyncio
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import thread
from typing import Any

OFTEN, LONGEST = 0.08, 0.012
"""Of what threads tell each other and of what pools do: how much of it is late, and by how many seconds at most."""
NOW_AND_THEN = 0.02
"""How many turns of a loop are late."""


def install() -> None:
    if not (seed := os.environ.get("BOTTEGA_STALLS")):
        return
    # The processes of one run stall at different moments.
    dice = random.Random(f"{seed} {os.environ.get('PYTEST_XDIST_WORKER', '')}")
    loop: Any = asyncio.BaseEventLoop
    pool: Any = vars(thread)["_WorkItem"]
    for owner, name, share in (
        (loop, "_run_once", NOW_AND_THEN),
        (loop, "call_soon_threadsafe", OFTEN),
        (pool, "run", OFTEN),
    ):
        setattr(owner, name, _late(getattr(owner, name), dice, share))


def _late(does: Callable[..., Any], dice: random.Random, share: float) -> Callable[..., Any]:
    def done(*given: Any, **named: Any) -> Any:
        if dice.random() < share:
            time.sleep(dice.random() * LONGEST)
        return does(*given, **named)

    return done
