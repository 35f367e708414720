"""`bottega show`: a session as it looked when it was talked."""

import click

from bottega.cli import start
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.page import Page
from bottega.cli.screen.transcript import drawn
from bottega.events.codec import decode
from bottega.sessions.session import now
from bottega.sessions.told.transcript import Transcript
from bottega.studio import Studio


@click.command("show")
@click.argument("session")
def command(session: str) -> None:
    """Show what was said in a session.

    SESSION is an id, or its beginning or end, as `bottega sessions` lists it.
    """
    start.run(_show(start.studio_of(), session))


async def _show(studio: Studio, session_id: str) -> None:
    async with studio:
        runtime = studio.runtime
        row = runtime.sessions.get(session_id)
        said = Transcript()
        cursor = 0
        while rows := await runtime.log.page(row.n, cursor):
            for index, body in rows:
                said.add(decode(index, body))
            cursor = rows[-1][0]
    page = Page(studio.settings.environment)
    width = page.terminal.width
    page.say((one_line(row.title) or "(no title)", "bold"), (f"  {row.id}", "dim"))
    page.say((f"{row.model} · {row.folder} · begun {ago(row.created_at, now())}", "dim"))
    items = said.items()
    page.lines(["", *drawn(items, page.painter, width)] if items else ["", "Nothing was said."])
