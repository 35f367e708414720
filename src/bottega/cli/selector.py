"""A selector for event loops that goes on where the kernel refuses another epoll watch.

The kernel counts epoll watches for each user, over all programs (`/proc/sys/fs/epoll/max_user_watches`): one of them,
in a sandbox or not, may take all that there are. What is refused then is polled beside the epoll instance, for which
nothing is counted: that is slower, and nobody is turned away.
"""

import errno
import selectors
from collections import ChainMap
from collections.abc import Mapping
from typing import Any


class SteadySelector(selectors.BaseSelector):
    """Epoll, and `poll` for what it has no room for."""

    def __init__(self) -> None:
        self._epoll = selectors.EpollSelector()
        self._beside = selectors.PollSelector()
        self._own = self._beside.register(self._epoll.fileno(), selectors.EVENT_READ)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if _holds(self._beside, fileobj):
            raise KeyError(f"{fileobj!r} is already registered")
        try:
            return self._epoll.register(fileobj, events, data)
        except OSError as problem:
            if problem.errno != errno.ENOSPC:
                raise
        return self._beside.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._of(fileobj).unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._of(fileobj).modify(fileobj, events, data)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if len(self._beside.get_map()) == 1:
            return self._epoll.select(timeout)
        ready = self._beside.select(timeout)
        found = [each for each in ready if each[0] is not self._own]
        return found if len(found) == len(ready) else found + self._epoll.select(0)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return ChainMap(self._epoll.get_map(), self._beside.get_map())  # type: ignore[arg-type]

    def close(self) -> None:
        self._epoll.close()
        self._beside.close()

    def _of(self, fileobj: Any) -> selectors.BaseSelector:
        return self._beside if _holds(self._beside, fileobj) else self._epoll


def _holds(selector: selectors.BaseSelector, fileobj: Any) -> bool:
    try:
        return fileobj in selector.get_map()
    except ValueError:  # it has been closed
        return False


def make() -> selectors.BaseSelector:
    """The best one for this system."""
    return SteadySelector() if hasattr(selectors, "EpollSelector") else selectors.DefaultSelector()
