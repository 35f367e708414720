"""Severity: critical (C2, its kind). A folder of some project stands in PATH, and the server was started elsewhere.

What an agent leaves in it is not what is started outside of the sandbox, nor what gets the address that signs in.
"""

import os
from pathlib import Path

import pytest

from bottega import Studio
from bottega.cli.browser import open_address
from bottega.errors import Misconfigured
from bottega.mcp.programs import find as find_server
from bottega.mcp.server import McpServer
from bottega.projects.projects import Projects
from bottega.sessions.session import HOST
from bottega.workspaces import programs

NAMES = ("bwrap-of-mine", "git-of-mine")
OPENER = "browser-of-mine"


def _plant(folder: Path, canary: Path) -> None:
    folder.mkdir(parents=True)
    for name in (*NAMES, OPENER):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {canary}\n")
        (folder / name).chmod(0o755)


def _opened(environment: dict[str, str]) -> None:
    """Open an address, and wait for what was started for it."""
    opener = open_address("http://127.0.0.1:1/sign-in", environment)
    assert opener
    opener.wait()


@pytest.mark.parametrize("removed", [False, True], ids=["a project", "one that was removed"])
async def test_no_program_is_taken_out_of_any_project(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removed: bool
) -> None:
    other, canary = tmp_path / "other", tmp_path / "CANARY"
    _plant(other / ".venv/bin", canary)
    (tmp_path / "link").symlink_to(other / ".venv")
    path = f"{other}/.venv/bin:{tmp_path}/link/bin:{other}/../other/.venv/bin:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    environment = {**os.environ, "BROWSER": f"{OPENER} %s"}
    async with Studio(home) as studio:
        assert programs.find(NAMES[0]), "while it is nobody's project"
        _opened(environment)
        assert canary.read_text().split() == [OPENER], "it would be run"
        canary.unlink()
        projects = Projects(studio.runtime.database)
        project = await projects.add(other, HOST)
        if removed:
            await projects.remove(project)
        assert [programs.find(name) for name in NAMES] == [None, None]
        assert programs.find("sh") in ("/usr/bin/sh", "/bin/sh")
        with pytest.raises(Misconfigured, match="is not there"):
            find_server("hub", McpServer(command=NAMES[0]), str(tmp_path), path)
        _opened(environment)
    assert not canary.exists(), canary.read_text()
