"""Severity: high. A program that an agent left in a shell outlives the run, and writes what git would run again, each
time that it is undone, for as long as the shell is open.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox import opened
from bottega.workspaces.sandbox.sandbox import Launch
from bottega.workspaces.shells.shells import BUFFER, Shells
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import line_of

pytestmark = needs_bubblewrap
WRITE = "echo x > n/.git/hooks/{0}; chmod +x n/.git/hooks/{0}"
LOOPS = {
    "another each time": f"while :; do {WRITE.format('$RANDOM')}; sleep 0.01; done",
    "now and then": f"while :; do {WRITE.format('pre-commit')}; sleep 0.35; done",
}


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setattr(opened, "_PAUSE", 0.1)
    monkeypatch.setattr(opened, "_SOON", 0.05)
    with rooms.open_folder() as base:
        scene = Scene(base)
        scene.outside("git init -q n; mkdir -p n/.git/hooks")
        yield scene


def _outputs(place: Path) -> Outputs:
    return Outputs(place, head=0, tail=BUFFER)


def _hooks(scene: Scene) -> list[Path]:
    found = scene.folder.glob("n/.git/hooks/*")
    return [each for each in found if not each.name.endswith(".sample")]


@pytest.mark.parametrize("way", LOOPS)
async def test_a_shell_in_which_something_plants_again_and_again_is_ended(
    scene: Scene, way: str
) -> None:
    shells = Shells(scene.local(), _outputs(scene.base / "outputs"))
    with Root(scene.folder) as root:
        shell = (await shells.open(root, "ses_1")).shell
    other = await scene.local().open(Root(scene.folder))
    await shell.run(f"({LOOPS[way]}) >/dev/null 2>&1 & true", 10)
    await shell.undone()
    until = time.monotonic() + 20
    while not shell.ended and time.monotonic() < until:
        await asyncio.sleep(0.02)
    assert shell.ended
    await shell.close()
    assert _hooks(scene) == []
    told = " ".join(await other.undone())
    while "were ended" not in told and time.monotonic() < until:  # it is told once it is done
        await asyncio.sleep(0.02)
        told += " ".join(await other.undone())
    assert "were ended" in told
    await other.close()
    await shells.close_all()


async def test_who_waits_for_a_command_and_a_persons_terminal_lose_nothing(scene: Scene) -> None:
    """A test suite of a tool for git makes hooks all the time; it is undone, and goes on."""
    person = Shells(scene.local(), _outputs(scene.base / "outputs"), announces=True)
    with Root(scene.folder) as root:
        terminal = (await person.open(root, "person")).shell
    sandbox = await scene.local().open(Root(scene.folder))
    plant = WRITE.format("pre-commit")
    loop = f"for i in 1 2 3 4 5; do {plant}; while [ -e n/.git/hooks/pre-commit ]; do :; done; done"
    with sandbox.attended():
        program = await sandbox.start(Launch(("bash", "-c", f"{loop}; echo done")))
        assert await line_of(program) == "done"
    await program.kill()
    rooms.dropped(program)
    left = await sandbox.start(Launch(("bash", "-c", f"{LOOPS['another each time']}")))
    assert await left.wait() < 0
    rooms.dropped(left)
    assert not terminal.ended
    assert (await terminal.run("echo here", 10)).exit_code == 0
    await sandbox.close()
    await person.close_all()
    assert _hooks(scene) == []
