"""What a piece of work costs the processor, and nothing but that piece."""

import gc
import time
from collections.abc import Callable


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least of a few measures, in seconds of this process.

    Without the collector: what it walks is the heap that a whole suite left behind, not the work.
    """
    gc.disable()
    try:
        return min(_once(work) for _ in range(times))
    finally:
        gc.enable()


def _once(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
