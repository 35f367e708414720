"""`bottega compact`: make room in what a session's model sees."""

import click

from bottega.cli import start
from bottega.cli.screen.output import note, out_text
from bottega.cli.talk import room
from bottega.errors import BadUsage
from bottega.sessions.told.transcript import compacted
from bottega.studio import Studio


@click.command("compact")
@click.argument("session")
@click.option("--undo", is_flag=True, help="Let the model see again what the last one dropped.")
def command(session: str, undo: bool) -> int:
    """Make room in what a session's model sees.

    A summary then stands for the older part of it. What you said stays word for word, and so do the last steps; nothing
    is deleted. SESSION is an id, or its beginning or end, as `bottega sessions` lists it. The summary is printed.
    """
    return start.run(_compact(start.studio_of(), session, undo))


async def _compact(studio: Studio, session_id: str, undo: bool) -> int:
    async with studio:
        session = await studio.take(session_id)
        if undo:
            if not await session.undo_compaction():
                raise BadUsage("There is no compaction to undo.")
            note("Undone: the model sees it all again.")
            return 0
        if not await session.compact():
            note("There is nothing that could be left out.")
            return 0
        made = await room.newest(session)
        note(compacted(made))
        if made.summary:
            out_text(made.summary)
    return 0
