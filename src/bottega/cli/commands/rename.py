"""`bottega rename`: a title that says what a session was about."""

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.output import note
from bottega.errors import BadUsage
from bottega.studio import Studio


@click.command("rename")
@click.argument("session")
@click.argument("title", nargs=-1, required=True)
def command(session: str, title: tuple[str, ...]) -> None:
    """Give a session another title."""
    words = " ".join(title).strip()
    if not words:
        raise BadUsage("The title is empty.", hint="Say what the session is about.")
    start.run(_rename(start.studio_of(), session, words))


async def _rename(studio: Studio, session_id: str, title: str) -> None:
    async with studio:
        row = studio.runtime.sessions.get(session_id)
        await studio.runtime.sessions.rename(row.id, title)
        note(f"Session {short(row.id)} is now called {title!r}.")
