"""What all runs of one studio share to act with: asks, rules, locks, shells, sandboxes, and a workspace's state."""

import os
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

from bottega.agents.limits import Window
from bottega.approvals.mode import MODES, Mode, checked_mode
from bottega.approvals.rule import Rule
from bottega.errors import NotFound, TooMany
from bottega.events import facts
from bottega.events.codec import decode
from bottega.fairness import Share
from bottega.projects.folders import Folders
from bottega.sessions.asks import Asks
from bottega.sessions.bounds.keeping import Keeping
from bottega.sessions.feed import Row
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.tools.cache import Cache
from bottega.workers.acting.asking import PATIENCE
from bottega.workers.acting.known import Known
from bottega.workers.acting.under_way import CallsUnderWay
from bottega.workers.told import FOLDED, Told
from bottega.workspaces.confine import Root
from bottega.workspaces.fence import Fence
from bottega.workspaces.locks import Locks
from bottega.workspaces.outputs.outputs import ROOM, Outputs
from bottega.workspaces.outputs.source import Source
from bottega.workspaces.sandbox.sandbox import Sandboxes
from bottega.workspaces.shells.shells import BUFFER, Shells
from bottega.workspaces.watch.watch import Watch

NO_WINDOW = Window()
TASKS = 64
LOOKS = 16
_REMOTE = b'{"type":"remote_started"'
_TODOS = b'{"type":"todos_changed"'
_RESET = b'{"type":"session_reset"'


class Hands:
    def __init__(  # noqa: PLR0913 - each is a word of its own
        self,
        log: Log,
        sandboxes: Sandboxes,
        *,
        rules: Sequence[Rule] = (),
        mode: Mode = "ask",
        patience: float = PATIENCE,
        window: Window = NO_WINDOW,
        compact_at: int = 80,
        keeping: Keeping | None = None,
    ) -> None:
        self._keeping = keeping
        self.output_room = ROOM
        """Bytes of outputs that are kept for one session."""
        self.tasks_at_once = TASKS
        """Tasks of one person that may be handed on and not done yet."""
        self._tasks: Counter[int] = Counter()
        self.looking = Share(lambda: LOOKS)
        """Calls that look at files or pages, of one person: each may hold a thread for as long as a disk is slow."""
        self.calls_under_way = CallsUnderWay()
        self.asks = Asks(log)
        self.sandboxes = sandboxes
        self.act_by(rules, mode, patience, window, compact_at)
        self.log = log
        self._sessions = Sessions(log.database)
        self.folders = Folders(log.database)
        self._outputs = log.database.home.outputs
        self._shell_outputs = Outputs(self._outputs / "shells", head=0, tail=BUFFER)
        self.shells = Shells(sandboxes, self._shell_outputs)
        self.cache = Cache()
        self._locks = Locks()
        self._watches: dict[str, Watch] = {}

    def act_by(
        self,
        rules: Sequence[Rule],
        mode: Mode,
        patience: float,
        window: Window,
        compact_at: int,
    ) -> None:
        """What the user set, from now on."""
        self._rules = tuple(rules)
        self._mode: Mode = mode
        self.patience = patience
        self.window = window
        self.compact_at = compact_at
        """Percent of a model's window at which its session is compacted; 0: never."""

    def mode(self, session: SessionRow) -> Mode:
        """The mode that a step which begins now has."""
        row = self._sessions.get(session.id)
        while row.parent is not None:  # a child does what its parent may do
            row = self._sessions.numbered(row.parent)
        return checked_mode(row.mode) if row.mode in MODES else self._mode

    def rules(self, root: Root) -> tuple[Rule, ...]:
        """The user's rules; what Bottega itself keeps is nobody's to touch, even if it lies inside the workspace."""
        home = os.path.relpath(os.path.realpath(self.log.database.home.path), root.path)
        if home == ".." or home.startswith("../"):
            return self._rules
        own = "**" if home == "." else home
        kept = (own, f"{own}/**") if own != "**" else (own,)
        return (*self._rules, *(Rule(verdict="deny", path=each) for each in kept))

    @contextmanager
    def handing_on(self, person: int) -> Generator[None]:
        """While this lasts, a task of that person's is handed on; refused where too many are.

        It is refused, and does not wait: those that would have to end first may be waiting for this one.
        """
        if self._tasks[person] >= self.tasks_at_once:
            raise TooMany(
                f"{self.tasks_at_once} tasks are handed on already, which is the most at once.",
                hint="Do this part yourself, or hand it on once others are done.",
            )
        self._tasks[person] += 1
        try:
            yield
        finally:
            self._tasks[person] -= 1

    def locked(self, root: Root, writes: Sequence[str]) -> AbstractAsyncContextManager[None]:
        """Whoever writes these paths waits for each other, in all sessions of this process."""
        return self._locks.hold(root.path, writes=writes)

    def state(self, folder: str) -> Path:
        """Where what is known of a workspace is kept; never in the workspace itself. Its path is only a name here."""
        return self.log.database.home.workspace(folder)

    def fence(self, session: SessionRow, generation: int) -> Fence:
        return Fence(self.state(self.folders.path_of(session)), session.id, generation)

    def watch(self, root: Root) -> Watch:
        """Who notices what commands change in this workspace; another one where another folder has its path."""
        watch = self._watches.get(root.path)
        if watch is None or watch.identity != root.identity:
            watch = self._watches[root.path] = Watch(root.clone(), self.state(root.path))
        return watch

    def admit(self, person: int, size: int) -> None:
        """Before so much is stored for a person; raises where it would be too much. Waits for the disk."""
        if self._keeping:
            self._keeping.admit(person, size)

    def outputs(self, session: SessionRow) -> Outputs:
        """What commands of this session printed; results that were cut and shells of its folder are found there too."""

        def elsewhere(name: str) -> Source | None:
            with suppress(NotFound):
                self.shells.get(self.folders.path_of(session), session.owner, name)
                return self._shell_outputs.find(name)
            blob = self._blob_of(session.n, name)
            return Source(self.log.database.home.blobs / blob) if blob else None

        extend = partial(self._keeping.extend, session.owner) if self._keeping else None
        return Outputs(
            self._outputs / session.id,
            elsewhere=elsewhere,
            room=self.output_room,
            extend=extend,
        )

    def _blob_of(self, n: int, tool_id: str) -> str:
        """The blob that keeps the whole result of a call; empty: there is none.

        A log may come from elsewhere and name what it likes: only what the session has is a blob of its own.
        """
        for index, body in self._facts(n, b'{"type":"tool_result"', newest_first=True):
            result = decode(index, body).data
            if isinstance(result, facts.ToolResultFact) and result.tool_id == tool_id:
                return result.blob if self._has(n, result.blob) else ""
        return ""

    def _has(self, n: int, blob: str) -> bool:
        found = self.log.database.read_now(
            lambda c: c.execute(
                "SELECT 1 FROM attachments WHERE session = ? AND blob = ?", (n, blob)
            ).fetchone()
        )
        return found is not None

    async def close(self) -> None:
        await self.shells.close_all()
        while self._watches:
            self._watches.popitem()[1].close()

    def remembered(self, n: int) -> tuple[Known, Told]:
        """What the session knows of files, and what its model was told beside the user's words, from its log.

        What was imported tells of other files, and was told by others: here its model is told anew.
        """
        known, told = Known(), Told()
        imported = self._imported(n)
        for index, body in self._facts(n, b'{"type":"tool_', _REMOTE, *FOLDED):
            event = decode(index, body)
            if index > imported:
                known.note(event)
                told.note(event)
            elif isinstance(event.data, facts.TodosChanged | facts.SessionReset):
                told.note(event)
        return known, told

    def _imported(self, n: int) -> int:
        row = self.log.database.read_now(
            lambda c: c.execute("SELECT imported FROM sessions WHERE n = ?", (n,)).fetchone()
        )
        return row[0] if row else 0

    def todos(self, n: int) -> tuple[facts.TodoItem, ...]:
        """The to-do list as it stands."""
        for index, body in self._facts(n, _TODOS, _RESET, newest_first=True):
            last = decode(index, body).data
            return last.todos if isinstance(last, facts.TodosChanged) else ()
        return ()

    def newest(self, n: int, begin: bytes, most: int = 1) -> list[Row]:
        """The last facts of a session whose bytes begin so, newest first."""
        return self.log.database.read_now(
            lambda c: c.execute(
                "SELECT idx, body FROM events WHERE session = ?1 AND kind = 0"
                " AND substr(body, 1, length(?2)) = ?2 ORDER BY idx DESC LIMIT ?3",
                (n, begin, most),
            ).fetchall()
        )

    def _facts(self, n: int, *begins: bytes, newest_first: bool = False) -> Iterator[Row]:
        """The session's facts whose bytes begin in one of these ways."""
        either = " OR ".join(["substr(body, 1, ?) = ?"] * len(begins))
        wanted = [word for begin in begins for word in (len(begin), begin)]
        rows = self.log.database.read_now(
            lambda c: c.execute(
                "SELECT idx, body FROM events WHERE session = ? AND kind = 0"  # noqa: S608
                f" AND ({either}) ORDER BY idx",
                (n, *wanted),
            ).fetchall()
        )
        return iter(rows[::-1] if newest_first else rows)
