"""Git's settings outside of a workspace: where they are, and what the paths in them mean."""

import os
import pwd
from collections.abc import Iterator, Mapping

from bottega.regular_file import read_regular
from bottega.workspaces.confine import PATH_MAX
from bottega.workspaces.git.files import LARGEST

_SYSTEM = (
    *("/etc/gitconfig", "/usr/etc/gitconfig", "/usr/local/etc/gitconfig"),
    *("/opt/homebrew/etc/gitconfig", "/opt/local/etc/gitconfig"),
)
_PREFIXES = ("/usr", "/usr/local")
"""What `%(prefix)` may stand for."""
_HOME = ("~", "$HOME", "${HOME}")
_named: dict[str, str] = {}


def learn(environment: Mapping[str, str]) -> None:
    """Remember what the process's environment says about git's settings."""
    for name in ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        if os.path.isabs(value := environment.get(name, "")):
            _named[name] = value


def files(owner: int) -> list[str]:
    """The person's and the machine's; the folder may be another user's, who has settings of their own."""
    found = [*_SYSTEM, *(_named[name] for name in _named if name.startswith("GIT_CONFIG"))]
    for home in homes(owner):
        found += [f"{home}/.gitconfig", f"{home}/.config/git/config"]
    if above := _named.get("XDG_CONFIG_HOME"):
        found.append(f"{above}/git/config")
    return list(dict.fromkeys(map(os.path.normpath, found)))


def homes(owner: int) -> list[str]:
    found = [_named["HOME"]] if "HOME" in _named else []
    for user in (os.geteuid(), owner):
        try:
            found.append(pwd.getpwuid(user).pw_dir)
        except KeyError:
            continue
    return list(dict.fromkeys(each for each in found if os.path.isabs(each)))


def paths(base: str, value: str, owner: int) -> Iterator[str]:
    """What a path in a setting may mean, absolute: as it is spelled, and past all links."""
    if not value or "\0" in value or len(value) > PATH_MAX:
        return  # nobody can open it
    for meant in _expanded(value, owner):
        whole = os.path.normpath(os.path.join(base, meant))
        yield whole
        real = os.path.realpath(os.path.join(base, meant))
        if real != whole:
            yield real


def _expanded(value: str, owner: int) -> Iterator[str]:
    start, _, rest = value.partition("/")
    if start in _HOME:
        yield from (os.path.join(home, rest.lstrip("/")) for home in homes(owner))
    elif value.startswith("~"):
        yield os.path.expanduser(value)
    elif value.startswith("%(prefix)/"):
        yield from (prefix + value.removeprefix("%(prefix)") for prefix in _PREFIXES)
    else:
        yield value


def raw(path: str) -> bytes:
    """Of a file that is not opened beneath the workspace, and may yet be what a program has put there."""
    try:
        return read_regular(path, LARGEST)
    except (OSError, ValueError):
        return b""
