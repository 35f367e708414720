"""Severity: high (H1). The ways of the finding, by an agent in allow mode, and what is told of them afterwards."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from bottega.events.event import Event
from bottega.sessions.session import HOST
from bottega.studio import Studio
from tests.workers.test_acting import SAY, call, ran, results, told
from tests.workspaces.sandbox.needs import needs_bubblewrap

pytestmark = needs_bubblewrap

PLANTS = {
    "a repository beneath, and its link in the index": (
        "mkdir sub && cd sub && git init -q ."
        " && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m s"
        " && git config core.fsmonitor 'touch {canary}; false' && cd .. && git add sub"
    ),
    "hooks in a folder that was not there": (
        "mkdir .githooks && printf '#!/bin/sh\\ntouch {canary}\\n' > .githooks/pre-commit"
        " && chmod +x .githooks/pre-commit"
    ),
    "an included file that was not there": (
        "printf '[core]\\n\\tfsmonitor = touch {canary}; false\\n' > .gitconfig-local"
    ),
    "a repository that was there": (
        "git -C nested config core.fsmonitor 'touch {canary}; false' && git add nested"
    ),
}
OUTSIDE = "git status; git diff; git add -A; git commit -qm person; git status"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def project(folder: Path) -> Path:
    outside(
        folder,
        "git init -q -b main; git config user.name P; git config user.email p@example.org; git add .; git commit -qm 1;"
        "git config core.hooksPath .githooks; git config include.path ../.gitconfig-local;"
        "git init -q nested; git -C nested -c user.name=N -c user.email=n@n commit -q --allow-empty -m n",
    )
    return folder


def outside(folder: Path, script: str) -> None:
    subprocess.run(["sh", "-c", script], cwd=folder, check=False, capture_output=True)


def planted(log: list[Event]) -> list[Any]:
    errors = [event.data for event in log if event.type == "error_message"]
    return [each for each in errors if each.code == "planted"]


@pytest.mark.parametrize("way", PLANTS)
async def test_the_persons_next_git_command_runs_nothing_and_the_result_says_why(
    home: Path, project: Path, scripted: Any, canary: Path, way: str
) -> None:
    command = PLANTS[way].format(canary=canary)
    log = await ran(home, project, scripted([call("bash_exec", command=command)], SAY))
    outside(project, OUTSIDE)
    assert not canary.exists()
    (result,) = results(log)
    assert "Undone: " in told(result)["result"]["note"]
    assert planted(log) == []
    (folder,) = (home / "sandbox" / "quarantine").iterdir()
    assert os.listdir(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_what_is_planted_when_the_run_ends_is_told_in_the_log(
    home: Path, project: Path, scripted: Any, canary: Path
) -> None:
    plant = PLANTS["hooks in a folder that was not there"].format(canary=canary)
    command = f"(while [ ! -e go ]; do sleep 0.01; done; {plant}) >/dev/null 2>&1 &"
    last = call("write_file", file_path="go", content="")
    wait = call("bash_exec", command="while [ ! -e .githooks/pre-commit ]; do sleep 0.01; done")
    log = await ran(
        home, project, scripted([call("bash_exec", command=command)], [last, wait], SAY)
    )
    outside(project, OUTSIDE)
    assert not canary.exists()
    assert not (project / ".githooks" / "pre-commit").exists()
    notes = [told(each)["result"].get("note", "") for each in results(log)]
    assert "pre-commit" in " ".join([*notes, *(each.message for each in planted(log))])


async def test_a_shell_that_is_left_open_keeps_nothing_planted(
    home: Path, project: Path, scripted: Any, canary: Path
) -> None:
    """It outlives the run: what its programs do is looked at meanwhile, and once it is closed."""
    plant = PLANTS["hooks in a folder that was not there"].format(canary=canary)
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted([call("shell_open")], SAY), folder=project, mode="allow"
        )
        await session.prompt("go")
        (opened,) = studio.opened.hands.shells.list(str(project), HOST)
        await opened.shell.run(f"(sleep 0.2; {plant}; touch done) &", 10)
        until = time.monotonic() + 20
        hook = project / ".githooks" / "pre-commit"
        while time.monotonic() < until and not ((project / "done").exists() and not hook.exists()):
            await opened.shell.run("sleep 0.1", 10)
        assert (project / "done").exists()
        assert not hook.exists()
        await opened.shell.run(plant, 10)
    assert not hook.exists()
    outside(project, OUTSIDE)
    assert not canary.exists()
