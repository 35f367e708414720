"""Where a person is asked: at this terminal, if there is one with a keyboard."""

import os
from functools import partial

from bottega.cli.asking import line
from bottega.cli.asking.desk import Desk
from bottega.cli.asking.keys import Keys
from bottega.cli.screen.plain import Canvas
from bottega.cli.screen.terminal import Terminal

KEYBOARD = 0
"""Standard input."""


def is_there() -> bool:
    """Whether somebody can be asked here: what is shown goes to a terminal, and what is typed comes from one."""
    return os.isatty(0) and os.isatty(1)


def desk(canvas: Canvas, terminal: Terminal) -> Desk:
    typed = line.editor(terminal.colour) if terminal.moves else line.plain(terminal, KEYBOARD)
    keys = partial(Keys, KEYBOARD, canvas.pause, canvas.resume)
    return Desk(canvas, terminal, keys, typed)
