"""`bottega revert`: files as they were before a session, unless somebody has edited them since."""

import os
import sys
from contextlib import ExitStack

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import count
from bottega.cli.screen.output import confirm, flush, note
from bottega.cli.screen.page import Page
from bottega.cli.worked import chosen, told
from bottega.errors import BadUsage, NotFound, Refused
from bottega.runtime import Runtime
from bottega.sessions.changes.undo import now, turned
from bottega.sessions.changes.work import Work
from bottega.sessions.session import SessionRow
from bottega.studio import Studio
from bottega.studio.worked import Worked
from bottega.workspaces.confine import Root


@click.command("revert")
@click.argument("words", nargs=-1, metavar="[SESSION] [PATH]...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--redo", is_flag=True, help="Make the changes again that were undone.")
def command(words: tuple[str, ...], yes: bool, redo: bool) -> int:
    """Undo what a session changed in its folder.

    Each file gets the content that it had before the session; with PATHs, only those files, or those beneath a folder.
    Without SESSION it is the last one that worked here. A file that was edited since is left as it is, and the exit
    code is 1.
    """
    return start.run(_revert(start.studio_of(), words, yes, redo))


async def _revert(studio: Studio, words: tuple[str, ...], yes: bool, redo: bool) -> int:
    async with studio:
        meant, paths = _meant(studio.runtime, words)
        row = await studio.runtime.folders.adopt(meant)
        worked = await Worked.of(studio.runtime, row)
        with ExitStack() as closing:
            root = worked.root(closing)
            wanted = _done_here(_wanted(worked, paths, root))
            if redo:
                wanted = [turned(work) for work in wanted]
            todo = [work for work in wanted if now(root, work) != "undone"]
            if not todo:
                note("There is nothing to do.")
                return 0
            page = Page(studio.settings.environment)
            page.table([told(w, worked.counted(w)) for w in map(turned, todo)], right=(2, 3))
            if not _agreed(len(todo), row, yes):
                return 1
            return _done(worked, root, todo)


def _meant(runtime: Runtime, words: tuple[str, ...]) -> tuple[SessionRow, tuple[str, ...]]:
    """The first word is a session if it names one; everything else is a path."""
    if words:
        try:
            return runtime.sessions.get(words[0]), words[1:]
        except NotFound:
            pass
    return chosen(runtime, None), words


def _wanted(worked: Worked, paths: tuple[str, ...], root: Root) -> list[Work]:
    if not paths:
        return list(worked.works)
    found: dict[str, Work] = {}
    for given in paths:
        from_here = os.path.relpath(os.path.realpath(given), root.path)
        here = worked.beneath(from_here) or worked.beneath(given)
        if not here:
            raise BadUsage(
                f"{given!r} is neither a session nor a file that it changed.",
                hint="`bottega changes` lists them.",
            )
        found |= {work.path: work for work in here}
    return [found[path] for path in sorted(found)]


def _done_here(wanted: list[Work]) -> list[Work]:
    """Without what came with an import: that was done in another folder."""
    here = [work for work in wanted if not work.imported]
    if wanted and not here:
        raise Refused(
            "This session was imported: what it tells of was changed elsewhere, and cannot be undone here.",
            hint="`bottega changes SESSION --diff` shows it. What is changed from now on can be undone.",
        )
    if len(here) < len(wanted):
        note(f"{count(len(wanted) - len(here), 'file')} of the import left out.")
    return here


def _agreed(files: int, row: SessionRow, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise BadUsage("Nobody is there to be asked.", hint="Say --yes to do so without asking.")
    flush()
    if confirm(f"Do this to {count(files, 'file')} of {row.folder}?"):
        return True
    note("Nothing was changed.")
    return False


def _done(worked: Worked, root: Root, todo: list[Work]) -> int:
    undone = worked.revert(root, todo)
    for why in undone.refused.values():
        note(f"bottega: {one_line(why)}")
    refused = len(undone.refused)
    changed = f"Changed {count(len(todo) - refused, 'file')}"
    left = f", left {refused:,} as before" if refused else ""
    note(f"{changed}{left} (session {short(worked.row.id)}).")
    return 1 if refused else 0
