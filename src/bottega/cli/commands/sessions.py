"""`bottega sessions`: what was worked on, the newest first."""

from typing import Any

import click
import msgspec

from bottega.cli import start
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.output import print_json
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.sessions.session import SessionRow, now
from bottega.studio import Studio

SHORT = 8
"""So much of the end of an id names a session: its beginning is the time."""


def short(session_id: str) -> str:
    return session_id[-SHORT:]


@click.command("sessions")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, help="How many.  [default: 20]")
@click.option(
    "--all", "--children", "children", is_flag=True, help="Those too that an agent handed tasks to."
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(limit: int, children: bool, as_json: bool) -> None:
    """List the sessions.

    The newest come first. Wherever a session is asked for, the id in the first column names it.
    """
    start.run(_list(start.studio_of(), limit, children, as_json))


async def _list(studio: Studio, limit: int, children: bool, as_json: bool) -> None:
    async with studio:
        rows = await studio.sessions(limit)
        if children:
            beneath = studio.runtime.sessions.beneath
            rows = [each for row in rows for each in (row, *beneath(row))]
    if as_json:
        print_json(_objects(rows))
        return
    page = Page(studio.settings.environment)
    if not rows:
        page.say("There are no sessions yet. `bottega chat` begins one.")
        return
    page.table(
        [_cells(row, page) for row in rows],
        ("id", "when", "status", "model", "title"),
        spare=(3, 1),
    )


def _objects(rows: list[SessionRow]) -> list[dict[str, Any]]:
    """For programs: the database's own numbers say nothing outside of it."""
    ids: dict[int | None, str] = {row.n: row.id for row in rows}
    listed: list[dict[str, Any]] = []
    for row in rows:
        named = {**msgspec.to_builtins(row), "parent": ids.get(row.parent)}
        listed.append({name: value for name, value in named.items() if name != "n"})
    return listed


def _cells(row: SessionRow, page: Page) -> list[Part | str]:
    status: Part = (row.shown, "dim" if row.shown == "idle" else "accent")
    title = one_line(row.title) or "(no title)"
    if row.depth:
        title = f"{'  ' * (row.depth - 1)}└ {one_line(row.agent)}: {title}"
    when = ago(row.updated_at, now())
    model = one_line(row.model, 28 if page.terminal.is_tty else 0)
    return [(short(row.id), "cyan"), (when, "dim"), status, model, title]
