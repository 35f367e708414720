"""Sandboxes by bubblewrap: namespaces of their own, and a view in which only the workspace can be written."""

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from bottega.errors import Problem
from bottega.workspaces import own_code, programs
from bottega.workspaces.confine import Identity, Root
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.pack import packed
from bottega.workspaces.sandbox.recipe import Descriptor, Recipe
from bottega.workspaces.sandbox.shields.shield import Shield, identities, shields
from bottega.workspaces.sandbox.walls import interpreter, seccomp, view
from bottega.workspaces.sandbox.walls.ordered import ordered
from bottega.workspaces.sandbox.walls.view import User

_INSIDE = "/run/inside"


class Bubblewrap(msgspec.Struct, frozen=True):
    """The program, as it was found on this machine."""

    path: str
    version: str
    options: frozenset[str]

    def has(self, option: str) -> bool:
        return option in self.options


def find() -> Bubblewrap | None:
    """None: it is not installed, or too old to be of use."""
    path = programs.find("bwrap")
    if path is None:
        return None
    try:
        told, usage = (
            subprocess.run(
                [path, option], capture_output=True, text=True, timeout=10, check=True, env={}
            ).stdout
            for option in ("--version", "--help")
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if not _works(path):
        return None
    found = Bubblewrap(path, told.split()[-1], frozenset(re.findall(r"--[a-z0-9-]+", usage)))
    needed = ("--perms", "--size", "--info-fd", "--as-pid-1", "--remount-ro", "--clearenv")
    return found if all(map(found.has, needed)) else None


def _works(path: str) -> bool:
    """Some systems let nobody but root have namespaces."""
    trial = [path, "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--", "/bin/true"]
    try:
        done = subprocess.run(trial, capture_output=True, timeout=10, check=False, env={})
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What one sandbox is to hold."""

    root: Root
    user: User
    bounds: Bounds
    readable: Sequence[str] = ()
    """Folders outside the workspace that can be read."""
    hidden: Sequence[str] = ()
    """What must not be seen, even where it lies in a folder that is."""
    closed: Sequence[str] = ()
    """Real paths of folders that are empty inside, the workspace excepted where it is one."""
    shows_workspace: bool = True

    @property
    def folder(self) -> str:
        return self.root.path


def maker(bwrap: Bubblewrap, room: Room, guard: Guard) -> Callable[[list[int]], Recipe]:
    """What makes the recipe of a warden, as the workspace is then; it is given a list for descriptors to close."""

    def make(descriptors: list[int]) -> Recipe:
        room.root.check_present()
        guard.check()
        if not room.shows_workspace:
            return _recipe(bwrap, room, (), descriptors)
        found = shields(room.folder, room.hidden, guard.targets())
        frozen = [each.path for each in found if each.how == "freeze"]
        guard.mounted(os.path.relpath(each, room.folder) for each in frozen)
        found = with_own_code(found, room.folder)
        return _recipe(bwrap, room, found, descriptors)

    return make


def _recipe(
    bwrap: Bubblewrap, room: Room, shielded: Sequence[Shield], descriptors: list[int]
) -> Recipe:
    seen = identities(shielded)
    expected = _expected(room.root, shielded) if room.shows_workspace else {}
    emptied = _emptied(room)
    python = interpreter.choose(room.user, room.folder)
    texts = {path: text.encode() for path, text in view.files(room.user).items()}
    given = {**texts, _INSIDE: packed()}
    filter_fd = _held(seccomp.filter_code(), descriptors)
    command = [
        bwrap.path,
        *_separate(bwrap, room.user),
        *view.system(room.user, room.bounds.scratch),
        *_readable(open_folders(room.readable, room.closed), room.hidden),
        *(part for each in emptied for part in ("--perms", "0755", "--tmpfs", each)),
        *_readable(filter(None, [python.prefix]), room.hidden),
        *_files(given, descriptors),
        *_workspace(room),
        *(part for shield in shielded for part in shield.arguments()),
        *(part for each in emptied for part in ("--remount-ro", each)),
        *view.sealed(),
        *("--chdir", room.folder, "--seccomp", str(filter_fd), "--info-fd"),
        *(Descriptor.STATUS, "--"),
        *(python.path, "-I", "-S", "-B", "-X", "utf8", _INSIDE),
        Descriptor.CONTROL,
    ]
    return Recipe(
        command=tuple(command),
        keep=tuple(descriptors),
        setting={
            "limits": room.bounds.rlimits(),
            "silence": room.bounds.silence,
            "filter": "",
            "tell": list(expected),
            "mounts": ordered(command, room.folder),
        },
        expected=expected,
        user=(room.user.uid, room.user.gid) if room.user.dropped else None,
        beat=min(1.0, room.bounds.silence / 5),
        holds=lambda: identities(shielded) == seen,
    )


def _workspace(room: Room) -> tuple[str, ...]:
    if not room.shows_workspace:  # an empty folder, in which programs start all the same
        return ("--perms", "0755", "--tmpfs", room.folder, "--remount-ro", room.folder)
    how = "--ro-bind" if _is_own_code(room.folder) else "--bind"
    return (how, room.folder, room.folder)


def open_folders(readable: Iterable[str], closed: Sequence[str]) -> list[str]:
    """Those that lie in no closed one."""
    return [
        each for each in readable if not any(own_code.is_beneath(each, folder) for folder in closed)
    ]


def _emptied(room: Room) -> list[str]:
    """The closed folders that would be seen in another, the outermost of them."""
    shown = [*open_folders(room.readable, room.closed), *([] if room.user.is_root else ["/opt"])]
    found: list[str] = []
    for each in sorted(set(room.closed)):
        if own_code.is_beneath(each, room.folder):
            continue
        seen = any(own_code.is_beneath(each, above) for above in shown)
        if seen and os.path.isdir(each) and not any(own_code.is_beneath(each, a) for a in found):
            found.append(each)
    return found


def _expected(root: Root, shielded: Sequence[Shield]) -> dict[str, Identity]:
    """What is to stand at the workspace and, seen from there, at each shield: from the open folder, past no link."""
    found = {root.path: root.identity}
    for shield in shielded:
        if shield.how == "hide":  # an empty folder of the sandbox's own
            continue
        try:
            seen = root.stat(shield.path, follow=False)
            here = (seen.st_dev, seen.st_ino)
        except (Problem, OSError):
            here = (-1, -1)  # gone, or a link by now: whatever is mounted there is refused
        found[os.path.relpath(shield.path, root.path)] = here
    return found


def with_own_code(found: Sequence[Shield], folder: str) -> list[Shield]:
    """The same shields, and those of the running program's code in the workspace; outer folders come first.

    Whatever is mounted later would cover what was mounted inside it before.
    """
    every = {shield.path: shield for shield in found}
    for path in own_code.within(folder):
        for parent in own_code.parents(path, folder):
            every.setdefault(parent, Shield(parent, "pin"))
        every[path] = Shield(path, "freeze")
    return sorted(every.values(), key=lambda shield: shield.path.count("/"))


def _is_own_code(folder: str) -> bool:
    return any(own_code.is_beneath(folder, each) for each in own_code.protected().paths)


def _separate(bwrap: Bubblewrap, user: User) -> list[str]:
    nested = ["--disable-userns"] if bwrap.has("--disable-userns") else []
    seen = ["--uid", str(user.seen_uid), "--gid", str(user.seen_gid)]
    return [
        *("--unshare-all", "--unshare-user", *nested, *seen, "--hostname", "bottega"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--clearenv", "--cap-drop", "ALL"),
    ]


def _readable(folders: Iterable[str], hidden: Sequence[str]) -> list[str]:
    arguments: list[str] = []
    for folder in folders:
        arguments += ["--ro-bind-try", folder, folder]
        for path in hidden:
            if os.path.isdir(path) and os.path.commonpath([path, folder]) == folder:
                arguments += Shield(path, "hide").arguments()
    return arguments


def _files(contents: Mapping[str, bytes], descriptors: list[int]) -> list[str]:
    arguments: list[str] = []
    for path, content in contents.items():
        held = str(_held(content, descriptors))
        arguments += ["--perms", "0644", "--file", held, path]
    return arguments


def _held(content: bytes, descriptors: list[int]) -> int:
    """The content as a descriptor that is read from its beginning."""
    fd = os.memfd_create("sandbox")
    descriptors.append(fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
