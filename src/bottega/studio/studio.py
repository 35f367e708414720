"""A studio: one open home, in which sessions are started and resumed."""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from bottega.agents.agent import Agent
from bottega.agents.shelf import Shelved
from bottega.agents.spec import Spec
from bottega.approvals.mode import Mode, checked_mode
from bottega.errors import BadUsage
from bottega.events.codec import build_decoders
from bottega.fairness import Threads
from bottega.projects.projects import Project
from bottega.runtime import Runtime
from bottega.sessions.asks import Ask
from bottega.sessions.care.retention import Trimmed, trim
from bottega.sessions.inbox import Place
from bottega.sessions.session import HOST, Also, SessionRow
from bottega.settings import Settings, load
from bottega.studio.opened import Opened
from bottega.studio.session import Session
from bottega.tools.tool import Tool
from bottega.workers.crash.policy import OnCrash
from bottega.workers.worker import Worker

DAY = 86_400_000
THREADS = 64
"""Of a server, for all that waits for a disk; the usual number, a few more than cores, is soon taken by one person."""
THREADS_EACH = 8
"""Of those, the ones that one person keeps busy at most."""


class Studio:
    """One open home, with a worker of its own. Use it as an async context manager."""

    def __init__(  # noqa: PLR0913 - each is a word of its own
        self,
        home: Path | str | None = None,
        *,
        settings: Settings | None = None,
        flags: Mapping[str, Any] | None = None,
        tools: Iterable[Tool] = (),
        agents: Iterable[Agent | Spec] = (),
        on_crash: OnCrash | None = "close",
        admits_as: Place = "python",
        runs: bool = True,
        attends: bool = False,
        on_undone: Callable[[str], None] | None = None,
    ) -> None:
        """`on_crash` None: as the settings say. `runs`: prompts of this process run in it; else workers run them.

        `attends`: besides, whatever a server admitted in this home, and what others left, runs here.
        `on_undone` is told what had to be undone of a dead process's doings in the folder.
        """
        self._settings = settings or load(flags, home=Path(home).absolute() if home else None)
        self._tools = tuple(tools)
        self._agents = tuple(agents)
        self._on_crash: OnCrash | None = on_crash
        self._place: Place = admits_as
        self._runs = runs
        self._on_undone = on_undone
        self._attends = attends
        self._opened: Opened | None = None
        self._chores: asyncio.Task[Trimmed] | None = None
        self._threads: Threads | None = None

    def waiting(self, person: int) -> int:
        """How much of what this person's requests need waits for a thread."""
        threads = self._threads.waiting(person) if self._threads else 0
        return threads + self.runtime.database.waiting(person)

    async def __aenter__(self) -> "Studio":
        serves = self._place == "server"
        if serves:  # several people wait for its threads; each holds a few at most
            self._threads = Threads(THREADS, THREADS_EACH, "bottega")
            asyncio.get_running_loop().set_default_executor(self._threads)

        def open_runtime() -> Runtime:
            build_decoders()
            return Runtime(self._settings, self._tools, self._agents, serves=serves)

        runtime = await asyncio.to_thread(open_runtime)
        self._opened = Opened(runtime, self._on_crash, self._place, runs=self._runs)
        if not serves:  # a server looks at all folders, once it runs
            await self._recover(runtime)
        if self._attends:
            self._opened.sweep()
        if days := self.settings.values.trim_after_days:
            self._chores = asyncio.create_task(trim(runtime.database, days * DAY))
        return self

    async def _recover(self, runtime: Runtime) -> None:
        """Undo what programs of a dead process planted for git in the folder that this is used in."""
        with suppress(OSError):  # the folder is gone
            folder = self._settings.folder or Path.cwd()
            for said in await runtime.sandboxes.recover_left(str(folder)):
                if self._on_undone:
                    self._on_undone(said)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop what runs here, store its end, and let go of the home."""
        if self._chores:
            self._chores.cancel()
            await asyncio.wait({self._chores})
        if self._opened:
            self._settings = self._opened.runtime.settings
            await self._opened.close()
            self._opened = None

    async def leave(self) -> None:
        """Before `close`, where what runs is to go on elsewhere: nothing is cancelled, all that is stored stays."""
        await self.opened.leave()

    @property
    def settings(self) -> Settings:
        """As they are now; before and after it is open, as they were then."""
        return self._opened.runtime.settings if self._opened else self._settings

    @property
    def opened(self) -> Opened:
        if self._opened is None:
            raise BadUsage(
                "This studio is not open.", hint="Use it as `async with Studio() as studio:`."
            )
        return self._opened

    @property
    def runtime(self) -> Runtime:
        return self.opened.runtime

    @property
    def worker(self) -> Worker:
        return self.opened.worker

    async def start(  # noqa: PLR0913 - each is a word of its own
        self,
        *,
        model: str = "",
        agent: str = "",
        folder: Path | str = ".",
        project: Project | None = None,
        container: str = "",
        title: str = "",
        mode: Mode | Literal[""] = "",
        owner: int = HOST,
        session_id: str = "",
        also: Also | None = None,
    ) -> Session:
        """Begin a session in a folder; refuse a model, an agent, a mode or a folder that cannot be used.

        It works in the container of the project, else in the folder: that is a project of its owner's, or lies in one.
        For whoever sits at this machine it becomes one.

        With a `session_id` that its owner has begun before, it is that one. `also` is stored with it, or neither is.
        """
        if project is None:
            project, container = await self.runtime.folders.place(existing_folder(folder), owner)
        self.runtime.refresh()
        who = self.runtime.agent(agent, owner)
        chosen = "" if who.remote and not model else self.runtime.choose(model, who).model
        if chosen:
            self.runtime.model(chosen)
        row = await self.runtime.sessions.create(
            model=chosen,
            agent=who.slug,
            folder=os.path.join(project.folder, container).rstrip("/"),
            project=project.n,
            container=container,
            title=title,
            mode=checked_mode(mode) if mode else "",
            owner=owner,
            also=also,
            session_id=session_id,
        )
        return Session(self.opened, row)

    async def resume(self, session_id: str) -> Session:
        """Go on with a session; what a dead process left unfinished in it is mended first."""
        row = (await self.take(session_id)).row
        if self._runs:
            await self.worker.mend(row)
        return Session(self.opened, self.runtime.sessions.get(row.id))

    async def take(self, session_id: str) -> Session:
        """A session as it is, for whoever sits at this machine: one that is in no project yet is given its place."""
        row = await self.runtime.folders.adopt(self.runtime.sessions.get(session_id))
        return Session(self.opened, row)

    def find(self, session_id: str) -> Session:
        """A session as it is: nothing in it is mended, and nothing runs until it is told to."""
        return Session(self.opened, self.runtime.sessions.get(session_id))

    def owned(self, session_id: str, owner: int) -> Session:
        """The session of exactly that id, if it is this person's; another's is not found."""
        return Session(self.opened, self.runtime.sessions.owned(session_id, owner))

    def asks(self) -> list[tuple[SessionRow, Ask]]:
        """All that waits for an answer, in every session, oldest first."""
        rows = self.runtime.sessions
        return [(rows.numbered(ask.session), ask) for ask in self.runtime.asks.open()]

    def agents(self) -> list[Shelved]:
        """Every agent that can be chosen, those that are broken too, with what is wrong with them."""
        return self.runtime.shelf.all()

    async def sessions(self, limit: int = 50) -> list[SessionRow]:
        return await self.runtime.sessions.list(limit)


def existing_folder(folder: Path | str) -> Path:
    where = Path(folder).expanduser().absolute()
    if not where.is_dir():
        raise BadUsage(f"{str(where)!r} is not a folder.", hint="Give an existing folder.")
    return where
