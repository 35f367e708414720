"""`bottega chat`: talk with an agent until you leave."""

import sys
from pathlib import Path

import click

from bottega.cli import start
from bottega.cli.screen.terminal import Terminal
from bottega.cli.talk.conversation import Conversation, Wish
from bottega.cli.talk.echo import quiet
from bottega.cli.talk.typed import Editor, Lines, Reader
from bottega.errors import NotFound
from bottega.studio import Studio, existing_folder


@click.command("chat")
@start.agent_options
@click.option("-s", "--session", help="Go on with this session.")
@click.option("-c", "--continue", "last", is_flag=True, help="Go on with the last session.")
def command(
    model: str | None, agent: str | None, folder: Path | None, session: str | None, last: bool
) -> int:
    """Talk with an agent in this folder.

    Answers stream as they are written. Ctrl-C stops an answer, Ctrl-D leaves, /help lists what else there is.
    Everything is kept: `bottega chat --continue` goes on where you left.
    """
    studio = start.studio_of({"model": model, "agent": agent}, start.place(folder, session))
    with quiet():
        return start.run(_chat(studio, folder or Path(), session, last))


async def _chat(studio: Studio, folder: Path, session: str | None, last: bool) -> int:
    environment = studio.settings.environment
    terminal = Terminal(sys.stdout, environment)
    reader: Reader = Lines()
    async with studio:
        if sys.stdin.isatty() and terminal.moves:
            reader = Editor(studio.settings.home / "history", colour=terminal.colour)
        else:
            terminal.moves = terminal.colour = False
        values = studio.settings.values
        wish = Wish("", values.agent, existing_folder(folder))
        conversation = Conversation(studio, reader, terminal, wish)
        if session or last:
            await conversation.resume(session or await _newest(studio))
            if studio.settings.source("model") == "flag":
                await conversation.choose(values.model)
        else:
            conversation.open()
        await conversation.go_on()
        if conversation.session and terminal.moves:
            conversation.farewell()
    return 0


async def _newest(studio: Studio) -> str:
    rows = await studio.sessions(1)
    if not rows:
        raise NotFound("There is no session to go on with.", hint="`bottega chat` begins one.")
    return rows[0].id
