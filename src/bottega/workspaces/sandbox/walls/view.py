"""What a program sees besides its workspace: the system's programs, and an /etc that tells nothing of the host.

Nothing here can be written but /tmp and the home folder, which are memory and end with the sandbox.
"""

import os
import pwd
import subprocess
from collections.abc import Iterator

import msgspec

from bottega.workspaces import programs

HOME = "/run/agent"
USER = "agent"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
ETC = (
    "alternatives",
    "bash_completion.d",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "inputrc",
    "java-17-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "magic",
    "mime.types",
    "os-release",
    "pki/ca-trust",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
)
"""What is the same for everyone; no keys, no names, no addresses."""


class User(msgspec.Struct, frozen=True):
    """Whom programs run as: outside, and as they see themselves."""

    uid: int
    gid: int
    seen_uid: int
    seen_gid: int
    dropped: bool
    """The studio is root and this is somebody else."""

    @property
    def is_root(self) -> bool:
        return self.uid == 0


def owner(folder: str | int) -> User:
    """The studio's own user; if that is root, the owner of the folder, which may be an open one."""
    mine, group = os.geteuid(), os.getegid()
    if mine != 0:
        return User(mine, group, mine, group, False)
    found = os.stat(folder)
    if found.st_uid == 0:
        return User(0, 0, 1000, 1000, False)
    return User(found.st_uid, found.st_gid, found.st_uid, found.st_gid, True)


def environment(language: str = "C.UTF-8") -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": HOME,
        "LANG": language,
        "TERM": "xterm-256color",
        "USER": USER,
        "TMPDIR": "/tmp",  # noqa: S108
    }


def system(user: User, scratch: int) -> Iterator[str]:
    """The mounts of everything but the workspace, as arguments of bubblewrap."""
    for place in ("/etc", "/run", "/var"):
        yield from ("--perms", "0755", "--dir", place)
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _LINKED:
        if os.path.islink(f"/{name}"):
            yield from ("--symlink", os.readlink(f"/{name}"), f"/{name}")
        elif os.path.isdir(f"/{name}"):
            yield from ("--ro-bind", f"/{name}", f"/{name}")
    if not user.is_root:  # a root-owned secret in there could be read by a root without rights
        yield from ("--ro-bind-try", "/opt", "/opt")
    for name in ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    if os.path.islink("/etc/localtime"):
        yield from ("--symlink", os.path.realpath("/etc/localtime"), "/etc/localtime")
    yield from ("--proc", "/proc", "--dev", "/dev")
    for place, mode in (("/tmp", "1777"), (HOME, "0700"), ("/dev/shm", "1777")):  # noqa: S108
        yield from ("--perms", mode, "--size", str(scratch), "--tmpfs", place)
    yield from ("--symlink", "/tmp", "/var/tmp")  # noqa: S108


def sealed() -> Iterator[str]:
    """What makes the rest unwritable, once every mount is in place."""
    for place in ("/", "/dev", "/proc"):
        yield from ("--remount-ro", place)


def files(user: User) -> dict[str, str]:
    """The files of /etc that are written for the sandbox."""
    uid, gid = user.seen_uid, user.seen_gid
    return {
        "/etc/passwd": f"root:x:0:0:root:/root:/bin/sh\n{USER}:x:{uid}:{gid}::{HOME}:/bin/bash\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
        "/etc/group": f"root:x:0:\n{USER}:x:{gid}:\nnogroup:x:65534:\n",
        "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
        "/etc/resolv.conf": "",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        "/etc/hostname": "bottega\n",
        "/etc/gitconfig": gitconfig(user),
    }


def gitconfig(user: User) -> str:
    """Who commits, as the user's own git says; no doubt about whose folder it is, or what is elsewhere."""
    lines = ["[safe]", "\tdirectory = *"]
    lines += ["[gc]", "\tworktreePruneExpire = never"]  # those elsewhere cannot be seen here
    try:
        own = os.path.join(pwd.getpwuid(user.uid).pw_dir, ".gitconfig")
    except KeyError:
        own = ""
    said = {name: _git(own, f"user.{name}") for name in ("name", "email")} if own else {}
    if any(said.values()):
        lines.append("[user]")
        for name, value in said.items():
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            lines += [f'\t{name} = "{quoted}"'] if value else []
    return "\n".join([*lines, ""])


def _git(file: str, key: str) -> str:
    if not os.path.isfile(file):
        return ""
    program = programs.find("git")
    if program is None:
        return ""
    try:
        asked = [program, "config", "--file", file, "--get", key]
        done = subprocess.run(asked, capture_output=True, timeout=5, check=False, cwd="/", env={})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip().replace("\n", " ")
