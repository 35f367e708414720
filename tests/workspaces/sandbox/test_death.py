"""A sandbox dies with its owner: killed, stopped, stuck or simply gone; nothing that it started is left."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from bottega.workspaces.sandbox.sandbox import Kind
from tests.processes import running
from tests.workspaces.sandbox.needs import needs_bubblewrap, only_bubblewrap
from tests.workspaces.sandbox.rooms import Pulse

Owned = Callable[[float, str], AbstractContextManager[subprocess.Popen[str]]]

OWNER = """
    import asyncio, os, sys, time
    from pathlib import Path
    from bottega.workspaces.sandbox.bounds import Bounds
    from bottega.workspaces.confine import Root
    from bottega.workspaces.sandbox.local import Local
    from bottega.workspaces.sandbox.sandbox import Launch

    kind, folder, state, silence, then, held = sys.argv[1:]

    async def main():
        local = Local(Path(state), best=kind, unsandboxed=True, bounds=Bounds(silence=float(silence)))
        sandbox = await local.open(Root(folder))
        script = held + "(setsid sleep 600 & ); trap '' TERM; echo up; sleep 600"
        program = await sandbox.start(Launch(("bash", "-c", script)))
        await asyncio.to_thread(os.read, program.stdout, 3)
        print("up", flush=True)
        if then == "stuck":
            time.sleep(600)
        if then == "leave":
            return
        print(await program.wait(), flush=True)
        again = await sandbox.start(Launch(("echo", "again")))
        print((await asyncio.to_thread(os.read, again.stdout, 6)).decode(), flush=True)
        await sandbox.close()

    asyncio.run(main())
"""


@pytest.fixture
def owned(kind: Kind, workspace: Path, tmp_path: Path, pulse: Pulse) -> Owned:
    """An owner that has started something in a sandbox, and what it does then."""

    def begin(silence: float, then: str) -> AbstractContextManager[subprocess.Popen[str]]:
        return running(OWNER, kind, workspace, tmp_path / "state", str(silence), then, pulse.held)

    return begin


def _children(pid: int) -> list[int]:
    command = ["pgrep", "-P", str(pid)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(each) for each in found.stdout.split()]


async def test_a_killed_owner_leaves_nothing(owned: Owned, pulse: Pulse) -> None:
    with owned(600, "wait") as owner:
        owner.kill()
        assert await pulse.stops(5)


async def test_an_owner_that_leaves_without_a_word_leaves_nothing(
    owned: Owned, pulse: Pulse
) -> None:
    with owned(600, "leave") as owner:
        assert await pulse.stops(5)
        assert owner.wait(10) == 0


async def test_a_stopped_owners_commands_die_and_it_can_start_others_when_it_goes_on(
    owned: Owned, pulse: Pulse
) -> None:
    with owned(0.5, "wait") as owner:
        os.kill(owner.pid, signal.SIGSTOP)
        assert await pulse.stops(10)
        os.kill(owner.pid, signal.SIGCONT)
        said, errors = owner.communicate(timeout=20)
        assert said.split() == ["-9", "again"], errors


@needs_bubblewrap
@only_bubblewrap
async def test_an_owner_whose_loop_is_stuck_counts_as_dead(owned: Owned, pulse: Pulse) -> None:
    with owned(0.5, "stuck"):
        assert await pulse.stops(10)


@needs_bubblewrap
@only_bubblewrap
async def test_an_owner_that_speaks_keeps_its_commands(owned: Owned, pulse: Pulse) -> None:
    with owned(2.0, "wait"):
        assert not await pulse.stops(2.5)


@pytest.mark.parametrize("kind", ["none", "landlock"], scope="module")
async def test_a_murdered_warden_takes_everything_along(owned: Owned, pulse: Pulse) -> None:
    """Without namespaces nobody but its keepers ends what it started."""
    with owned(600, "wait") as owner:
        for pid in _children(owner.pid):
            os.kill(pid, signal.SIGKILL)
        assert await pulse.stops(5)
