"""`bottega attach`: follow and drive a session of a running server."""

import sys
from pathlib import Path

import click

from bottega.cli import start
from bottega.cli.nearby import greet, server
from bottega.cli.screen.terminal import Terminal
from bottega.cli.talk.attached import Attached
from bottega.cli.talk.echo import quiet
from bottega.cli.talk.typed import Editor, Lines, Reader
from bottega.settings import Settings

PATIENCE = 3600.0
"""Seconds for which a server that is gone is waited for: as long as a person may look away."""


@click.command("attach")
@click.argument("session", required=False)
@click.option("--new", is_flag=True, help="Begin a session, in the project of this folder.")
@click.option(
    "--at", metavar="ADDRESS", default="", help="A server elsewhere; needs BOTTEGA_TOKEN."
)
def command(session: str | None, new: bool, at: str) -> int:
    """Follow and drive a session of a running server.

    SESSION is an id, or its beginning or end; without one it is the newest, or a new one in this folder's project.
    You see what was said last, then all that happens, whoever causes it, and take part as in `bottega chat`. What you
    type while an answer runs is said into it; Ctrl-C stops it. Ctrl-D leaves, and the session goes on.

    \b
    bottega serve &
    bottega attach
    BOTTEGA_TOKEN=… bottega attach --at https://bottega.example 5d7e88f2
    """
    with quiet():
        return start.run(_attach(start.settings_of(), session, at, new=new))


async def _attach(settings: Settings, name: str | None, at: str, *, new: bool) -> int:
    terminal = Terminal(sys.stdout, settings.environment)
    reader: Reader = Lines()
    if sys.stdin.isatty() and terminal.moves:
        reader = Editor(settings.home / "history", colour=terminal.colour)
    else:
        terminal.moves = terminal.colour = False
    async with server(settings, at) as found:
        await greet(found)
        async with found.remote(PATIENCE) as remote:
            conversation = Attached(remote, reader, terminal, Path.cwd())
            remote.reach.watch = conversation.connection
            async with conversation.watching():
                if await conversation.begin(name or "", new=new):
                    await conversation.go_on()
                conversation.farewell()
    return conversation.turns.code
