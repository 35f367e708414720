"""Places for the sandbox's tests: a workspace among things that must not be touched, and programs run in it."""

import asyncio
import ctypes
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from bottega.workspaces.sandbox.sandbox import Launch, Running, Sandbox
from bottega.workspaces.sandbox.walls import interpreter, view

ATTACK = Path(__file__).with_name("attack.py")
OWNER = 2001
"""Somebody who is not root and has no account."""
ROOT = os.geteuid() == 0
OWNERS = {"as-root": None, "as-owner": OWNER} if ROOT else {"as-oneself": None}
"""Whose the workspace is: root may work for another; whoever is not root is the owner already."""
KEY = 0x0B000000 | os.getpid() & 0xFFFFFF


class Done(NamedTuple):
    code: int
    out: str
    err: str


async def finished(program: Running) -> Done:
    """Read all that a program prints, and wait for its end."""
    descriptors = dict.fromkeys((program.stdout, program.stderr))
    texts = await asyncio.gather(*(asyncio.to_thread(_drained, fd) for fd in descriptors))
    return Done(await program.wait(), texts[0], texts[-1])


def _drained(fd: int) -> str:
    pieces: list[bytes] = []
    with open(fd, "rb", buffering=0, closefd=True) as file:
        try:
            while piece := file.read(1 << 16):
                pieces.append(piece)
        except OSError:  # a terminal ends so
            pass
    return b"".join(pieces).decode("utf-8", "replace")


async def run(sandbox: Sandbox, *argv: str, **options: Any) -> Done:
    return await finished(await sandbox.start(Launch(argv, **options)))


async def bash(sandbox: Sandbox, script: str, **options: Any) -> Done:
    return await run(sandbox, "bash", "-c", script, **options)


def python_in(folder: Path) -> str:
    """A Python that programs of this workspace have."""
    return interpreter.choose(view.owner(str(folder)), str(folder)).path


@contextmanager
def open_folder(owner: int | None = None) -> Iterator[Path]:
    """A temporary folder that everyone can reach; pytest's own are for its user alone."""
    base = Path(tempfile.mkdtemp(prefix="bottega-test-"))
    base.chmod(0o755)
    try:
        if owner is not None:
            os.chown(base, owner, owner)
        yield base
    finally:
        for folder, names, _ in os.walk(base):  # a test may have closed one of them, for itself too
            for each in (Path(folder, name) for name in names):
                if not each.is_symlink():
                    each.chmod(0o700)
        shutil.rmtree(base)


def given_to(base: Path, owner: int | None) -> None:
    """All of it is somebody's, so that no mode of a file does a wall's work."""
    if owner is not None:
        for folder, _, names in os.walk(base):
            for path in (folder, *(os.path.join(folder, name) for name in names)):
                os.chown(path, owner, owner, follow_symlinks=False)


def repository(workspace: Path) -> None:
    """A repository with a submodule's own inside, and hooks in a folder of the workspace besides."""
    subprocess.run(["git", "init", "-q", workspace], check=True)
    git = workspace / ".git"
    with (git / "config").open("a") as file:
        file.write("[core]\n\thooksPath = .husky/_\n[user]\n\tname = A\n\temail = a@example.org\n")
    module = git / "modules" / "lib"
    for folder in ("objects", "refs", "hooks"):
        (module / folder).mkdir(parents=True)
    (module / "HEAD").write_text("ref: refs/heads/main\n")
    (module / "config").write_text("[core]\n\tbare = false\n")
    (workspace / ".husky" / "_").mkdir(parents=True)


def scene(base: Path) -> dict[str, Any]:
    """A workspace with everything that is shielded, and around it what must not be reached."""
    workspace = base / "ws"
    workspace.mkdir()
    repository(workspace)
    outside, sibling, home = base / "outside", base / "ws-sibling", base / "home"
    for folder in (outside, sibling, home, outside / "moved"):
        folder.mkdir(parents=True)
    names = ("secret", "written", "removed", "taken", "replaced", "linked", "truncated", "modes")
    for path in (*(outside / name for name in names), sibling / "secret", home / "keys"):
        path.write_text("canary")
    return {
        "workspace": str(workspace),
        "outside": str(outside),
        "secret": str(outside / "secret"),
        "home": str(home),
        "socket": str(outside / "sock"),
    }


@contextmanager
def canaries(facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Servers, processes and shared things of the machine outside; each answers `canary` to whoever gets through."""
    name = f"bottega-{os.getpid()}-{os.path.basename(os.path.dirname(facts['workspace']))}"
    listeners = {
        "tcp": _bound(socket.AF_INET, ("0.0.0.0", 0)),
        "tcp6": _bound(socket.AF_INET6, ("::1", 0)),
        "abstract": _bound(socket.AF_UNIX, f"\0{name}"),
        "socket": _bound(socket.AF_UNIX, facts["socket"]),
    }
    datagrams = {
        "udp": _bound(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM),
        "udp6": _bound(socket.AF_INET6, ("::1", 0), socket.SOCK_DGRAM),
    }
    os.chmod(facts["socket"], 0o777)
    for each in listeners.values():
        threading.Thread(target=_answering, args=(each,), daemon=True).start()
    for each in datagrams.values():
        threading.Thread(target=_echoing, args=(each,), daemon=True).start()
    shared = Path("/dev/shm", name)
    shared.write_text("canary")
    shared.chmod(0o666)
    victim = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)", "victim"], env={"SECRET": "canary"}
    )
    try:
        with _kept_in_the_kernel(name), tempfile.NamedTemporaryFile() as temporary:
            yield {
                **facts,
                **{
                    key: each.getsockname()[1]
                    for key, each in (listeners | datagrams).items()
                    if "p" in key
                },
                "abstract": name,
                "shared": name,
                "queue": name,
                "key": KEY,
                "temporary": temporary.name,
                "victim": victim.pid,
                "pid": os.getpid(),
            }
    finally:
        victim.kill()
        victim.wait()
        shared.unlink()
        for each in (*listeners.values(), *datagrams.values()):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)  # wakes whoever waits at it
            each.close()


def _bound(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen(64)
    return made


def _answering(listener: socket.socket) -> None:
    while True:
        try:
            with listener.accept()[0] as client:
                client.sendall(b"canary")
        except OSError:
            return


def _echoing(bound: socket.socket) -> None:
    while True:
        try:
            said, address = bound.recvfrom(64)
            if not said:
                return
            bound.sendto(b"canary", address)
        except OSError:
            return


@contextmanager
def _kept_in_the_kernel(name: str) -> Iterator[None]:
    """Memory, a queue and a semaphore of System V under one key, and a queue by name."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
    made = 0o1666
    memory = libc.shmget(KEY, 4096, made)
    queue = libc.msgget(KEY, made)
    semaphore = libc.semget(KEY, 1, made)
    named = libc.mq_open(f"/{name}".encode(), os.O_RDWR | os.O_CREAT, 0o666, None)
    assert min(memory, queue, semaphore, named) >= 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        os.close(named)
        libc.mq_unlink(f"/{name}".encode())
        libc.shmctl(memory, 0, None)
        libc.msgctl(queue, 0, None)
        libc.semctl(semaphore, 0, 0)


def around(workspace: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything beside a workspace: modes, times and contents."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for folder, _, names in os.walk(workspace.parent):
        if Path(folder).is_relative_to(workspace) or "state" in Path(folder).parts:
            continue
        for name in names:
            path = Path(folder, name)
            seen = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (seen.st_mode, seen.st_mtime_ns, content)
    return found


async def attacked(sandbox: Sandbox, facts: dict[str, Any], python: str) -> dict[str, Any]:
    """What the attacking program tells from inside."""
    warden = 1 if sandbox.kind == "bubblewrap" else _warden_of(sandbox)
    told = json.dumps({**facts, "warden": warden, "plainly": False})
    source = ATTACK.read_text()
    done = await run(sandbox, python, "-I", "-S", "-c", source, told)
    assert done.code == 0, done
    return json.loads(done.out)


def attacked_plainly(facts: dict[str, Any]) -> dict[str, Any]:
    """The same without a sandbox, as far as it harms nothing."""
    told = json.dumps({**facts, "warden": os.getpid(), "plainly": True})
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ATTACK), told], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def _warden_of(sandbox: Any) -> int:
    return sandbox._warden._process.pid


class Pulse:
    """A pipe in a workspace that everything started after `held` keeps open: its end is the end of the last of it."""

    _numbers = count()

    def __init__(self, workspace: Path) -> None:
        self.name = f"alive-{next(self._numbers)}"
        self.held = f"exec 9>{self.name}; "
        self._path = workspace / self.name
        os.mkfifo(self._path)
        self._path.chmod(0o666)
        self._fd = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)

    async def stops(self, seconds: float) -> bool:
        """Whether all of it has ended within that time."""
        return await asyncio.to_thread(self._stops, time.monotonic() + seconds)

    def _stops(self, until: float) -> bool:
        while select.select([self._fd], [], [], max(0.0, until - time.monotonic()))[0]:
            try:
                return os.read(self._fd, 1) == b""
            except BlockingIOError:  # one ended while another began
                continue
        return False

    def close(self) -> None:
        os.close(self._fd)
        self._path.unlink()


async def line_of(program: Running) -> str:
    """The first line that a program prints."""

    def read() -> bytes:
        line = b""
        while not line.endswith(b"\n") and (piece := os.read(program.stdout, 1)):
            line += piece
        return line

    return (await asyncio.to_thread(read)).decode().strip()


def dropped(program: Running) -> None:
    """Close what its caller holds of it."""
    for fd in {program.stdin, program.stdout, program.stderr} - {-1}:
        os.close(fd)
