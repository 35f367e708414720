"""`bottega db`: look after the database."""

import click

from bottega.cli import start
from bottega.cli.screen.figures import count, size
from bottega.cli.screen.output import note, out
from bottega.cli.screen.page import Page
from bottega.errors import StorageFailed
from bottega.sessions.care import leftovers, retention
from bottega.sessions.care.check import check
from bottega.storage.home import Home
from bottega.storage.migrate import backup
from bottega.studio import Studio

_DAY = 86_400_000


@click.group("db")
def command() -> None:
    """Check, back up and trim the database."""


@command.command("check")
def check_command() -> int:
    """Read everything and say what is wrong; changes nothing."""
    settings = start.settings_of()
    page = Page(settings.environment)
    home = Home(settings.home)
    if not home.database.exists():
        page.say(f"There is no database in {str(settings.home)!r} yet.")
        return 0
    findings = check(home)
    for finding in findings:
        page.say(("✗ ", "tool.failed"), finding.what, (f" {finding.next}", "dim"))
    if findings:
        return 1
    page.say(("✓ ", "tool.done"), f"All is well in {str(home.database)!r}.")
    return 0


@command.command("backup", short_help="Write a whole copy of the database.")
def backup_command() -> None:
    """Write a whole copy of the database into the home's folder `backups`.

    Nothing has to stop for it. Attached files stand beside the database, in the home's folder `blobs`: copy them too.

    To go back to one, end everything that uses the home, then put the copy in the place of `bottega.db`:

    \b
    cd "$(dirname "$(bottega config path)")"
    rm -f bottega.db-wal bottega.db-shm
    cp backups/bottega-….db bottega.db
    """
    settings = start.settings_of()
    home = Home(settings.home)
    if not home.database.exists():
        raise StorageFailed(
            f"There is no database in {str(settings.home)!r} yet.",
            hint="`bottega chat` makes one.",
        )
    out(str(backup(home, "by-hand")))
    if any(home.blobs.glob("*")):
        note(f"Attached files are not in it: copy {str(home.blobs)!r} too.")


@command.command("trim", short_help="Drop what is stored twice, or no longer needed.")
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(0),
    default=0,
    help="Only answers older than so many days.  [default: all]",
)
def trim_command(days: int) -> None:
    """Drop the pieces of answers that are stored whole, and what deleted sessions left behind."""
    start.run(_trim(start.studio_of(), days))


async def _trim(studio: Studio, days: int) -> None:
    async with studio:
        runtime = studio.runtime
        trimmed = await retention.trim(runtime.database, days * _DAY if days else None)
        swept = await leftovers.sweep(runtime.database, runtime.blobs)
    page = Page(studio.settings.environment)
    pieces = count(trimmed.rows, "piece")
    page.say(
        f"Dropped {pieces} of answers ({size(trimmed.bytes)}) in"
        f" {count(trimmed.sessions, 'session')}, {count(swept.rows, 'row')} and"
        f" {count(swept.blobs, 'file')} that nothing needs."
    )
