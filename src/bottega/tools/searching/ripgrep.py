"""Runs ripgrep on a workspace: what it may read, what it is to ignore, and what its failures mean.

Its settings are all here: no file and no variable of the user's or of the workspace changes how it searches, but for
the workspace's own ignore files.
"""

import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager

import msgspec

from bottega.errors import BadUsage, Misconfigured, Problem
from bottega.workspaces import programs
from bottega.workspaces.confine import NotAFolder, Root
from bottega.workspaces.onlooker import Look, Seen, look

_IGNORE_FILES = (".git/info/exclude", ".gitignore", ".ignore", ".rgignore")
_IGNORE_MAX = 256 * 1024
_ALWAYS = (
    "--no-config",
    "--no-messages",
    "--color=never",
    "--null",
    "--no-ignore-global",
    "--no-ignore-parent",
    "--no-require-git",
    "--max-filesize=100M",
    "--no-mmap",
)


class SearchFailed(Problem):
    """The search program could not do what it was asked for."""

    code = "search_failed"


class Search(msgspec.Struct, frozen=True):
    """What is looked for, and where."""

    options: tuple[str, ...]
    path: str = "."
    """Canonical: a folder, or a file."""
    hidden: bool = False
    ignored: bool = False
    """Also what the workspace's ignore files hide."""
    hide: tuple[str, ...] = ()
    """Patterns, as ignore files have them, for what must never show."""
    seconds: float = 20.0


async def search(root: Root, wanted: Search, take: Callable[[bytes], bool]) -> Seen:
    """Run ripgrep; `take` gets its output in a thread, and returns False for enough."""
    program = _program()
    _check_words(wanted.options)
    with ExitStack() as closing:
        folder = root.open_folder(".")
        closing.callback(os.close, folder)
        # It resolves the path again; but only what was opened here, without a link, can be read.
        judged = _opened(root, wanted.path)
        closing.callback(os.close, judged)
        ignore = closing.enter_context(_inherited(root, wanted))
        argv = (program, *_ALWAYS, *_chosen(wanted, ignore), "--", _named(wanted.path))
        handed = () if ignore is None else (ignore,)
        seen = await look(Look(argv, folder, (judged,), handed, seconds=wanted.seconds), take)
    _check(seen)
    return seen


def late(seconds: float) -> str:
    return f"The search was stopped after {seconds:g} seconds; there may be more. Narrow it."


def is_there(root: Root, path: str) -> bool:
    """Whether a file lies in the workspace and no link leads to it, whatever has changed meanwhile."""
    try:
        return stat.S_ISREG(root.stat(path, follow=False).st_mode)
    except (Problem, OSError):
        return False


def _check(seen: Seen) -> None:
    words = seen.errors.strip().removeprefix("rg: ")
    if seen.code == 2 and words:  # without words it is files that could not be read
        raise SearchFailed(f"This cannot be searched for. {words}")
    if seen.code < 0 and not (seen.late or seen.enough):
        raise SearchFailed(f"The search program was ended by signal {-seen.code}.")


def _opened(root: Root, path: str) -> int:
    try:
        return root.open_folder(path, follow=False)
    except NotAFolder:
        return root.open_file(path, follow=False)


def _named(path: str) -> str:
    """As ripgrep needs it: with `./.` it would not find what an ignore file means."""
    return "./" if path == "." else f"./{path}"


def _check_words(options: tuple[str, ...]) -> None:
    """Refuse what no program can be given."""
    try:
        if bytes(1) not in b"".join(map(os.fsencode, options)):
            return
    except UnicodeEncodeError:
        pass
    raise BadUsage("The pattern holds a NUL character, or half of one.")


def _program() -> str:
    found = programs.beside_interpreter("rg")
    if found is None:
        raise Misconfigured(
            "The search program `rg` is not installed beside Bottega's Python.",
            hint="Install Bottega's requirements again; the package `ripgrep` brings it.",
        )
    return found


def _chosen(wanted: Search, ignore: int | None) -> Iterator[str]:
    yield from wanted.options
    if wanted.hidden:
        yield from ("--hidden", "--glob=!.git")
    if wanted.ignored:
        yield "--no-ignore"
    if ignore is not None:
        yield f"--ignore-file=/proc/self/fd/{ignore}"
    for pattern in wanted.hide:
        yield f"--iglob=!{pattern}"


@contextmanager
def _inherited(root: Root, wanted: Search) -> Generator[int | None]:
    """What the ignore files above the folder say, as a file that speaks from the workspace's top.

    ripgrep would look for them itself, but does not stop at the workspace.
    """
    rules = [] if wanted.ignored else list(_rules(root, wanted.path))
    if not rules:
        yield None
        return
    made = os.memfd_create("ignore")
    try:
        os.write(made, "\n".join(rules).encode(errors="surrogateescape"))
        yield made
    finally:
        os.close(made)


def _rules(root: Root, path: str) -> Iterator[str]:
    folders = [] if path == "." else path.split("/")
    for depth in range(len(folders)):
        folder = "/".join(folders[:depth])
        for name in _IGNORE_FILES:
            for line in _lines(root, f"{folder}/{name}" if folder else name):
                if rule := _from_top(line, folder):
                    yield rule


def _lines(root: Root, path: str) -> list[str]:
    try:
        with os.fdopen(root.open_file(path, follow=False), "rb") as file:
            return file.read(_IGNORE_MAX).decode(errors="surrogateescape").splitlines()
    except (Problem, OSError):
        return []


def _from_top(line: str, folder: str) -> str:
    """A rule of an ignore file in that folder, as it reads at the top; empty where there is none."""
    rule = line.rstrip() if not line.endswith("\\ ") else line
    if not rule or rule.startswith("#"):
        return ""
    sign, rule = ("!", rule[1:]) if rule.startswith("!") else ("", rule)
    anchored = "/" in rule.rstrip("/")
    place = f"/{folder}/" if folder else "/"
    return f"{sign}{place}{rule.lstrip('/')}" if anchored else f"{sign}{place}**/{rule}"
