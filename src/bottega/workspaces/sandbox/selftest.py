"""Tries, in a real sandbox on this very machine, what no program may do there (`inside/leaks`).

What held is remembered for each kernel, bubblewrap and filter; what leaked is tried anew by every process.
"""

import asyncio
import glob
import json
import os
import platform
import secrets
import socket
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec

from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Launch
from bottega.workspaces.sandbox.walls import interpreter, seccomp, view

_FILE = "selftest.json"
_LONGEST = 60.0
"""Seconds."""


class SelfTest:
    def __init__(
        self, state: Path, version: str, opened: Callable[[Root], Awaitable[Opened]]
    ) -> None:
        """`opened` opens a sandbox on a folder; `version` is bubblewrap's."""
        self._file = state / _FILE
        self._opened = opened
        user = "root" if os.geteuid() == 0 else "user"
        self._about = f"{platform.release()} {version} {seccomp.VERSION} {user}"
        self._running: asyncio.Task[tuple[str, ...]] | None = None

    async def leaks(self) -> tuple[str, ...]:
        """What got through; empty: nothing. Runs once, whoever asks meanwhile."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        return await asyncio.shield(self._running)

    async def _run(self) -> tuple[str, ...]:
        if self._about in await asyncio.to_thread(self._passed):
            return ()
        try:
            async with asyncio.timeout(_LONGEST):
                found = await self._tried()
        except (Problem, OSError, TimeoutError) as problem:
            return (f"the self-test did not run: {problem or 'it took too long'}",)
        if not found:
            await asyncio.to_thread(self._remember)
        return found

    async def _tried(self) -> tuple[str, ...]:
        with ExitStack() as stack:
            folder, facts = await asyncio.to_thread(_scene, stack)
            sandbox = await self._opened(stack.enter_context(Root(folder)))
            try:
                python = interpreter.choose(view.owner(folder), folder).path
                source = Path(__file__).with_name("inside").joinpath("leaks.py").read_text("utf-8")
                argv = (python, "-I", "-S", "-B", "-X", "utf8", "-c", source, json.dumps(facts))
                program = await sandbox.start(Launch(argv))
                said, complained = await asyncio.gather(
                    asyncio.to_thread(_whole, program.stdout),
                    asyncio.to_thread(_whole, program.stderr),
                )
                await program.wait()
            finally:
                await sandbox.close()
        try:
            return msgspec.json.decode(said, type=tuple[str, ...])
        except msgspec.DecodeError:
            last = complained.decode("utf-8", "replace").strip().splitlines()[-1:]
            return (f"the self-test did not run: {''.join(last) or 'it said nothing'}",)

    def _passed(self) -> list[str]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=list[str])
        except (OSError, msgspec.DecodeError):
            return []

    def _remember(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._file.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(msgspec.json.encode([*self._passed(), self._about][-20:]))
        os.replace(temporary, self._file)


def _scene(stack: ExitStack) -> tuple[str, dict[str, object]]:
    """A folder to work in, and what must not be reached from it."""
    base = os.path.realpath(
        stack.enter_context(tempfile.TemporaryDirectory(prefix="bottega-test-"))
    )
    folder, secret = os.path.join(base, "workspace"), os.path.join(base, "secret")
    os.makedirs(os.path.join(folder, ".git", "hooks"))
    for name in (".git/config", ".git/HEAD", ".bottega.toml"):
        Path(folder, name).write_text("", "utf-8")
    Path(secret).write_text("secret", "utf-8")
    listener = stack.enter_context(socket.socket())
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    name = f"bottega-{secrets.token_hex(8)}"
    abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
    abstract.bind(f"\0{name}")
    abstract.listen()
    stream = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
    stream.bind(os.path.join(folder, "stream"))
    stream.listen()
    packets = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    packets.bind(os.path.join(folder, "packets"))
    return folder, {
        "workspace": folder,
        "secret": secret,
        "port": listener.getsockname()[1],
        "abstract": name,
        "pid": os.getpid(),
        "disks": glob.glob("/dev/[svn]d*") + glob.glob("/dev/nvme*") + ["/dev/mem", "/dev/kmsg"],
    }


def _whole(fd: int) -> bytes:
    with open(fd, "rb") as file:
        return file.read(1 << 20)
