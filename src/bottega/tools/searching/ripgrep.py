"""Runs ripgrep on a workspace: what it may read, what it is to ignore, and what its failures mean.

Its settings are all here: no file and no variable of the user's or of the workspace changes how it searches, but for
the workspace's own ignore files.
"""

import asyncio
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Lock

import msgspec

from bottega.errors import BadUsage, Misconfigured, Problem
from bottega.tools.searching.ignore_files import LARGEST, Found, look_at
from bottega.workspaces import programs
from bottega.workspaces.confine import NotAFolder, Root
from bottega.workspaces.onlooker import Look, Seen, look

_IGNORE_FILES = (".git/info/exclude", ".gitignore", ".ignore", ".rgignore")
_KEPT = 4 * 1024 * 1024
"""Bytes of output that are kept until it is known that nothing holds a search up."""
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
        kept = _Kept(take)

        async def run(taking: Callable[[bytes], bool], found: Found | None) -> Seen:
            with _inherited(root, wanted, found) as ignore:
                options = _chosen(wanted, ignore, plainly=found is not None)
                argv = (program, *_ALWAYS, *options, "--", _named(wanted.path))
                handed = () if ignore is None else (ignore,)
                asked = Look(argv, folder, (judged,), handed, seconds=wanted.seconds)
                return await look(
                    asked, taking, None if found else partial(kept.held_up, root, wanted)
                )

        seen = await run(kept.take, None)
        if kept.found and seen.stuck:
            seen = await run(take, kept.found)
        else:
            seen = await asyncio.to_thread(kept.settle, seen)
    _check(seen)
    return seen


class _Kept:
    """What a search has printed, while it is not known yet whether something holds it up."""

    def __init__(self, take: Callable[[bytes], bool]) -> None:
        self._take = take
        self._pieces: list[bytes] | None = []
        self._lock = Lock()
        self.found: Found | None = None

    def take(self, piece: bytes) -> bool:
        with self._lock:
            if self._pieces is not None:
                self._pieces.append(piece)
                return sum(map(len, self._pieces)) < _KEPT or self._pass_on()
            return self._take(piece)

    def held_up(self, root: Root, wanted: Search) -> str:
        """The ignore file that a search cannot get past, if there is one."""
        if wanted.ignored or not stat.S_ISDIR(root.stat(wanted.path, follow=False).st_mode):
            self.found = Found()
        else:
            self.found = look_at(root, wanted.path)
        with self._lock:
            if self._pieces is None:  # it prints, so nothing holds it up
                return ""
            if not self.found.odd:
                self._pass_on()
        return self.found.odd

    def settle(self, seen: Seen) -> Seen:
        """The search has ended by itself: hand on what is still kept."""
        with self._lock:
            more = self._pieces is None or self._pass_on()
        return seen if more else msgspec.structs.replace(seen, enough=True)

    def _pass_on(self) -> bool:
        pieces, self._pieces = self._pieces or [], None
        return all(map(self._take, pieces))


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
            "The search program is not installed: there is no `rg` beside Bottega's Python.",
            hint="Install Bottega's requirements again; the package `ripgrep` brings it.",
        )
    return found


def _chosen(wanted: Search, ignore: int | None, *, plainly: bool) -> Iterator[str]:
    """Its options; `plainly`: it reads no ignore file itself."""
    yield from wanted.options
    if wanted.hidden:
        yield from ("--hidden", "--glob=!.git")
    if wanted.ignored or plainly:
        yield "--no-ignore"
    if ignore is not None:
        yield f"--ignore-file=/proc/self/fd/{ignore}"
    for pattern in wanted.hide:
        yield f"--iglob=!{pattern}"


@contextmanager
def _inherited(root: Root, wanted: Search, found: Found | None) -> Generator[int | None]:
    """What the ignore files above the folder say, as a file that speaks from the workspace's top.

    ripgrep would look for them itself, but does not stop at the workspace. With `found`, those below as well.
    """
    rules = [] if wanted.ignored else list(_rules(root, wanted.path))
    for path in found.sound if found else ():
        folder = path.removesuffix(".git/info/exclude").rpartition("/")[0]
        rules += [rule for line in _lines(root, path) if (rule := _from_top(line, folder))]
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
            return file.read(LARGEST).decode(errors="surrogateescape").splitlines()
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
