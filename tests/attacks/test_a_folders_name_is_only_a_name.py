"""Severity: critical. A program names folders so that the next sandbox mounts others than it was meant to.

What is shielded in a workspace is mounted by its path, and programs choose these paths: none of them is more than a
name to whatever starts the sandbox, and what was really mounted is looked at before any program starts.
"""

import os
import subprocess
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.inside.mounts import mount_name, strange
from bottega.workspaces.sandbox.local import Local
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap

UP = "..{control.__doc__:.0}"
"""Formatted as a template, this is `..`."""
NAMES = (
    *("{", "}", "{}", "{0}", "{x}", "{control}", "{status}", "a{control.imag}", "%s", "%(x)s"),
    *(
        "$HOME",
        "$(id)",
        "`id`",
        "--bind",
        "--",
        "-",
        "a b",
        "a\tb",
        "a\nb",
        "a\\040b",
        "é",
        "'",
        '"',
    ),
)


@needs_bubblewrap
async def test_a_name_like_a_template_leads_out_of_no_workspace(tmp_path: Path) -> None:
    with rooms.open_folder() as base:
        workspace, secrets = base / "ws", base / "secrets"
        workspace.mkdir()
        secrets.mkdir()
        (secrets / "private.txt").write_text("CANARY")
        subprocess.run(["git", "init", "-q", workspace], check=True)
        local = Local(tmp_path / "state")
        planted = f".git/modules/{UP}/{UP}/{UP}/ws"
        await _run(local, workspace, f"mkdir -p '{planted}' && echo r > '{planted}/HEAD'")
        said = await _run(
            local, workspace, "cat ../secrets/private.txt; ls ..; echo x > ../secrets/made; true"
        )
        assert "CANARY" not in said
        assert "secrets" not in said.split("\n")
        assert os.listdir(secrets) == ["private.txt"]


@needs_bubblewrap
async def test_whatever_a_submodule_is_called_its_settings_cannot_be_written(
    tmp_path: Path,
) -> None:
    with rooms.open_folder() as base:
        workspace = base / "ws"
        workspace.mkdir()
        subprocess.run(["git", "init", "-q", workspace], check=True)
        modules = workspace / ".git" / "modules"
        for name in (*NAMES, "a0"):
            inner = modules / name
            (inner / "objects").mkdir(parents=True)
            (inner / "refs").mkdir()
            (inner / "HEAD").write_text("ref: refs/heads/main\n")
            (inner / "config").write_text("[core]\n\tbare = false\n")
        said = await _run(
            Local(tmp_path / "state"),
            workspace,
            'for f in .git/modules/*/config; do ( echo "[core] fsmonitor = x" >> "$f" ) 2>/dev/null'
            ' && echo "WRITTEN $f"; done; echo done',
        )
        assert said.strip().endswith("done")
        assert "WRITTEN" not in said


def test_a_mount_that_nobody_asked_for_is_seen() -> None:
    """As the kernel tells it: fields are parted by spaces, and those in names are escaped."""
    table = (
        b"1 0 0:1 / / ro,nosuid - tmpfs tmpfs rw\n"
        b"2 1 0:2 / /work/a\\040b rw - ext4 /dev/x rw\n"
        b"3 2 0:2 /c /work/a\\040b/.git/config ro - ext4 /dev/x rw\n"
        b"4 1 0:3 / /dev/null rw - devtmpfs x rw\n"
    )
    allowed = [mount_name(each) for each in ("/", "/work/a b", "/work/a b/.git/config")]
    frozen = [mount_name("/work/a b/.git/config")]
    assert strange(allowed, frozen, table) == []
    assert strange(allowed[:-1], [], table) == frozen
    assert strange(allowed, [allowed[1]], table) == [allowed[1]]
    assert strange(allowed, [mount_name("/work/gone")], table) == [mount_name("/work/gone")]


async def _run(local: Local, workspace: Path, command: str) -> str:
    with Root(workspace) as root:
        sandbox = await local.open(root)
    try:
        return (await rooms.bash(sandbox, command)).out
    finally:
        await sandbox.close()
