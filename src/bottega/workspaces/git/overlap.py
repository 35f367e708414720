"""Workspaces that hold one another: what one's programs plant must not become what was there before the other's.

Whoever writes a first baseline takes over what the others know of the files that they share. A baseline is not
forgotten while somebody is still writing such a first one, who may have seen what has been undone since.
"""

import fcntl
import os
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from bottega.workspaces.confine import Identity, Root
from bottega.workspaces.git import baseline as baselines
from bottega.workspaces.git.baseline import Baseline, Kept
from bottega.workspaces.git.sensitive import OURS, Targets

_OPENING = "opening"
_FOLDER = "folder"


@contextmanager
def opening(state: Path, folder: str) -> Generator[None]:
    """While the first baseline of this folder, whose state that is, is written."""
    (state / _FOLDER).write_bytes(os.fsencode(folder))
    held = os.open(state / _OPENING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def wait_for_openings(state: Path, folder: str) -> None:
    """Until nobody writes a first baseline of a folder that shares files with this one."""
    for other in state.parent.iterdir():
        if other == state or not _shares(_named(other), folder):
            continue
        try:
            held = os.open(other / _OPENING, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_SH)
        finally:
            os.close(held)


def identities(state: Path) -> set[Identity]:
    """The folders of all other workspaces."""
    names = (each.name for each in state.parent.iterdir() if each != state)
    return {each for each in map(baselines.identity_of, names) if each is not None}


def others(state: Path, folder: str, places: Mapping[Identity, str]) -> list[Baseline]:
    """The baselines of all other workspaces that share files with this one, whose state that is.

    `places` has those that were found beneath it: one that was renamed is no longer where it says.
    """
    found: list[Baseline] = []
    above = _above(folder)
    for other in state.parent.iterdir():
        if other == state or not (other / baselines.NAME).exists():
            continue
        named, identity = _named(other), baselines.identity_of(other.name)
        if not _shares(named, folder) and identity not in places and identity not in above:
            continue
        known = baselines.load(other / baselines.NAME)
        if known is None:
            continue
        if _shares(named, folder) and _is_there(known):
            found.append(known)
            continue
        if identity is None:
            continue
        place = os.path.join(folder, places[identity]) if identity in places else None
        place = above.get(identity) if place is None else place
        if place is not None and known.is_of(identity, baselines.born(place)):
            found.append(msgspec.structs.replace(known, folder=os.path.normpath(place)))
    return found


def forget_left(state: Path, folder: str, places: Mapping[Identity, str]) -> None:
    """Forget what dead processes left of workspaces that were renamed and lie in this one, which is put right now."""
    for identity, place in places.items():
        other = state.with_name(baselines.name_of(identity))
        if other == state or _named(other) == os.path.normpath(os.path.join(folder, place)):
            continue
        with suppress(OSError), open(other / "holders", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            baselines.forget(other / baselines.NAME)


def adopt(state: Path, root: Root) -> None:
    """Take over the baseline that a dead process left of this very folder, if its disk had another number then."""
    device, inode = root.identity
    made = baselines.born(root.fileno())
    for other in state.parent.glob(f"*-{inode:x}"):
        known = None if other == state else baselines.load(other / baselines.NAME)
        if known is None or known.folder != root.path or not known.is_of((device, inode), made):
            continue
        with suppress(OSError), open(other / "holders", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not (state / baselines.NAME).exists():
                with suppress(OSError):  # its numbers and times are the same
                    (other / baselines.OBJECTS).replace(state / baselines.OBJECTS)
                baselines.save(state / baselines.NAME, known.on(device))
            baselines.forget(other / baselines.NAME)


def _above(folder: str) -> dict[Identity, str]:
    """The folders that this one lies in."""
    found = dict[Identity, str]()
    at = os.path.dirname(folder)
    while True:
        with suppress(OSError):
            now = os.stat(at, follow_symlinks=False)
            found[now.st_dev, now.st_ino] = at
        if at == os.path.dirname(at):
            return found
        at = os.path.dirname(at)


def _named(state: Path) -> str:
    """Where the workspace was when its state was made."""
    try:
        return os.fsdecode((state / _FOLDER).read_bytes())
    except OSError:
        known = baselines.load(state / baselines.NAME)  # of an earlier version
        return known.folder if known else ""


def _shares(named: str, folder: str) -> bool:
    return bool(named) and (_is_beneath(named, folder) or _is_beneath(folder, named))


def _is_there(known: Baseline) -> bool:
    try:
        now = os.stat(known.folder, follow_symlinks=False)
    except OSError:
        return False
    return known.is_of((now.st_dev, now.st_ino), baselines.born(known.folder))


def inherited(
    folder: str, kept: Mapping[str, Kept], own: Collection[str], known: Sequence[Baseline]
) -> dict[str, Kept]:
    """What was there before any program, given what is there now and what others know.

    `own` are those files that repositories are made of, and no settings lead to.
    """
    before = {
        path: each
        for path, each in kept.items()
        if not any(_is_watched(folder, path, path in own, other) for other in known)
    }
    for other in known:
        for path, each in _as_seen_from(folder, other, other.files):
            before[path] = msgspec.structs.replace(other.files[each], guarded=False)
    return before


def staged(folder: str, known: Iterable[Baseline]) -> dict[str, dict[str, tuple[int, str]]]:
    """What indexes in this folder hold for files that git would run, by what others know."""
    return {
        path: other.staged[each]
        for other in known
        for path, each in _as_seen_from(folder, other, other.staged)
    }


def led_to(folder: str, known: Iterable[Baseline]) -> Targets:
    """Where settings have led to in this folder, by what others know."""
    led = Targets()
    for other in known:
        led.includes.update(path for path, _ in _as_seen_from(folder, other, other.includes))
        led.hooks.update(path for path, _ in _as_seen_from(folder, other, other.hooks))
        led.programs.update(path for path, _ in _as_seen_from(folder, other, other.programs))
    return led


def unguarded(folder: str, mine: Baseline, known: Sequence[Baseline]) -> Baseline:
    """Without the word that nobody could write what others share: their sandboxes have other mounts."""

    def is_shared(path: str) -> bool:
        whole = os.path.join(folder, path)
        return any(_is_beneath(whole, other.folder) for other in known)

    files = {
        path: msgspec.structs.replace(each, guarded=False) if is_shared(path) else each
        for path, each in mine.files.items()
    }
    folders = {path: each for path, each in mine.guarded.items() if not is_shared(path)}
    return msgspec.structs.replace(mine, files=files, guarded=folders)


def _is_watched(folder: str, path: str, own: bool, other: Baseline) -> bool:
    """Whether the other one would know this file, had it been there before its programs."""
    whole = os.path.join(folder, path)
    if not _is_beneath(whole, other.folder):
        return False
    inside = os.path.relpath(whole, other.folder)
    if os.path.basename(path) == OURS and inside != OURS:
        return False
    return (
        own
        or inside in other.includes
        or inside in other.programs
        or any(
            _is_beneath(inside, os.path.dirname(each) if each.endswith("/_") else each)
            for each in other.hooks
        )
    )


def _as_seen_from(folder: str, other: Baseline, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Those paths of another workspace that lie in this folder, with what they are called there."""
    for path in paths:
        whole = os.path.normpath(os.path.join(other.folder, path))
        if _is_beneath(whole, folder):
            yield os.path.relpath(whole, folder), path


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
