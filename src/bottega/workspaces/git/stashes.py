"""A stash that git would apply by itself is put among the others instead: the changes in it may be a person's work.

It is what `git stash store` does, written by hand, for no git runs in a folder that is being judged. Wherever anything
is other than git leaves it, nothing is written.
"""

import logging
import os
import re
import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress

from bottega.errors import Problem
from bottega.regular_file import read_opened
from bottega.workspaces.confine import Root
from bottega.workspaces.git import config, files
from bottega.workspaces.git.contents import objects, replacements, state
from bottega.workspaces.git.files import File, look, open_readable
from bottega.workspaces.git.judge import Verdict
from bottega.workspaces.git.leading import is_of_worktree, leads

_log = logging.getLogger(__name__)
STORED = (
    "a stash that git applies by itself (nothing of it is lost: it is the first of `git stash list` now,"
    " `git stash show -p` shows it, and `git stash pop` brings it back)"
)
_STASH = "refs/stash"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HASH = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?)\n?")
_PACKED = re.compile(rb"^([0-9a-f]+) refs/stash$", re.MULTILINE)
_COMMIT = 64 << 10
"""Bytes of a commit that are read for its parents."""
_ODD = (OSError, ValueError, Problem, zlib.error)


def kept(root: Root, path: str, file: File, verdict: Verdict) -> Verdict:
    """The verdict about a file that is to be undone; if it names a stash, that has been put among the others."""
    stash = state.stash(path, file.content) if file.is_file else ""
    if not stash:
        return verdict
    try:
        _store(root, _common(root, path), stash.encode())
    except _ODD as problem:
        _log.warning("%r was not put among the stashes: %r", stash, problem)
        return verdict
    return verdict._replace(why=STORED)


def _common(root: Root, path: str) -> str:
    """The repository that has the references, of the one whose operation this is; it ends with a slash."""
    folder, _, name = path.rpartition("/")
    repository = folder if name.isupper() else os.path.dirname(folder)
    said = os.path.join(repository, "commondir")
    seen = look(root, said)
    if seen is not None:
        (repository,) = leads(root, said, "commondir", seen.content or b"")
        if not is_of_worktree(said, repository):
            raise ValueError(f"{said} leads elsewhere")
    return f"{repository}/" if repository else ""


def _store(root: Root, prefix: str, stash: bytes) -> None:
    settings = look(root, f"{prefix}config")
    said = config.entries(settings.content or b"") if settings is not None else []
    is_in_tables = any(
        key == "extensions.refstorage" and value != "files" for key, value in said or ()
    )
    if said is None or is_in_tables or look(root, f"{prefix}reftable") is not None:
        raise ValueError("its references are no files")
    _check_is_stash(root, prefix, stash.decode())
    with _locked(root, f"{prefix}{_STASH}"):
        last = _last(root, prefix)
        if last == stash:
            return
        log, mode = _logged(root, f"{prefix}logs/{_STASH}")
        if last and stash in {line.split(b" ", 2)[1] for line in log.splitlines()}:
            return
        line = b"%s %s Bottega <bottega@localhost> %d +0000\tautostash\n"
        log += line % (last or b"0" * len(stash), stash, time.time())
        missing: list[str] = []
        os.close(root.open_parent(f"{prefix}logs/{_STASH}", missing)[0])
        files.write(root, f"{prefix}logs/{_STASH}", log, mode)
        files.write(root, f"{prefix}{_STASH}", stash + b"\n")


def _check_is_stash(root: Root, prefix: str, name: str) -> None:
    """Refuse what is no whole commit with the parents of a stash: a reference to it would keep git from working."""
    opened = open_readable(root, f"{prefix}objects/{name[:2]}/{name[2:]}")
    if opened is None:
        raise ValueError("it is no file of its own")
    try:
        said = zlib.decompressobj().decompress(os.pread(opened, _COMMIT, 0), _COMMIT)
        parents = said.partition(b"\nauthor ")[0].count(b"\nparent ")
        if not said.startswith(b"commit ") or parents < 2 or not objects.is_loose(opened, name):
            raise ValueError("it is no stash")
    finally:
        os.close(opened)


@contextmanager
def _locked(root: Root, path: str) -> Generator[None]:
    """As git does it: nobody else writes the reference or its log meanwhile."""
    folder, name = root.open_parent(path)
    try:
        lock = name + b".lock"
        os.close(os.open(lock, _NEW, 0o644, dir_fd=folder))
        try:
            yield
        finally:
            with suppress(FileNotFoundError):
                os.unlink(lock, dir_fd=folder)
    finally:
        os.close(folder)


def _last(root: Root, prefix: str) -> bytes:
    """The stash that is the first now; empty: there is none."""
    seen = look(root, f"{prefix}{_STASH}")
    if seen is not None:
        said = _HASH.fullmatch(seen.content or b"") if seen.is_file else None
        if said is None:
            raise ValueError("the reference says something else")
        return said[1]
    opened = open_readable(root, f"{prefix}{replacements.PACKED}")
    if opened is None:
        return b""
    try:
        found = _PACKED.search(read_opened(opened, replacements.PACKED, replacements.MOST))
        return found[1] if found else b""
    finally:
        os.close(opened)


def _logged(root: Root, path: str) -> tuple[bytes, int]:
    """The list of stashes, and its mode."""
    seen = look(root, path)
    if seen is None:
        return b"", 0o644
    log = seen.content if seen.is_file else None
    if (
        log is None
        or not all(line.count(b" ") > 1 for line in log.splitlines())
        or (log and not log.endswith(b"\n"))
    ):
        raise ValueError("its list is none")
    return log, seen.mode
