"""What all runs of one studio share to act with: asks, rules, locks, sandboxes, and where a workspace's state is kept."""

import hashlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bottega.approvals.mode import MODES, Mode
from bottega.approvals.rule import Rule
from bottega.events import facts
from bottega.events.codec import decode
from bottega.sessions.asks import Asks
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.workers.acting.asking import PATIENCE
from bottega.workers.acting.known import Known
from bottega.workspaces.confine import Root
from bottega.workspaces.fence import Fence
from bottega.workspaces.locks import Locks
from bottega.workspaces.sandbox.sandbox import Sandboxes
from bottega.workspaces.watch.watch import Watch

_TODOS = b'{"type":"todos_changed"'


class Hands:
    def __init__(
        self,
        log: Log,
        sandboxes: Sandboxes,
        *,
        rules: Sequence[Rule] = (),
        mode: Mode = "ask",
        patience: float = PATIENCE,
    ) -> None:
        self.asks = Asks(log)
        self.sandboxes = sandboxes
        self.rules = tuple(rules)
        self.patience = patience
        self._log = log
        self._sessions = Sessions(log.database)
        self._mode: Mode = mode
        self._locks = Locks()
        self._watches: dict[str, Watch] = {}

    def mode(self, session: SessionRow) -> Mode:
        """The mode that a step which begins now has."""
        chosen = self._sessions.get(session.id).mode
        return chosen if chosen in MODES else self._mode

    def locked(self, root: Root, writes: Sequence[str]) -> AbstractAsyncContextManager[None]:
        """Whoever writes these paths waits for each other, in all sessions of this process."""
        return self._locks.hold(root.path, writes=writes)

    def state(self, folder: str) -> Path:
        """Where what is known of a workspace is kept; never in the workspace itself."""
        name = hashlib.sha256(str(Path(folder).resolve()).encode("utf-8", "surrogateescape"))
        path = self._log.database.home.path / "workspaces" / name.hexdigest()[:32]
        return path

    def fence(self, session: SessionRow, generation: int) -> Fence:
        return Fence(self.state(session.folder), session.id, generation)

    def watch(self, folder: str) -> Watch:
        """Who notices what commands change in this workspace."""
        watch = self._watches.get(folder)
        if watch is None:
            watch = self._watches[folder] = Watch(Root(folder), self.state(folder))
        return watch

    def unwatch(self, folder: str) -> None:
        """The folder is gone, or another one: look at it anew."""
        self._watches.pop(folder, None)

    def known(self, n: int) -> Known:
        """What the session knows of files, from its log."""
        known = Known()
        rows = self._log.database.read_now(
            lambda c: c.execute(
                "SELECT idx, body FROM events WHERE session = ? AND kind = 0"
                " AND substr(body, 1, 14) = ? ORDER BY idx",
                (n, b'{"type":"tool_'),
            ).fetchall()
        )
        for index, body in rows:
            known.note(decode(index, body))
        return known

    def todos(self, n: int) -> tuple[facts.TodoItem, ...]:
        row = self._log.database.read_now(
            lambda c: c.execute(
                "SELECT idx, body FROM events WHERE session = ? AND kind = 0"
                " AND substr(body, 1, ?) = ? ORDER BY idx DESC LIMIT 1",
                (n, len(_TODOS), _TODOS),
            ).fetchone()
        )
        if row is None:
            return ()
        changed = decode(*row).data
        return changed.todos if isinstance(changed, facts.TodosChanged) else ()
