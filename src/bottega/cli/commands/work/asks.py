"""`bottega asks`: what waits for an answer, in every session."""

from typing import Any

import click
import msgspec

from bottega.cli import start
from bottega.cli.asking.pending import SHORT, answers
from bottega.cli.asking.shown import summary
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.output import print_json
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow, now
from bottega.studio import Studio


@click.command("asks")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(as_json: bool) -> None:
    """List what waits for an answer.

    The oldest come first. `bottega approve ID allow` answers one, `bottega resume SESSION` then goes on.
    """
    start.run(_list(start.studio_of(), as_json))


async def _list(studio: Studio, as_json: bool) -> None:
    async with studio:
        waiting = studio.asks()
    if as_json:
        print_json([as_object(session, ask) for session, ask in waiting])
        return
    page = Page(studio.settings.environment)
    if not waiting:
        page.say("Nothing waits for an answer.")
        return
    head = ("id", "session", "when", "kind", "what", "title")
    page.table([_cells(session, ask, page) for session, ask in waiting], head, spare=(3, 5, 2))


def as_object(session: SessionRow, ask: Ask) -> dict[str, Any]:
    """An ask for programs: all that has to be seen to decide, and what may be answered."""
    return {
        "id": ask.id,
        "session_id": session.id,
        "created_at": ask.created_at,
        "folder": session.folder,
        "input": ask.input,
        "answers": answers(ask),
        **msgspec.to_builtins(ask.asked),
    }


def _cells(session: SessionRow, ask: Ask, page: Page) -> list[Part | str]:
    room = max(20, page.width - 70) if page.terminal.is_tty else 0
    return [
        (ask.id[-SHORT:], "cyan"),
        (session.id[-SHORT:], "cyan"),
        (ago(ask.created_at, now()), "dim"),
        ask.kind,
        summary(ask, room),
        (one_line(session.title, 24 if page.terminal.is_tty else 0), "dim"),
    ]
