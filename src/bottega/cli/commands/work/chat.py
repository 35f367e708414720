"""`bottega chat`: talk with an agent until you leave."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from bottega.approvals.mode import Mode
from bottega.cli import start
from bottega.cli.asking import place
from bottega.cli.screen.terminal import Terminal
from bottega.cli.talk.at_home import AtHome
from bottega.cli.talk.echo import quiet
from bottega.cli.talk.typed import Editor, Lines, Reader
from bottega.cli.talk.who import Wish
from bottega.errors import NotFound
from bottega.studio import Studio, existing_folder


@click.command("chat")
@start.agent_options
@start.mode_option
@click.option("-s", "--session", help="Go on with this session.")
@click.option("-c", "--continue", "last", is_flag=True, help="Go on with the last session.")
def command(
    model: str | None,
    agent: str | None,
    folder: Path | None,
    mode: Mode | None,
    session: str | None,
    last: bool,
) -> int:
    """Talk with an agent in this folder.

    Answers stream as they are written. Before anything that matters you are asked, and answer by one key. Ctrl-C stops
    an answer, Ctrl-D leaves, /help lists what else there is. Everything is kept: `bottega chat --continue` goes on
    where you left, with what still waits for your answer.
    """
    patience = None if place.is_there() else 0.0  # nobody who could answer: nothing to wait for
    flags = {"model": model, "agent": agent, "patience": patience}
    studio = start.studio_of(flags, start.place(folder, session))
    with quiet():
        return start.run(_chat(studio, Begun(folder or Path(), session, last, mode)))


class Begun(NamedTuple):
    folder: Path
    session: str | None
    last: bool
    mode: Mode | None


async def _chat(studio: Studio, begun: Begun) -> int:
    environment = studio.settings.environment
    terminal = Terminal(sys.stdout, environment)
    reader: Reader = Lines()
    async with studio:
        if sys.stdin.isatty() and terminal.moves:
            history = studio.settings.home / "history"
            shelf = studio.runtime.shelf
            reader = Editor(history, colour=terminal.colour, agents=lambda: shelf.slugs)
        else:
            terminal.moves = terminal.colour = False
        values = studio.settings.values
        wish = Wish("", values.agent, existing_folder(begun.folder), begun.mode or values.mode)
        conversation = AtHome(studio, reader, terminal, wish)
        if await _begin(conversation, studio, begun):
            await conversation.go_on()
        if conversation.session and terminal.moves:
            conversation.farewell()
    return conversation.turns.code


async def _begin(conversation: AtHome, studio: Studio, begun: Begun) -> bool:
    if not begun.session and not begun.last:
        conversation.open()
        return True
    name = begun.session or await _newest(studio)
    stays = await conversation.resume(name, begun.mode)
    if studio.settings.source("model") == "flag":
        await conversation.choose(studio.settings.values.model)
    if studio.settings.source("agent") == "flag":
        await conversation.choose_agent(studio.settings.values.agent)
    return stays


async def _newest(studio: Studio) -> str:
    rows = await studio.sessions(1)
    if not rows:
        raise NotFound("There is no session to go on with.", hint="`bottega chat` begins one.")
    return rows[0].id
