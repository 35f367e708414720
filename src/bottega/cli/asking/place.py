"""Where a person is asked: at this terminal, if there is one with a keyboard."""

import sys
from functools import partial

from bottega.cli.asking import line
from bottega.cli.asking.desk import Desk
from bottega.cli.asking.keys import Keys
from bottega.cli.screen.plain import Canvas
from bottega.cli.screen.terminal import Terminal


def is_there() -> bool:
    """Whether somebody can be asked here: what is shown goes to a terminal, and what is typed comes from one."""
    return sys.stdout.isatty() and sys.stdin.isatty()


def desk(canvas: Canvas, terminal: Terminal) -> Desk:
    descriptor = sys.stdin.fileno()
    typed = line.editor(terminal.colour) if terminal.moves else line.plain(terminal, descriptor)
    keys = partial(Keys, descriptor, canvas.pause, canvas.resume)
    return Desk(canvas, terminal, keys, typed)
