"""A session's work on files, for whoever shows or undoes it: which session is meant, what it did, and where."""

from contextlib import ExitStack, suppress
from pathlib import Path

from bottega.cli.screen.clean import one_line
from bottega.cli.screen.tools import Part
from bottega.errors import NotFound, Problem
from bottega.events.codec import decode
from bottega.runtime import Runtime
from bottega.sessions.changes.work import Work, work
from bottega.sessions.session import SessionRow
from bottega.studio import Studio
from bottega.workspaces.changes.diff import Difference
from bottega.workspaces.confine import Root
from bottega.workspaces.fence import Fence

LETTERS = {"added": ("A", "green"), "modified": ("M", "yellow"), "deleted": ("D", "red")}


def chosen(runtime: Runtime, session: str | None) -> SessionRow:
    """The session of that id; without one, the last that worked here."""
    if session:
        return runtime.sessions.get(session)
    here = Path.cwd()
    found = runtime.sessions.last_in({str(here), str(here.resolve())})
    if found is None:
        raise NotFound(
            f"No session has worked in {str(here)!r}.",
            hint="Name one; `bottega sessions` lists them.",
        )
    return found


class Worked:
    """The work of a session and its children, open for looking at files and for changing them."""

    def __init__(self, studio: Studio, rows: list[SessionRow], works: tuple[Work, ...]) -> None:
        """`rows` are the session, and its children after it."""
        self._runtime = studio.runtime
        self._rows = rows
        self.row = rows[0]
        self.works = works

    @classmethod
    async def of(cls, studio: Studio, row: SessionRow) -> "Worked":
        rows = [row, *studio.runtime.sessions.beneath(row)]
        logs = [
            [decode(index, body) for index, body in await studio.runtime.log.facts(each.n)]
            for each in rows
        ]
        return cls(studio, rows, work(*logs))

    def root(self, closing: ExitStack) -> Root:
        try:
            return closing.enter_context(Root(self.row.folder))
        except Problem as problem:
            raise NotFound(
                f"The folder {self.row.folder!r} of this session cannot be opened: {problem.message}",
                hint="Put it back, then run the same command again.",
            ) from None

    def fence(self, root: Root) -> Fence:
        """A person's: it belongs to no session, and waits for those that write."""
        return Fence(self._runtime.database.home.workspace(root.path))

    def read(self, name: str) -> bytes:
        """A blob of this session, or of the child that has it."""
        read = self._runtime.attachments.read
        for row in self._rows[1:]:
            with suppress(NotFound):
                return read(row.n, name)
        return read(self.row.n, name)

    def difference(self, work: Work) -> Difference:
        return Difference(
            work.path,
            self.read(work.before) if work.before else None,
            self.read(work.after) if work.after else None,
        )

    def counted(self, work: Work) -> tuple[int, int] | None:
        """Lines added and removed; None where there are none to count."""
        try:
            difference = self.difference(work)
        except Problem:
            return None
        return None if difference.is_binary else difference.counts()


def told(work: Work, counts: tuple[int, int] | None, note: str = "") -> list[Part | str]:
    """A row of a table."""
    added, removed = counts or (0, 0)
    return [
        LETTERS[work.kind],
        one_line(work.path),
        (f"+{added}" if added else "", "green"),
        (f"-{removed}" if removed else "", "red"),
        (note, "dim"),
    ]
