"""Terminals of people: shells that a person opens in a project, and those that agents of the person's sessions hold.

A shell is its opener's alone; an agent's is for the person whose session it is. It runs in the agents' sandbox, has
nothing of the server's environment, and ends with the server. What it printed can be read again from any offset that
is still kept, so a client may come and go.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial

import msgspec

from bottega.errors import NotFound, Refused
from bottega.projects.projects import Project
from bottega.server.shells.elsewhere import in_workers
from bottega.server.shells.shell import AnyShell, Here, ServedShell
from bottega.server.staff.asking import Asking
from bottega.studio import Studio
from bottega.workspaces.outputs.drain import unbroken
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.sandbox import Size
from bottega.workspaces.shells.shells import BUFFER, Limits, Shells

MOST = 100
"""Shells that one person may have open."""
REMEMBERED = 5
"""Ended shells of one person whose last words can still be read."""
LIMITS = Limits(idle=8 * 60 * 60, age=float("inf"), most=MOST)
"""A person's editor may wait for hours; what nobody has used or heard for a working day is forgotten."""
Known = Callable[[int, Callable[[], None]], AbstractContextManager[None]]
"""While what it gives lasts, calls the function once the person of that number is no more."""
_COMMAND = (
    "if command -v bash >/dev/null 2>&1; then PS1='\\w\\$ ' exec bash --norc --noprofile -i; fi;"
    " PS1='$ ' exec sh -i"
)


class _Own(msgspec.Struct, frozen=True, eq=False):
    person: int
    project: Project
    shell: ServedShell
    holding: ExitStack
    """Keeps what it printed."""


class ServedShells:
    def __init__(
        self,
        studio: Studio,
        workers: Callable[[], Sequence[Asking]] = lambda: (),
        known: Known = lambda person, gone: nullcontext(),
    ) -> None:
        """`workers` are those whose agents have shells besides this process's own, as they are now."""
        runtime = studio.runtime
        self._workers = workers
        self._known = known
        self._closing: set[asyncio.Task[None]] = set()
        self._sessions = runtime.sessions
        self._folders = runtime.folders
        self._agents = studio.opened.hands.shells
        outputs = Outputs(runtime.database.home.outputs / "terminals", head=0, tail=BUFFER)
        self._shells = Shells(runtime.sandboxes, outputs, limits=LIMITS, announces=True)
        self._own: dict[str, _Own] = {}
        self._opening: Counter[int] = Counter()

    async def open(
        self,
        person: int,
        project: Project,
        container: str = "",
        *,
        columns: int = 80,
        rows: int = 24,
        network: bool = False,
    ) -> ServedShell:
        """A new one, in the project or in one of its folders; refused where the person has too many."""
        self._forget_ended(person)
        if len(self._open(person)) + self._opening[person] >= MOST:
            raise Refused(f"You have {MOST} open shells already.", hint="Close one of them.")
        self._opening[person] += 1
        try:
            inside = await asyncio.to_thread(self._folders.container, project, container)
            with await asyncio.to_thread(self._folders.open_project, project) as root:
                opened = await self._shells.open(
                    root,
                    str(person),
                    _COMMAND,
                    size=Size(rows, columns),
                    network=network,
                    inside=inside or ".",
                    person=person,
                )
        finally:
            self._opening[person] -= 1
        shell = ServedShell(Here(opened, self._shells), inside, "")
        holding = ExitStack()
        holding.enter_context(opened.shell.kept())
        holding.enter_context(self._known(person, partial(self._close_soon, shell)))
        self._own[shell.id] = _Own(person, project, shell, holding)
        try:
            self._folders.projects.owned(project.id, person)
        except NotFound:  # it was removed while the shell was opened
            await self.close(shell)
            raise
        return shell

    async def list(self, person: int, project: Project) -> "list[ServedShell]":
        """The person's own, ended ones too, then those of agents in the person's sessions; oldest first."""
        own = [
            each.shell
            for each in self._own.values()
            if each.person == person and each.project.id == project.id
        ]
        return [*own, *await self._of_agents(person, project)]

    async def get(self, person: int, project: Project, shell_id: str) -> ServedShell:
        """The shell of that id, if it is this person's and of this project; another's is not found."""
        own = self._own.get(shell_id)
        if own and own.person == person and own.project.id == project.id:
            return own.shell
        for shell in await self._of_agents(person, project):
            if shell.id == shell_id:
                return shell
        raise NotFound(
            f"There is no shell {shell_id!r} here.",
            hint="GET /api/projects/{project_id}/shells lists them.",
        )

    async def close(self, shell: ServedShell) -> None:
        """End it with all that runs in it, and forget what it printed."""
        if own := self._own.pop(shell.id, None):
            own.holding.close()
        await shell.terminal.close()

    async def close_besides(self, projects: set[int]) -> None:
        """End the shells of every project but those of these numbers: it was removed."""
        for own in list(self._own.values()):
            if own.project.n not in projects:
                await self.close(own.shell)

    def _close_soon(self, shell: ServedShell) -> None:
        """Its person is nobody here any more."""
        task = asyncio.create_task(self.close(shell))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close_all(self) -> None:
        """At the end of the server. Agents' own end with their workers."""
        for own in self._own.values():
            own.holding.close()
        self._own.clear()
        await unbroken(self._shells.close_all())

    def _open(self, person: int) -> "list[_Own]":
        return [
            each for each in self._own.values() if each.person == person and not each.shell.ended
        ]

    def _forget_ended(self, person: int) -> None:
        ended = [
            name for name, each in self._own.items() if each.person == person and each.shell.ended
        ]
        for name in ended[: max(0, len(ended) - REMEMBERED)]:
            self._own.pop(name).holding.close()

    async def _of_agents(self, person: int, project: Project) -> "list[ServedShell]":
        here: list[AnyShell] = [Here(each, self._agents) for each in self._agents.every()]
        found: list[ServedShell] = []
        for shell in (*here, *await in_workers(self._workers())):
            inside = _inside(project, shell.root)
            if inside.split("/")[0] == "..":
                continue
            try:
                self._sessions.owned(shell.owner, person)
            except NotFound:
                continue
            found.append(ServedShell(shell, inside, shell.owner))
        return found


def _inside(project: Project, folder: str) -> str:
    """A folder as seen from the project; empty: it is the project's own."""
    found = os.path.relpath(folder, project.folder)
    return "" if found == "." else found
