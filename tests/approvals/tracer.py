"""Commands run in a real bash, and what it really did: every program it started, with its words, and every file.

All of it happens inside bubblewrap: nothing but a scratch folder can be written, there is no network, and the PATH
holds only stand-ins that note how they were called. Those named in `RUNNERS` then run the command they are given.
"""

import json
import os
import resource
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PROGRAMS = ("a", "b", "c", "git", "npm", "rm", "ls", "q r", "é")
RUNNERS = ("env", "sudo", "xargs", "timeout", "nohup")
FILES = ("x", "y", "-n", "sub/z")
"""What stands in the scratch folder, for globs to find."""
UNTOUCHED = {name: name for name in FILES}

_NOTE = """#!/bin/sh
printf '%s\\0' "${{0##*/}}" "$@" ':end:' >> {log}
"""
_RUN = """while :; do case "$1" in -*|*=*|[0-9]*) shift ;; *) break ;; esac; done
[ $# -eq 0 ] || exec "$@"
"""


class Trace(NamedTuple):
    started: list[tuple[str, ...]]
    """Programs with their words, as they were started."""
    files: dict[str, str]
    """What the scratch folder holds afterwards."""


def traced(commands: list[str], folder: Path) -> list[Trace]:
    """Run each command by itself; `folder` is empty and the caller's."""
    stubs = folder / "stubs"
    stubs.mkdir(parents=True)
    for name in (*PROGRAMS, *RUNNERS):
        stub = stubs / name
        stub.write_text(_NOTE.format(log=folder / "log") + (_RUN if name in RUNNERS else ""))
        stub.chmod(0o755)
    (folder / "commands").write_text(json.dumps(commands))
    subprocess.run(
        [
            *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *("--bind", str(folder), str(folder), "--chdir", str(folder)),
            *(sys.executable, "-I", "-S", __file__, str(folder)),
        ],
        check=True,
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
    )
    found = json.loads((folder / "traces").read_text())
    return [Trace([tuple(each) for each in started], files) for started, files in found]


def _inside(folder: Path) -> None:
    """The part that runs in the sandbox."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    commands = json.loads((folder / "commands").read_text())
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    found = [_one(command, folder) for command in commands]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (folder / "traces").write_text(json.dumps(found))


def _one(command: str, folder: Path) -> tuple[list[list[str]], dict[str, str]]:
    scratch, log = folder / "scratch", folder / "log"
    log.write_bytes(b"")
    (scratch / "sub").mkdir(parents=True)
    for name in FILES:
        (scratch / name).write_text(name)
    _run(command, scratch, folder / "stubs")
    files = {
        str(path.relative_to(scratch)): path.read_text(errors="replace")
        for path in scratch.rglob("*")
        if path.is_file()
    }
    shutil.rmtree(scratch)
    calls = log.read_bytes().decode(errors="surrogateescape").split(":end:\0")
    return [call.split("\0")[:-1] for call in calls if call], files


def _run(command: str, scratch: Path, stubs: Path) -> None:
    """Until all that it started has ended, which holds a pipe open; what takes too long is ended.

    FUNCNEST keeps a function that calls itself from going on for ever.
    """
    environment = {"PATH": str(stubs), "LC_ALL": "C.UTF-8", "HOME": str(scratch), "FUNCNEST": "3"}
    done, held = os.pipe()
    try:
        process = subprocess.Popen(
            ["/bin/bash", "--norc", "--noprofile", "-c", command],
            cwd=scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(held,),
            start_new_session=True,
        )
    except ValueError:  # a NUL: nothing could start it
        process = None
    os.close(held)
    if process is not None:
        if not select.select([done], [], [], 3.0)[0]:
            os.killpg(process.pid, 9)
            print("SLOW", repr(command), flush=True)
        process.wait()
    os.close(done)


if __name__ == "__main__":
    _inside(Path(sys.argv[1]))
