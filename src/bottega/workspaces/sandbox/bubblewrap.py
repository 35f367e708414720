"""Sandboxes by bubblewrap: namespaces of their own, and a view in which only the workspace can be written."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from bottega.workspaces.sandbox import interpreter, seccomp, view
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.view import User
from bottega.workspaces.sandbox.warden import Recipe

_INSIDE = "/run/inside.py"


class Bubblewrap(msgspec.Struct, frozen=True):
    """The program, as it was found on this machine."""

    path: str
    version: str
    options: frozenset[str]

    def has(self, option: str) -> bool:
        return option in self.options


def find() -> Bubblewrap | None:
    """None: it is not installed, or too old to be of use."""
    path = shutil.which("bwrap")
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
    found = Bubblewrap(path, told.split()[-1], frozenset(re.findall(r"--[a-z0-9-]+", usage)))
    needed = ("--perms", "--size", "--info-fd", "--as-pid-1", "--remount-ro", "--clearenv")
    return found if all(map(found.has, needed)) else None


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What one sandbox is to hold."""

    folder: str
    user: User
    bounds: Bounds
    readable: Sequence[str] = ()
    """Folders outside the workspace that can be read."""
    guards: Sequence[str] = ()
    """What is done to the workspace once it is there, as arguments."""


def recipe(bwrap: Bubblewrap, room: Room, descriptors: list[int]) -> Recipe:
    """How to start its warden. `descriptors` gets what is to be closed afterwards."""
    python = interpreter.choose(room.user, room.folder)
    inside = Path(__file__).with_name("inside.py").read_text("utf-8")
    given = {**view.files(room.user), _INSIDE: inside}
    filter_fd = _held(seccomp.filter_code(), descriptors)
    command = [
        bwrap.path,
        *_separate(bwrap, room.user),
        *view.system(room.user, room.bounds.scratch),
        *_readable((*room.readable, *filter(None, [python.prefix]))),
        *_files(given, descriptors),
        *("--bind", room.folder, room.folder),
        *room.guards,
        *view.sealed(),
        *("--chdir", room.folder, "--seccomp", str(filter_fd), "--info-fd", "{status}", "--"),
        *(python.path, "-I", "-S", "-B", "-X", "utf8", _INSIDE, "{control}"),
    ]
    return Recipe(
        command=tuple(command),
        keep=tuple(descriptors),
        setting={"limits": room.bounds.rlimits(), "silence": room.bounds.silence, "filter": ""},
        user=(room.user.uid, room.user.gid) if room.user.dropped else None,
        beat=min(1.0, room.bounds.silence / 5),
    )


def _separate(bwrap: Bubblewrap, user: User) -> list[str]:
    nested = ["--disable-userns"] if bwrap.has("--disable-userns") else []
    seen = ["--uid", str(user.seen_uid), "--gid", str(user.seen_gid)]
    return [
        *("--unshare-all", "--unshare-user", *nested, *seen, "--hostname", "bottega"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--clearenv", "--cap-drop", "ALL"),
    ]


def _readable(folders: Iterable[str]) -> list[str]:
    return [part for folder in folders for part in ("--ro-bind-try", folder, folder)]


def _files(texts: Mapping[str, str], descriptors: list[int]) -> list[str]:
    arguments: list[str] = []
    for path, text in texts.items():
        held = str(_held(text.encode(), descriptors))
        arguments += ["--perms", "0644", "--file", held, path]
    return arguments


def _held(content: bytes, descriptors: list[int]) -> int:
    """The content as a descriptor that is read from its beginning."""
    fd = os.memfd_create("sandbox")
    descriptors.append(fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
