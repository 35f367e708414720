"""Wardens without namespaces: programs held by Landlock and a strict filter, or by nothing at all.

The warden and its keepers stay outside the restrictions, where programs can neither signal nor reach them.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.pack import packed
from bottega.workspaces.sandbox.recipe import Descriptor, Recipe
from bottega.workspaces.sandbox.walls import interpreter, seccomp, view
from bottega.workspaces.sandbox.walls.landlock import Ruleset
from bottega.workspaces.sandbox.walls.view import User

_ETC = ("passwd", "group", "nsswitch.conf", "hosts", "localtime", "hostname")
_PROC = ("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version")
_USED = ("null", "zero", "full", "random", "urandom", "tty")
"""Devices that hold nothing of anybody's. Of terminals only one's own, as `tty`: whoever may open one of `/dev/pts` may
open them all, and a program has its own as open descriptors from its start."""
_GIT = "gitconfig"
_NAME = re.compile(r"bottega-(\d+)-\w+")


def scratch(user: User) -> str:
    """A folder for the temporary files and the home of one sandbox; what dead processes left is taken away."""
    place = Path(tempfile.gettempdir())
    for left in place.glob("bottega-*"):
        match = _NAME.fullmatch(left.name)
        if match and not Path("/proc", match[1]).exists() and left.stat().st_uid == user.uid:
            shutil.rmtree(left, ignore_errors=True)
    made = tempfile.mkdtemp(prefix=f"bottega-{os.getpid()}-")
    for name in ("tmp", "home"):
        os.mkdir(os.path.join(made, name), 0o700)
    Path(made, _GIT).write_text(view.gitconfig(user), "utf-8")
    if user.dropped:
        for path in (made, *(os.path.join(made, name) for name in ("tmp", "home", _GIT))):
            os.chown(path, user.uid, user.gid)
    return made


def environment(folder: str) -> dict[str, str]:
    return view.environment() | {
        "HOME": os.path.join(folder, "home"),
        "TMPDIR": os.path.join(folder, "tmp"),
        "GIT_CONFIG_SYSTEM": os.path.join(
            folder, _GIT
        ),  # git gives up where it may not read its own
    }


def ruleset(
    root: Root, own: str, user: User, readable: Sequence[str], shows_workspace: bool = True
) -> Ruleset:
    """The workspace and its scratch may be written, the system read, nothing else touched."""
    rules = Ruleset()
    prefix = interpreter.choose(user, root.path).prefix
    system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", *filter(None, [prefix])]
    rules.read([*system, *readable, *([] if user.is_root else ["/opt"])])
    rules.read([f"/etc/{name}" for name in (*view.ETC, *_ETC)])
    rules.read([f"/proc/{name}" for name in _PROC])
    rules.use([f"/dev/{name}" for name in _USED])
    rules.own([own, *([f"/proc/self/fd/{root.fileno()}"] if shows_workspace else [])])
    return rules


def maker(  # noqa: PLR0913 - each is a word of its own
    root: Root,
    own: str,
    user: User,
    bounds: Bounds,
    readable: Sequence[str] | None,
    shows_workspace: bool = True,
) -> Callable[[list[int]], Recipe]:
    """What makes the recipe of a warden on this machine itself; it is given a list for descriptors to close.

    `readable` None: nothing is restricted.
    """

    def make(descriptors: list[int]) -> Recipe:
        root.check_present()
        python = interpreter.choose(user, root.path)
        inside = os.memfd_create("inside")
        descriptors.append(inside)
        os.write(inside, packed())
        os.lseek(inside, 0, os.SEEK_SET)
        limits = bounds.rlimits()
        limits["RLIMIT_NPROC"] += threads(user.uid)  # counted for the user, wherever they run
        given: tuple[int, ...] = (root.fileno(),)
        if readable is not None:
            rules = ruleset(root, own, user, readable, shows_workspace).fd
            descriptors.append(rules)
            given = (*given, rules)
        return Recipe(
            command=(python.path, *_OPTIONS, f"/proc/self/fd/{inside}", Descriptor.CONTROL),
            keep=(inside,),
            setting={
                "limits": limits,
                "silence": bounds.silence,
                "filter": seccomp.filter_code(strict=True).hex() if readable is not None else "",
                "tell": [],
                "workspace": root.path,
            },
            given=given,
            user=(user.uid, user.gid) if user.dropped else None,
            beat=min(1.0, bounds.silence / 5),
        )

    return make


_OPTIONS = ("-I", "-S", "-B", "-X", "utf8")


def threads(uid: int) -> int:
    """How many the user has running now."""
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == uid:
                found += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue
    return found
