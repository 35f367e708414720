"""`bottega export`: a session as a file, to keep, to move or to show."""

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.figures import count
from bottega.cli.screen.output import note, raw
from bottega.errors import BadUsage
from bottega.sessions.exports.export import Format, export
from bottega.storage.whole import write_whole
from bottega.studio import Studio

_ENDS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
}


@click.command("export")
@click.argument("session")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(get_args(Format)),
    help="jsonl: everything, for import. chat: what was said, as JSON lines. md, html: to read."
    "  [default: by the file's name, else jsonl]",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(session: str, form: Format | None, output: Path | None, force: bool) -> None:
    """Write a session to a file.

    Without --output it goes to standard output. Sessions that its agent handed tasks to are not in it: export each.
    """
    chosen = form or (_ENDS.get(output.suffix.lower()) if output else None) or "jsonl"
    if output and output.exists() and not force:
        raise BadUsage(
            f"The file {str(output)!r} is there already.", hint="Say --force to write over it."
        )
    start.run(_export(start.studio_of(), session, chosen, output))


async def _export(studio: Studio, session_id: str, form: Format, output: Path | None) -> None:
    async with studio:
        runtime = studio.runtime
        row = runtime.sessions.get(session_id)
        if children := runtime.sessions.beneath(row):
            ids = ", ".join(short(child.id) for child in children)
            told = f"Not in it: {count(len(children), 'child')} ({ids}). Export each by itself."
            note(told)
        pieces: Iterable[bytes] = export(runtime.database, runtime.blobs, row, form)
        if output:
            write_whole(output, pieces)
            note(f"Wrote session {short(row.id)} to {output}.")
            return
        raw(pieces)
