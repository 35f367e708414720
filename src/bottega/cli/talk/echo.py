"""While nothing is asked, what is typed does not spoil the screen: it waits unseen for the next prompt."""

import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager, suppress


@contextmanager
def quiet() -> Generator[None]:
    """Turn the terminal's echo off, if there is one; signals still come through."""
    with _echo(on=False):
        yield


@contextmanager
def shown() -> Generator[None]:
    """Turn it on again, for a line that nobody else draws."""
    with _echo(on=True):
        yield


@contextmanager
def _echo(*, on: bool) -> Generator[None]:
    try:
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
    except (OSError, ValueError, termios.error):
        yield
        return
    during = termios.tcgetattr(descriptor)
    during[3] = during[3] | termios.ECHO if on else during[3] & ~termios.ECHO
    try:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, during)
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
