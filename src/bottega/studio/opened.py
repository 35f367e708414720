"""What sessions and answers need of an open studio: its parts, and its worker, if it has one."""

import asyncio
from contextlib import suppress
from typing import Literal, Protocol

import msgspec

from bottega.agents.limits import Window
from bottega.approvals.mode import Mode
from bottega.errors import NotFound, Problem
from bottega.messages.block import Media
from bottega.projects.folders import place_of
from bottega.projects.projects import Project
from bottega.runtime import Runtime
from bottega.sessions import attach
from bottega.sessions.inbox import AT_HOME, Admission, Place, Prompt, Speaker
from bottega.sessions.lease import Contender
from bottega.sessions.session import SessionRow
from bottega.settings import Values
from bottega.storage.disk import MIB
from bottega.studio.revoking import Revoking
from bottega.studio.tidying import Tidying
from bottega.workers.acting.hands import Hands
from bottega.workers.crash.policy import OnCrash, always, for_server
from bottega.workers.slots import Slots
from bottega.workers.sweep import Sweep
from bottega.workers.worker import Worker


class Stopping(Problem):
    """This process ends, and takes nothing new."""

    code = "stopping"


class Elsewhere(Protocol):
    """Processes that run what is admitted here, and hold what is held for it."""

    async def free(self, row: SessionRow) -> None: ...

    async def compact(self, row: SessionRow) -> bool | None: ...


class Opened:
    def __init__(
        self, runtime: Runtime, on_crash: OnCrash | None, place: Place, *, runs: bool = True
    ) -> None:
        """`on_crash` None: as the settings say."""
        self.runtime = runtime
        self.runs = runs
        """Whether this process runs what it admits; else workers of their own do."""
        values = runtime.settings.values
        self._decide = (
            always(on_crash) if on_crash else for_server(values.on_crash, runtime.database)
        )
        self._place: Place = place
        self._worker: Worker | None = None
        self._sweep: Sweep | None = None
        self._tidying: asyncio.Task[None] | None = None
        self._stops = False
        self.elsewhere: Elsewhere | None = None
        """Those who do what this process does not, where it has such."""
        self.hands = Hands(runtime.log, runtime.sandboxes, keeping=runtime.per_person.keeping)
        self.revoking = Revoking(runtime.database)
        self.revoking.ends.append(self._end_besides)
        self.revoking.start()
        self._act_by(runtime.settings.values)
        runtime.on_change = self._act_by

    def _act_by(self, values: Values) -> None:
        usd = round(values.window_usd * 1_000_000) or None
        window = Window(values.window_hours, values.window_tokens or None, usd)
        self.hands.act_by(values.rules, values.mode, values.patience, window, values.compact_at)
        self.hands.tasks_at_once = values.concurrency
        self.hands.output_room = values.session_output_mb * MIB

    @property
    def worker(self) -> Worker:
        """The worker of this process; born when first needed, so that a mere reader is none."""
        if self._worker is None:
            parts = self.runtime
            self._worker = Worker(
                parts.log,
                parts.attachments,
                parts.plan,
                self.hands,
                on_crash=self._decide,
                place=self._place,
            )
        return self._worker

    def sweep(self) -> None:
        """From now on, run whatever waits for a server's worker in this home, as much as there is room for."""
        slots = Slots(self.runtime.settings.values.concurrency, self.runtime.per_person.is_shared)
        self._sweep = Sweep(self.worker, self.runtime.database, slots)
        self._sweep.start()
        sweep = self._sweep
        tidying = Tidying(self.runtime.database, lambda: sweep.ran, self._tidy)
        self._tidying = asyncio.create_task(tidying.run())

    async def _tidy(self, n: int) -> None:
        with suppress(NotFound):  # deleted meanwhile
            row = self.runtime.sessions.numbered(n)
            if not self.runtime.inbox.open(row):
                await self.free(row)

    async def _end_besides(self, projects: set[int]) -> None:
        """End runs, shells and MCP servers of every project but these: the others were removed."""
        if self._worker:
            self._worker.revoke_besides(projects)
        for shell in self.hands.shells.every():
            if not self._works_in(shell.owner, projects):
                await self.hands.shells.close(shell.folder, shell.person, shell.shell.id)
        await self.runtime.close_servers_besides(projects)

    def _works_in(self, session_id: str, projects: set[int]) -> bool:
        try:
            return self.runtime.sessions.get(session_id).project in projects
        except NotFound:
            return False

    async def remove(self, project: Project) -> None:
        """Take a project from its owner. What runs there is ended by whoever runs it, what waits is ended here."""
        await self.runtime.folders.projects.remove(project)
        for row in self.runtime.sessions.under_way_in(project.n):
            for message_id in self.runtime.inbox.open(row):
                if not await self.runtime.inbox.cancel(row, message_id) and row.status == "waiting":
                    await self.runtime.inbox.interrupt(row, message_id)
                    if task := self.attend(row):
                        await asyncio.wait({task})

    def stop_admitting(self) -> None:
        self._stops = True

    async def leave(self) -> None:
        """Take nothing more, give what runs a moment to finish, and leave the rest to whoever comes next."""
        self.stop_admitting()
        if self._sweep:
            await self._sweep.stop()
        if self._worker:
            await self._worker.leave(self.runtime.settings.values.grace)

    def _contender(self, person: int) -> Contender | None:
        """Who takes what is admitted here at once; nobody, where others run it or the person's slots are taken."""
        if not self.runs or (self._sweep and not self._sweep.has_room(person)):
            return None
        return self.worker.contender

    async def admit(
        self,
        row: SessionRow,
        prompt: Prompt,
        mode: Mode | Literal[""] = "",
        speaker: Speaker = AT_HOME,
    ) -> tuple[Admission, asyncio.Task[None] | None]:
        """Store the prompt, and have it run here if this process may; the task that runs it."""
        self.runtime.folders.project_of(row)
        if self._stops:
            raise Stopping(
                "Bottega is about to end, and takes no more prompts.", hint="Try again in a moment."
            )
        if speaker.id:
            await self.runtime.per_person.admit(row.owner, prompt.content, prompt.schema)
        if any(isinstance(block, Media) for block in prompt.content):
            content, names = await asyncio.to_thread(
                attach.keep, prompt.content, self.runtime.attachments.store(row.owner)
            )
            prompt = msgspec.structs.replace(prompt, content=content)
        else:
            names = ()
        admission = await self.runtime.inbox.admit(
            row,
            prompt,
            by=self._place,
            contender=self._contender(row.owner),
            media=tuple(names),
            mode=mode,
            speaker=speaker,
        )
        lease = admission.lease
        self.wait_for(prompt.message_id)
        return admission, self.worker.attend(row, lease) if lease else None

    def wait_for(self, message_id: str) -> None:
        """Somebody in this process waits for that exchange: it ends with this process, if it runs here."""
        if self.runs:
            self.worker.said.add(message_id)

    def attend(self, row: SessionRow) -> asyncio.Task[None] | None:
        """Something in this session may go on: have it done here, if this process runs anything and has a slot for it.

        Where all slots are taken, it is taken up in its turn, like whatever waits.
        """
        crowded = self._sweep and not self._sweep.has_room(row.owner)
        if not self.runs or self._stops or (crowded and not self.worker.at_work(row.n)):
            return None
        return self.worker.attend(row)

    async def cancel(self, row: SessionRow, message_id: str) -> bool:
        """Stop that exchange, or take the prompt back if it still waits; False if it is over."""
        inbox = self.runtime.inbox
        # In this order: one that begins to run between the two is found running.
        if await inbox.cancel(row, message_id):
            return True
        if not await inbox.interrupt(row, message_id):
            return False
        if (
            self.runs and not self._stops
        ):  # where it only waited for an answer, nobody else would close it
            self.worker.attend(row)
        return True

    async def close_session(self, row: SessionRow) -> None:
        """Stop what runs or waits in a session, and free what is held for it; all that was said stays stored."""
        for message_id in self.runtime.inbox.open(row):
            await self.cancel(row, message_id)
        await self.free(row)

    async def compact(self, row: SessionRow) -> bool | None:
        """Have a summary stand for what a session said, made by whoever runs it; see `Worker.compact`."""
        self.runtime.folders.project_of(row)
        return await (self.elsewhere or self.worker).compact(row)

    async def free(self, row: SessionRow) -> None:
        """Free what is held for a session, once nothing of it runs here.

        Servers of its folder are left where another session runs there.
        """
        if self.elsewhere:
            await self.elsewhere.free(row)
        if self._worker:
            await self._worker.forget(row.n)
        for shell in self.hands.shells.every():
            if shell.owner == row.id:
                await self.hands.shells.close(shell.folder, shell.person, shell.shell.id)
        if not (self._worker and self._worker.is_busy(row)):
            await self.runtime.close_servers(place_of(row))

    async def close(self) -> None:
        await self.revoking.stop()
        if self._tidying:
            self._tidying.cancel()
            await asyncio.wait({self._tidying})
        if self._sweep:
            await self._sweep.stop()
        if self._worker:
            await self._worker.close()
        await self.hands.close()
        await self.runtime.close()
