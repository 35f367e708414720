"""A session's work on files, for whoever shows or undoes it in a terminal: which session is meant, and a row of it."""

from pathlib import Path

from bottega.cli.screen.clean import one_line
from bottega.cli.screen.tools import Part
from bottega.errors import NotFound
from bottega.runtime import Runtime
from bottega.sessions.changes.work import Work
from bottega.sessions.session import SessionRow

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
