"""Severity: high. A run is killed right after its command has planted something for git: the next prompt there, though
it runs no command, and any command of the CLI undo it and say so."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.attacks.test_a_planted_repository_runs_nothing import CRASH, QUICK
from tests.attacks.test_what_an_agent_plants_is_undone_and_told import planted
from tests.workers.test_acting import SAY, ran
from tests.workspaces.sandbox.needs import needs_bubblewrap

pytestmark = needs_bubblewrap


@pytest.fixture
def killed(home: Path, folder: Path) -> Path:
    """The folder, in which a run was killed."""
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    done = processes.run(CRASH, folder, home / "sandbox", QUICK)
    assert done.returncode == -signal.SIGKILL
    assert "fsmonitor" in (folder / "sub/.git/config").read_text()
    return folder


def called(home: Path, folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "bottega", "--home", str(home), *words]
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stderr


async def test_the_next_prompt_undoes_it_and_tells(home: Path, killed: Path, scripted: Any) -> None:
    log = await ran(home, killed, scripted(SAY))
    assert "fsmonitor" not in (killed / "sub/.git/config").read_text()
    (told,) = planted(log)
    assert "Undone: " in told.message


@pytest.mark.parametrize("words", [("sessions",), ("projects", "list")])
def test_a_command_of_the_cli_undoes_it_and_tells(
    home: Path, killed: Path, words: tuple[str, ...]
) -> None:
    beneath = killed / "beneath"
    beneath.mkdir()
    assert "Undone: " in called(home, beneath, *words)
    assert "fsmonitor" not in (killed / "sub/.git/config").read_text()
    assert "Undone: " not in called(home, killed, *words)
