"""What keeps a process that serves, or works for one that does, from making everybody wait at once."""

import gc
import sys


def settle() -> None:
    """Once all is loaded. The collector need not walk again and again what stays anyway. And the writer's thread, which
    has to have its turn for each statement, waits for it half a millisecond rather than five.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    sys.setswitchinterval(0.0005)
