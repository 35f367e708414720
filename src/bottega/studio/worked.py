"""A session's work on files, for whoever shows or undoes it: what it did, and where."""

import asyncio
import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import partial

import msgspec

from bottega.alike import Budget
from bottega.errors import NotFound, Problem
from bottega.events.codec import decode
from bottega.runtime import Runtime
from bottega.sessions.changes.undo import Now, now, revert
from bottega.sessions.changes.work import Work, work
from bottega.sessions.feed import Row
from bottega.sessions.session import SessionRow
from bottega.workspaces.changes.diff import Difference
from bottega.workspaces.confine import Linked, Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Fences, Holds
from bottega.workspaces.git.accepting import meant_by
from bottega.workspaces.git.proposed import danger, refuse_plant, refuse_repository


class Undone(msgspec.Struct, frozen=True):
    paths: tuple[str, ...]
    """Files that are as before the session now."""
    refused: dict[str, str]
    """Files that were left as they are, and why."""


class Worked:
    """The work of a session and its children, open for looking at files and for changing them."""

    def __init__(self, runtime: Runtime, rows: list[SessionRow], works: tuple[Work, ...]) -> None:
        """`rows` are the session, and its children after it."""
        self._runtime = runtime
        self._rows = rows
        self.row = rows[0]
        self.works = works

    @classmethod
    async def of(cls, runtime: Runtime, row: SessionRow) -> "Worked":
        runtime.folders.project_of(row)  # it is of the files there, which are nobody else's to see
        rows = [row, *runtime.sessions.beneath(row)]
        logs = [await runtime.log.facts(each.n) for each in rows]
        return cls(runtime, rows, await asyncio.to_thread(_folded, logs, row.imported))

    def root(self, closing: ExitStack) -> Root:
        """The session's folder, as it is now; `closing` closes it. Waits for the disk."""
        return closing.enter_context(self._runtime.folders.open(self.row))

    def fence(self, root: Root) -> Holds:
        """A person's: it belongs to no session, and waits for those that write, wherever in the folder they work."""
        paths = (os.path.join(root.path, each.path) for each in self.works)
        return Fences(self._runtime.database.home.workspace, root.path, *paths)

    def read(self, name: str) -> bytes:
        """A blob of this session, or of the child that has it."""
        read = self._runtime.attachments.read
        for row in self._rows[1:]:
            with suppress(NotFound):
                return read(row.n, name)
        return read(self.row.n, name)

    def beneath(self, name: str) -> list[Work]:
        """Its work on that file, or on those in that folder."""
        name = name.rstrip("/")
        return [
            each
            for each in self.works
            if name in (".", each.path) or each.path.startswith(f"{name}/")
        ]

    def states(self) -> dict[str, Now]:
        """For each file, whether it is as the session left it. Waits for the disk."""
        with ExitStack() as closing:
            try:
                root = self.root(closing)
            except (NotFound, Linked):
                return dict.fromkeys((each.path for each in self.works), "unreachable")
            return {each.path: now(root, each) for each in self.works}

    def undo(self, works: Iterable[Work], *, force: bool = False) -> Undone:
        """Bring these files back to what they were before the session, one by one. Waits for the disk."""
        with ExitStack() as closing:
            root = self.root(closing)
            changed = [each for each in works if now(root, each) != "undone"]
            return self.revert(root, changed, force=force)

    def revert(self, root: Root, works: Sequence[Work], *, force: bool = False) -> Undone:
        """Bring each of these files back by a person's will, unless something is against it. Waits for the disk."""
        undone: list[str] = []
        refused: dict[str, str] = {}
        fence = self.fence(root)
        written = [each.path for each in works if each.before]
        is_harmless = not written or not danger(root, written)
        for each in works:
            try:
                if each.before and not is_harmless:
                    refuse_plant(root, each.path)
                self._revert(root, each, fence, force=force)
                undone.append(each.path)
            except Problem as problem:
                refused[each.path] = str(problem)
        return Undone(tuple(undone), refused)

    def _revert(self, root: Root, work: Work, fence: Holds, *, force: bool) -> None:
        before = self.read(work.before) if work.before and not work.imported else None
        meant = meant_by(Change((Edit(work.path, None, before),)))
        check = partial(refuse_repository, root, (work.path,)) if work.before else None
        with self._runtime.sandboxes.accepting(root, (work.path,), meant):
            revert(root, work, self.read, fence, check, force=force)

    def difference(self, work: Work) -> Difference:
        return Difference(
            work.path,
            self.read(work.before) if work.before else None,
            self.read(work.after) if work.after else None,
        )

    async def diff(self, work: Work) -> str:
        """What was done to the file, in the form that `git apply` takes."""
        lines = await asyncio.to_thread(lambda: list(self.difference(work).lines()))
        return b"".join(lines).decode("utf-8", "replace")

    def counted(self, work: Work, budget: Budget | None = None) -> tuple[int, int] | None:
        """Lines added and removed; None where there are none to count."""
        try:
            difference = self.difference(work)
        except Problem:
            return None
        return None if difference.is_binary else difference.counts(budget)


def _folded(logs: list[list[Row]], imported: int) -> tuple[Work, ...]:
    """The first log is that of the session itself, of which the part up to `imported` came from a file."""
    first, *others = ([decode(index, body) for index, body in rows] for rows in logs)
    theirs = [event for event in first if event.index <= imported]
    return work(first[len(theirs) :], *others, imported=theirs)
