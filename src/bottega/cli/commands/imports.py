"""`bottega import`: a file that export wrote becomes a session of this home."""

import os
import sys
from pathlib import Path

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.output import out
from bottega.errors import BadUsage
from bottega.sessions.exports.bring_in import bring_in, lines_of
from bottega.sessions.session import HOST
from bottega.studio import Studio, existing_folder


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "-C",
    "--cwd",
    "--folder",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The folder that the session works in from now on.  [default: here]",
)
def command(file: Path, folder: Path) -> None:
    """Read a session from a file that export wrote.

    FILE is a jsonl export; `-` reads standard input. The session gets an id of its own, which is printed.
    """
    start.run(_import(start.studio_of(), file, existing_folder(folder)))


async def _import(studio: Studio, path: Path, folder: Path) -> None:
    async with studio:
        runtime = studio.runtime
        try:
            with sys.stdin.buffer if str(path) == "-" else path.open("rb") as file:  # noqa: ASYNC230
                project, container = await runtime.folders.place(folder, HOST)
                row = await bring_in(
                    runtime.database,
                    runtime.blobs,
                    lines_of(file),
                    folder=os.path.join(project.folder, container).rstrip("/"),
                    project=project.n,
                    container=container,
                )
        except OSError as error:
            raise BadUsage(
                f"The file {str(path)!r} cannot be read: {error.strerror}.",
                hint="Give a file that `bottega export` wrote.",
            ) from error
    out(f"Session {short(row.id)}: {row.title or '(no title)'}")
