"""Which sandbox a machine has, what is said of it, and which folders can be workspaces."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.errors import Misconfigured, NotFound, Problem, Refused
from bottega.workspaces.confine import Linked, NotAFolder, Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.sandbox import Kind
from bottega.workspaces.sandbox.walls import bubblewrap, interpreter, landlock, view
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock, needs_root
from tests.workspaces.sandbox.rooms import bash


@needs_bubblewrap
def test_bubblewrap_is_the_first_choice_and_its_profile_tells_all_that_decides(
    tmp_path: Path,
) -> None:
    local = Local(tmp_path, readable=[Path("/srv")])
    assert local.kind == "bubblewrap"
    for word in ("bubblewrap 0.", "no network", "512 processes", "GiB of memory", "reads /srv"):
        assert word in local.profile
    assert "\n" not in local.profile


@needs_landlock
def test_landlock_is_the_second_choice(tmp_path: Path) -> None:
    local = Local(tmp_path, best="landlock")
    assert local.kind == "landlock"
    assert local.profile.startswith("Landlock ")


async def test_without_any_sandbox_nothing_runs_unless_a_setting_says_so(tmp_path: Path) -> None:
    local = Local(tmp_path / "state", best="none")
    assert local.profile.startswith("not sandboxed")
    with pytest.raises(Misconfigured, match="no sandbox here") as problem:
        await local.open(Root(tmp_path))
    assert "bubblewrap" in problem.value.hint
    assert "not sandboxed" in await local.trusted()
    allowed = Local(tmp_path / "state", best="none", unsandboxed=True)
    sandbox = await allowed.open(Root(tmp_path))
    assert sandbox.kind == "none"
    assert (await bash(sandbox, "echo ran")).out == "ran\n"
    await sandbox.close()


@pytest.mark.parametrize(
    "folder",
    ["/", "/usr", "/etc", "/etc/ssl", "/proc", "/proc/sys", "/sys/kernel", "/var", "/var/log"],
)
async def test_a_folder_of_the_system_is_no_workspace(tmp_path: Path, folder: str) -> None:
    with pytest.raises(Refused, match="belongs to the system|whole machine"):
        await Local(tmp_path).open(Root(folder))


async def test_a_link_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/usr")
    with pytest.raises(Linked, match="symbolic link"):
        await Local(tmp_path / "state").open(Root(tmp_path / "link"))


@pytest.mark.parametrize("name", ["missing", "file"])
async def test_what_is_no_folder_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises((NotFound, NotAFolder), match=name):
        await Local(tmp_path / "state").open(Root(tmp_path / name))


async def test_a_workspace_that_vanished_is_a_clear_problem(tmp_path: Path, kind: Kind) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    local = Local(tmp_path / "state", best=kind, unsandboxed=True)
    sandbox = await local.open(Root(folder))
    await (await sandbox.living()).end()
    for name in os.listdir(folder):
        (folder / name).rmdir()
    folder.rmdir()
    with pytest.raises(Problem):
        await bash(sandbox, "true")
    await sandbox.close()


MOUNTED = """
import asyncio, os, subprocess, sys
from pathlib import Path
from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from tests.workspaces.sandbox.rooms import bash

async def main(folder, state, options, place):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    try:
        sandbox = await Local(Path(state)).open(Root(folder))
    except Problem as problem:
        print(problem, os.listdir(folder))
        return
    print((await bash(sandbox, "touch x")).code != 0, (await bash(sandbox, "echo ran")).out.strip())
    await sandbox.close()

asyncio.run(main(*sys.argv[1:]))
"""


def opened_on(tmp_path: Path, options: str, place: str = "ws") -> str:
    """What comes of a workspace, or a state, on a disk of this kind, in a mount space of its own."""
    folder, state = tmp_path / "ws", tmp_path / "state"
    for each in (folder, state):
        each.mkdir()
    unshare = ["unshare", "-m"] if rooms.ROOT else ["unshare", "-Urm"]
    places = [str(folder), str(state), options, str(tmp_path / place)]
    program = [sys.executable, "-c", MOUNTED, *places]
    done = subprocess.run([*unshare, *program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@needs_bubblewrap
def test_a_workspace_that_cannot_be_written_is_opened_all_the_same(tmp_path: Path) -> None:
    assert opened_on(tmp_path, "ro") == "True ran"


@needs_bubblewrap
def test_a_full_disk_is_a_clear_problem(tmp_path: Path) -> None:
    told = opened_on(tmp_path, "size=64k,nr_inodes=3", "state")
    assert "No space left" in told
    assert told.endswith("[]"), "nothing is left behind"


@needs_bubblewrap
async def test_a_workspace_has_its_own_path_inside_and_its_siblings_are_not_there(
    tmp_path: Path,
) -> None:
    for name in ("ws", "sibling"):
        (tmp_path / name).mkdir()
    sandbox = await Local(tmp_path / "state").open(Root(tmp_path / "ws"))
    done = await bash(sandbox, "pwd; ls ..")
    await sandbox.close()
    assert done.out.split() == [str(tmp_path / "ws"), "ws"]


@needs_bubblewrap
async def test_a_subfolder_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    """Container scope: what lies above and beside it is not there."""
    for name in ("app/src", "other"):
        (tmp_path / "project" / name).mkdir(parents=True)
    sandbox = await Local(tmp_path / "state").open(Root(tmp_path / "project" / "app"))
    done = await bash(sandbox, "ls; ls ..; touch src/made")
    await sandbox.close()
    assert done.out.split() == ["src", "app"]
    assert (tmp_path / "project" / "app" / "src" / "made").exists()


@needs_bubblewrap
async def test_a_folder_that_a_setting_names_can_be_read_and_not_written(tmp_path: Path) -> None:
    for name in ("ws", "named/home"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "named" / "file").write_text("hello")
    (tmp_path / "named" / "home" / "keys").write_text("secret")
    local = Local(
        tmp_path / "state",
        readable=[tmp_path / "named"],
        hidden=[tmp_path / "named" / "home"],
    )
    sandbox = await local.open(Root(tmp_path / "ws"))
    done = await bash(sandbox, "cat ../named/file ../named/home/keys; touch ../named/made")
    await sandbox.close()
    assert done.out == "hello"
    assert done.code != 0
    assert not (tmp_path / "named" / "made").exists()


@needs_landlock
async def test_a_workspace_that_holds_the_home_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "ws" / "home"
    home.mkdir(parents=True)
    local = Local(tmp_path / "state", best="landlock", hidden=[home])
    with pytest.raises(Refused, match="its own files"):
        await local.open(Root(tmp_path / "ws"))


@needs_landlock
async def test_landlocks_own_folders_are_taken_away(tmp_path: Path) -> None:
    sandbox = await Local(tmp_path / "state", best="landlock").open(Root(tmp_path))
    home = (await bash(sandbox, "touch $HOME/x $TMPDIR/y && echo $HOME")).out.strip()
    assert os.path.exists(f"{home}/x")
    await sandbox.close()
    assert not os.path.exists(home)


@needs_bubblewrap
@needs_root
async def test_files_that_programs_make_are_the_owners() -> None:
    with rooms.open_folder(rooms.OWNER) as base, rooms.open_folder() as state:
        sandbox = await Local(state).open(Root(base))
        done = await bash(sandbox, "id -u; touch made")
        await sandbox.close()
        assert done.out.strip() == str(rooms.OWNER)
        assert (base / "made").stat().st_uid == rooms.OWNER


@needs_bubblewrap
async def test_who_commits_is_who_the_users_own_git_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = view.files(view.owner(str(tmp_path)))["/etc/gitconfig"]
    assert "directory = *" in said
    config = tmp_path / ".gitconfig"
    config.write_text('[user]\n\tname = "A \\"B\\" C"\n\temail = a@example.org\n')
    monkeypatch.setattr(view.pwd, "getpwuid", lambda _: _Account(str(tmp_path)))
    said = view.files(view.owner(str(tmp_path)))["/etc/gitconfig"]
    assert '\tname = "A \\"B\\" C"\n\temail = "a@example.org"' in said


class _Account:
    def __init__(self, folder: str) -> None:
        self.pw_dir = folder


def test_the_wardens_python_never_lies_in_the_workspace(tmp_path: Path) -> None:
    user = view.owner(str(tmp_path))
    around = os.path.dirname(os.path.dirname(interpreter.choose(user, str(tmp_path)).path))
    with suppress(Problem):  # there may be no other
        assert not interpreter.choose(user, around).path.startswith(f"{around}/")


def test_bubblewrap_that_is_missing_or_broken_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bubblewrap.find() is None
    for script in ("#!/bin/sh\nexit 1\n", "#!/bin/sh\necho bubblewrap 0.1\n"):
        (tmp_path / "bwrap").write_text(script)
        (tmp_path / "bwrap").chmod(0o755)
        assert bubblewrap.find() is None
    assert Local(tmp_path).kind in ("landlock", "none")
    assert landlock.version() >= 0
