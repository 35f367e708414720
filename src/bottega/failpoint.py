"""Named points at which a test may end the process or make a step fail, as a crash or a full disk would.

Armed only by `BOTTEGA_FAILPOINTS` or `arm`: `log.before_commit=kill@3` kills the process with -9 the third time
that point is reached; `=stop` puts it to sleep there, `=error` raises. Unarmed, a point costs one dictionary look-up.
"""

import os
import signal
import threading
from typing import NamedTuple


class Injected(OSError):
    """The failure that a test asked for."""


class _Trap(NamedTuple):
    action: str
    at: int


def _read(text: str) -> dict[str, _Trap]:
    traps: dict[str, _Trap] = {}
    for entry in filter(None, text.split(",")):
        name, _, rest = entry.partition("=")
        action, _, count = rest.partition("@")
        traps[name.strip()] = _Trap(action or "kill", int(count or 1))
    return traps


_traps = _read(os.environ.get("BOTTEGA_FAILPOINTS", ""))
_reached: dict[str, int] = {}


def arm(text: str) -> None:
    """Set the traps anew, in the form of the environment variable; for tests that fork."""
    _traps.clear()
    _reached.clear()
    _traps.update(_read(text))


def failpoint(name: str) -> None:
    """Do nothing, unless a test armed this point."""
    if not _traps or name not in _traps:
        return
    trap = _traps[name]
    _reached[name] = _reached.get(name, 0) + 1
    if _reached[name] != trap.at:
        return
    if trap.action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if trap.action == "stop":
        # To this thread: another one would let it run on a little.
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
        return
    raise Injected(28, f"injected failure at {name}")
