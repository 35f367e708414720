"""Around one command: how the workspace was before it, and what it has changed."""

import asyncio
import logging

import msgspec

from bottega.errors import Problem
from bottega.events import facts
from bottega.workers.acting.hands import Hands
from bottega.workspaces.changes.kept import Keeps
from bottega.workspaces.confine import Root
from bottega.workspaces.watch.manifest import Manifest
from bottega.workspaces.watch.watch import Watch

_log = logging.getLogger(__name__)


_UNKNOWN = "Which files this changed is not known, and it cannot be undone here."


class Changed(msgspec.Struct, frozen=True):
    writes: tuple[facts.FileChange, ...] = ()
    warning: str = ""
    """Why they are not known, if they are not."""


class Watching:
    def __init__(self, hands: Hands, root: Root, label: str) -> None:
        self._hands = hands
        self._root = root
        self._label = label
        self._watch: Watch | None = None
        self._before: Manifest | None = None

    async def begin(self) -> None:
        """Look at the workspace, and keep what a command could destroy; raises where that cannot be done."""
        self._watch, self._before = await asyncio.to_thread(self._look)

    def _look(self) -> tuple[Watch, Manifest]:
        watch = self._hands.watch(self._root)
        return watch, watch.look(self._label)

    async def end(self, store: Keeps) -> Changed:
        """What changed; what the command did to the workspace must not hide what it gave."""
        assert self._watch
        assert self._before
        try:
            noticed = await asyncio.to_thread(self._watch.noticed, self._before, store)
            await asyncio.to_thread(self._watch.forget, self._label)
        except Problem as problem:
            _log.warning("what a command changed could not be kept: %s", problem)
            return Changed(warning=f"{_UNKNOWN} {problem}")
        except Exception:
            _log.warning("what a command changed could not be told", exc_info=True)
            return Changed(warning=_UNKNOWN)
        return Changed(noticed.writes)
