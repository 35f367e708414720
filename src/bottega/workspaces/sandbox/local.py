"""Sandboxes of this machine: bubblewrap where it is, else Landlock, else nothing unless a setting says so.

Only bubblewrap is trusted with what nobody is asked about, and only once its self-test has passed here.
"""

import asyncio
import hashlib
import logging
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from functools import cached_property, partial
from pathlib import Path

from bottega.errors import Misconfigured, Refused
from bottega.workspaces import own_code
from bottega.workspaces.confine import Root
from bottega.workspaces.fit import refuse_unfit
from bottega.workspaces.git import outside, recovery
from bottega.workspaces.git.accepting import Meant, accepting
from bottega.workspaces.git.guard import HINT, Guard
from bottega.workspaces.git.undoing.threads import in_thread
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.opened import Begin, Opened, told
from bottega.workspaces.sandbox.places import Places
from bottega.workspaces.sandbox.sandbox import Egress, Kind
from bottega.workspaces.sandbox.selftest import SelfTest
from bottega.workspaces.sandbox.shields import leftovers
from bottega.workspaces.sandbox.walls import bubblewrap, cgroup, landlock, plain, seccomp, view
from bottega.workspaces.sandbox.walls.view import User
from bottega.workspaces.sandbox.warden import begun

_log = logging.getLogger(__name__)
INSTALL = "Install bubblewrap (on Debian: apt-get install bubblewrap)."


class Local:
    """Implements `Sandboxes`."""

    def __init__(  # noqa: PLR0913 - each is a word of its own
        self,
        state: Path,
        *,
        bounds: Bounds | None = None,
        readable: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        closed: Iterable[str] = (),
        shows_workspace: bool = True,
        egress: Egress | None = None,
        unsandboxed: bool = False,
        best: Kind = "bubblewrap",
        places: Places | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`state` is a folder in the home, for what is remembered; `hidden` what no program may see, such as the home.

        `readable` are folders that programs may read besides, without what lies in a `closed` one. Without
        `shows_workspace` the workspace itself is empty inside. `unsandboxed` lets commands run where there is no
        sandbox at all. `best` leaves out every kind that is better. `places` are those that each person has.
        `environment` is the process's own, which may say where git's settings are.
        """
        self.bounds = bounds or Bounds()
        self._state = state
        outside.learn(environment or {})
        self._readable = [os.path.realpath(path) for path in readable]
        self._hidden = [os.path.realpath(path) for path in hidden]
        self._closed = sorted({os.path.realpath(path) for path in closed})
        self._shows_workspace = shows_workspace
        self._egress = egress
        self._unsandboxed = unsandboxed
        self._best: Kind = best
        self._test: SelfTest | None = None
        self._places = places or Places(state / "places")

    def change(self, readable: Sequence[Path], *, unsandboxed: bool) -> None:
        """What holds for sandboxes that are opened from now on."""
        self._readable = [os.path.realpath(path) for path in readable]
        self._unsandboxed = unsandboxed

    @property
    def runs_bare(self) -> bool:
        """Whether commands run even where there is no sandbox."""
        return self._unsandboxed

    @cached_property
    def bubblewrap(self) -> bubblewrap.Bubblewrap | None:
        usable = self._best == "bubblewrap" and seccomp.knows(os.uname().machine)
        return bubblewrap.find() if usable else None

    @property
    def kind(self) -> Kind:
        return self._kind

    @cached_property
    def _kind(self) -> Kind:
        if self.bubblewrap is not None:
            return "bubblewrap"
        if self._best == "none" or not seccomp.knows(os.uname().machine):
            return "none"
        return "landlock" if landlock.version() >= landlock.NEEDED else "none"

    def _found(self) -> Kind:
        """Looking for it starts programs."""
        return self.kind

    @cached_property
    def counts(self) -> bool:
        """Whether a sandbox's programs are counted together."""
        group = cgroup.make(self.bounds)
        if group is not None:
            group.remove()
        return group is not None

    @property
    def profile(self) -> str:
        whom = "as the folder's owner" if os.geteuid() == 0 else f"as user {os.geteuid()}"
        if self.kind == "none":
            return f"not sandboxed, {whom}, {self.bounds.described(together=self.counts)}"
        if self.kind == "landlock":
            held = f"Landlock {landlock.version()}, {whom}, no network, no unix sockets"
        else:
            assert self.bubblewrap is not None
            way = "network by proxy when granted" if self._egress else "no network"
            held = f"bubblewrap {self.bubblewrap.version}, {whom}, {way}, no unix sockets"
        more = f", also reads {', '.join(self._readable)}" if self._readable else ""
        return f"{held}, {self.bounds.described(together=self.counts)}{more}"

    async def trusted(self, folder: str = "") -> str:
        kind = await asyncio.to_thread(self._found)
        if kind == "none":
            return f"Allow mode is off: commands are not sandboxed here. {INSTALL}"
        if kind == "landlock":
            return f"Allow mode is off: Landlock alone does not hold enough. {INSTALL}"
        if self._test is None:
            assert self.bubblewrap is not None
            self._test = SelfTest(
                self._state,
                self.bubblewrap.version,
                lambda root: self._opened("bubblewrap", root, None),
            )
        leaks = await self._test.leaks()
        if leaks:
            return f"Allow mode is off: the sandbox leaks on this machine ({'; '.join(leaks)})."
        exposed = await asyncio.to_thread(_exposed, folder) if folder else ""
        return f"Allow mode is off in this folder. {exposed}" if exposed else ""

    async def recover(self, root: Root) -> tuple[str, ...]:
        """Undo what programs of a dead process left in a folder for git to run: a sentence for each."""
        return await in_thread(root.path, recovery.recover, self._state, root, self._reserve)

    async def recover_left(self, folder: str) -> tuple[str, ...]:
        return await in_thread(folder, recovery.recover_left, self._state, folder, self._reserve)

    async def recover_all(self, *, last: bool) -> int:
        """The same in every folder; only the `last` time is it forgotten how they were."""
        recover = partial(recovery.recover_all, self._state, last=last, reserve=self._reserve)
        return await asyncio.to_thread(recover)

    @property
    def _reserve(self) -> int:
        return self._places.allowance().reserve

    def accepting(
        self, root: Root, paths: Sequence[str], meant: Meant
    ) -> AbstractContextManager[None]:
        return accepting(self._state, root, paths, meant)

    async def open(self, root: Root, *, network: bool = False, person: int = 1) -> Opened:
        kind = await asyncio.to_thread(self._found)
        if sys.platform != "linux":
            raise Misconfigured("Commands run on Linux only.", hint="Use a virtual machine.")
        refuse_unfit(root.path, self._hidden)
        if kind == "none" and not self._unsandboxed:
            raise Misconfigured("Commands have no sandbox here, so none is run.", hint=INSTALL)
        if kind != "bubblewrap":
            await asyncio.to_thread(_refuse_own_code, root.path)
        if network and (self._egress is None or kind == "landlock"):
            raise Refused("There is no way into the network from this sandbox.", hint=_NO_WAY)
        egress = self._egress if network and kind == "bubblewrap" else None
        return await self._opened(kind, root, egress, person)

    async def _opened(
        self, kind: Kind, root: Root, egress: Egress | None, person: int = 0
    ) -> Opened:
        """Person 0 is nobody: the self-test, which counts to no one."""
        user = view.owner(root.fileno())
        async with AsyncExitStack() as stack:
            with told():
                if person:
                    place = await asyncio.to_thread(self._places.take, person)
                    stack.callback(place.leave)
                # It may begin anew, as long as it is open: in the same folder, whatever the caller does.
                own = stack.enter_context(root.clone())
                group = await self._group(person, stack)
                guard = await self._guard(own, stack)
                begin, environment = await self._prepared(kind, own, user, stack, group, guard)
            opened = Opened(kind, own.path, environment, begin, stack.pop_all(), egress, guard)
        try:
            await opened.living()
        except BaseException:
            await opened.close()
            raise
        return opened

    async def _guard(self, root: Root, stack: AsyncExitStack) -> Guard:
        """What undoes, in the end, whatever programs plant for git; it is ready before any of them starts."""

        reserve = self._reserve

        def ready() -> Guard:
            leftovers.sweep(self._state, root)
            guard = Guard(self._state, root, reserve)
            guard.open()
            if why := guard.unfinished:
                guard.close()
                raise Refused(why, hint=HINT)
            return guard

        guard = await in_thread(root.path, ready)
        stack.push_async_callback(_closed, root.path, guard)
        return guard

    async def _prepared(
        self,
        kind: Kind,
        root: Root,
        user: User,
        stack: AsyncExitStack,
        group: cgroup.Group | None,
        guard: Guard,
    ) -> tuple[Begin, dict[str, str]]:
        """How its warden is begun, and what programs find in their environment; `stack` gets what is to be undone."""
        if kind == "bubblewrap":
            return await self._by_bubblewrap(root, user, group, guard)
        return await self._plainly(kind, root, user, stack, group)

    async def _by_bubblewrap(
        self, root: Root, user: User, group: cgroup.Group | None, guard: Guard
    ) -> tuple[Begin, dict[str, str]]:
        assert self.bubblewrap is not None
        room = bubblewrap.Room(
            root=root,
            user=user,
            bounds=self.bounds,
            readable=self._readable,
            hidden=self._hidden,
            closed=self._closed,
            shows_workspace=self._shows_workspace,
        )
        make = bubblewrap.maker(self.bubblewrap, room, guard)
        return (lambda: begun(make, group, root.path)), view.environment()

    async def _plainly(
        self,
        kind: Kind,
        root: Root,
        user: User,
        stack: AsyncExitStack,
        group: cgroup.Group | None,
    ) -> tuple[Begin, dict[str, str]]:
        scratch = await asyncio.to_thread(plain.scratch, user)
        stack.push_async_callback(asyncio.to_thread, shutil.rmtree, scratch, ignore_errors=True)
        readable = (
            bubblewrap.open_folders(self._readable, self._closed) if kind == "landlock" else None
        )
        make = plain.maker(root, scratch, user, self.bounds, readable, self._shows_workspace)
        return (lambda: begun(make, group, root.path)), plain.environment(scratch)

    async def _group(self, person: int, stack: AsyncExitStack) -> cgroup.Group | None:
        """The sandbox's own control group, in that of its person."""
        allowance = self._places.allowance()
        home = hashlib.sha256(os.fsencode(self._state)).hexdigest()[:8]
        name = f"bottega-{home}-person-{person}"
        within = cgroup.Within(name, allowance.bytes, allowance.processes) if person else None
        group = await asyncio.to_thread(cgroup.make, self.bounds, within=within)
        if group is not None:
            stack.push_async_callback(asyncio.to_thread, group.remove)
        return group


def _exposed(folder: str) -> str:
    return own_code.exposed(os.path.realpath(folder))


def _refuse_own_code(folder: str) -> None:
    """Only bubblewrap can make a part of a workspace read-only."""
    for each in own_code.protected().paths:
        if own_code.is_beneath(each, folder) or own_code.is_beneath(folder, each):
            raise Refused(
                f"No command runs in {folder!r}: the program that is running ({each!r}) could be changed from there.",
                hint=f"Work in a folder that does not hold it. {INSTALL}",
            )


async def _closed(folder: str, guard: Guard) -> None:
    """The last look. Where it fails, the baseline stays, and whoever comes next looks again."""
    try:
        await in_thread(folder, guard.close)
    except Exception as problem:  # whatever a program has put there: what is open must be closed
        _log.warning("a folder could not be checked for planted repositories: %r", problem)


_NO_WAY = "Run it without network, or ask the person to run it."
