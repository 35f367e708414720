"""`bottega changes`: what a session did to the files of its folder."""

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.diff import drawn, parse
from bottega.cli.screen.figures import count
from bottega.cli.screen.output import print_json, raw
from bottega.cli.screen.page import Page
from bottega.cli.worked import chosen, told
from bottega.errors import Problem
from bottega.sessions.changes.undo import Now
from bottega.sessions.changes.work import Work
from bottega.studio import Studio
from bottega.studio.worked import Worked

_NOTES: dict[Now, str] = {
    "left": "",
    "undone": "undone since",
    "edited": "edited since",
    "unreachable": "cannot be read now",
}


@click.command("changes")
@click.argument("session", required=False)
@click.option("--diff", is_flag=True, help="Show every line; into a pipe, as `git apply` takes it.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(session: str | None, diff: bool, as_json: bool) -> None:
    """Show what a session changed in its folder.

    Without SESSION it is the last one that worked here. Files that git ignores are not looked at when a command
    changes them.
    """
    start.run(_changes(start.studio_of(), session, diff, as_json))


async def _changes(studio: Studio, session: str | None, diff: bool, as_json: bool) -> None:
    async with studio:
        row = await studio.runtime.folders.adopt(chosen(studio.runtime, session))
        worked = await Worked.of(studio.runtime, row)
        states = worked.states()
        if as_json:
            print_json([_record(worked, work, states[work.path]) for work in worked.works])
            return
        page = Page(studio.settings.environment)
        if not worked.works:
            page.say(f"Session {short(row.id)} has changed no files.")
        elif diff:
            _show(page, worked)
        else:
            _list(page, worked, states)


def _record(worked: Worked, work: Work, state: Now) -> dict[str, object]:
    counts = worked.counted(work)
    return {
        "path": work.path,
        "change": work.kind,
        "added": counts[0] if counts else None,
        "removed": counts[1] if counts else None,
        "before": work.before,
        "after": work.after,
        "now": state,
        "mixed": work.mixed,
        "imported": work.imported,
    }


def _list(page: Page, worked: Worked, states: dict[str, Now]) -> None:
    counts = {work.path: worked.counted(work) for work in worked.works}
    page.table(
        [told(work, counts[work.path], _noted(work, states[work.path])) for work in worked.works],
        right=(2, 3),
    )
    added, removed = (sum(c[side] for c in counts.values() if c) for side in (0, 1))
    files = count(len(worked.works), "file")
    page.say((f"{files}, +{added} -{removed} in session {short(worked.row.id)}", "dim"))


def _noted(work: Work, state: Now) -> str:
    return "imported, not done here" if work.imported else _NOTES[state]


def _show(page: Page, worked: Worked) -> None:
    for work in worked.works:
        try:
            lines = list(worked.difference(work).lines())
        except Problem as problem:
            page.say((f"{work.path}: {problem}", "red"))
            continue
        if page.terminal.is_tty:
            text = b"".join(lines).decode("utf-8", "replace")
            rows, _ = drawn(parse(text), page.width)
            page.lines(
                [each for row in rows for each in page.painter.parts(row, page.width) or [""]]
            )
        else:
            raw(lines)
