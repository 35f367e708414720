"""`bottega delete`: forget a session for good."""

import sys

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import count
from bottega.cli.screen.output import confirm, note
from bottega.errors import BadUsage
from bottega.sessions.care import retention
from bottega.studio import Studio


@click.command("delete")
@click.argument("session")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def command(session: str, yes: bool) -> int:
    """Delete a session and all that it holds.

    It is asked first. The sessions that its agent handed tasks to go with it. One that is being run is not deleted.
    """
    return start.run(_delete(start.studio_of(), session, yes))


async def _delete(studio: Studio, session_id: str, yes: bool) -> int:
    async with studio:
        runtime = studio.runtime
        row = runtime.sessions.get(session_id)
        name = f"{short(row.id)}, {one_line(row.title, 60) or '(no title)'}"
        if not yes:
            if not sys.stdin.isatty():
                raise BadUsage(
                    "Nobody is there to be asked.", hint="Say --yes to delete without asking."
                )
            events = count(row.last_index, "event")
            if children := runtime.sessions.beneath(row):
                events += f", and {count(len(children), 'child')}"
            if not confirm(f"Delete {name} ({events}) for good?"):
                note("Nothing was deleted.")
                return 1
        await retention.delete(runtime.database, runtime.log, runtime.blobs, row)
        note(f"Deleted {name}.")
    return 0
