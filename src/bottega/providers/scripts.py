"""Scripts that stand in for a model, for those who name models over HTTP: only files beneath one folder.

Whoever starts the server names that folder; without one, no request gets a script played. A name is judged by its
letters alone, so that no answer tells whether a file is there.
"""

import os
from collections.abc import Callable
from functools import partial

from bottega.errors import Misconfigured, Refused
from bottega.providers.script import LARGEST, Script, parsed
from bottega.regular_file import read_opened

_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC


class NoScripts(Refused):
    """A script may not stand in for a model here."""

    code = "scripted_model"


def refused() -> NoScripts:
    return NoScripts(
        "Scripted models are for whoever is at this machine's terminal; none is played here.",
        hint="Choose another model: `bottega models` lists them.",
    )


def refused_to_project(name: str, file: str) -> NoScripts:
    return NoScripts(
        f"The project's {file} names {name[:60]!r}: a script that stands in for a model.",
        hint="Only you may choose one: give --model, or remove that line.",
    )


def reader(path: str, folder: str) -> Callable[[str], Script]:
    """What reads scripts beneath the folder; refuses a path that is not."""
    checked(path, folder)
    return partial(read, folder)


def checked(path: str, folder: str) -> str:
    """The path from the folder, by letters; refuses what is not beneath it."""
    if not folder or "\0" in path or ".." in path.split("/"):
        raise refused()
    top = os.path.abspath(folder)
    at = os.path.normpath(os.path.join(top, path))
    if not at.startswith(top.rstrip("/") + "/"):
        raise refused()
    return os.path.relpath(at, top)


def read(folder: str, path: str) -> Script:
    """The script at that path, opened beneath the folder without following a link. Waits for the disk: use a thread."""
    inside = checked(path, folder)
    try:
        opened = _opened(folder, inside)
        try:
            body = read_opened(opened, inside, LARGEST)
        finally:
            os.close(opened)
    except (OSError, ValueError):
        raise Misconfigured("There is no such script.") from None
    return parsed(body, inside)


def _opened(folder: str, inside: str) -> int:
    *steps, name = inside.split("/")
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for step in steps:
            after = os.open(step, _STEP, dir_fd=at)
            os.close(at)
            at = after
        return os.open(name, _FILE, dir_fd=at)
    finally:
        os.close(at)
