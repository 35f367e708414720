"""What no program may change in a workspace; that git still works; and that nothing of ours is ever in there."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bottega import settings
from bottega.errors import Refused
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Launch
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import Pulse, bash, dropped, line_of

pytestmark = needs_bubblewrap


@pytest.fixture(params=rooms.OWNERS.values(), ids=rooms.OWNERS)
def owner(request: pytest.FixtureRequest) -> int | None:
    return request.param


@pytest.fixture
def folder(owner: int | None) -> Iterator[Path]:
    with rooms.open_folder(owner) as base:
        made = base / "ws"
        made.mkdir()
        rooms.given_to(base, owner)
        yield made


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@asynccontextmanager
async def opened(folder: Path, state: Path, **options: object) -> AsyncIterator[Opened]:
    sandbox = await Local(state, **options).open(Root(folder))  # pyright: ignore[reportArgumentType]
    try:
        yield sandbox
    finally:
        await sandbox.close()


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_repository(folder: Path) -> bool:
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), "rev-parse"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


WORK = """
set -e
echo one > file; git add file; git commit -qm one
git checkout -qb topic; echo two >> file; git commit -qam two
echo three >> file; git stash -q; git stash pop -q; git checkout -q file
git tag v1; git gc -q; git status --short; git log --oneline | wc -l; git rev-parse --show-toplevel
"""


async def test_git_works_inside_a_repository(folder: Path, owner: int | None, state: Path) -> None:
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    async with opened(folder, state) as sandbox:
        done = await bash(sandbox, WORK)
    assert (done.code, done.err) == (0, "")
    assert done.out.split() == ["2", str(folder)]
    assert git(folder, "log", "--format=%s", "topic").split() == ["two", "one"]


async def test_git_works_outside_meanwhile(folder: Path, owner: int | None, state: Path) -> None:
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    async with opened(folder, state) as sandbox:
        await bash(sandbox, "echo one > file; git add file; git commit -qm one")
        (folder / "more").write_text("more")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "two", "--no-verify")
        assert (await bash(sandbox, "git log --format=%s")).out.split() == ["two", "one"]
    assert "commondir" not in os.listdir(folder / ".git")
    assert git(folder, "show", "--stat", "--format=").split()[0] == "more"


async def test_adding_everything_adds_none_of_what_stands_there_meanwhile(
    folder: Path, owner: int | None, state: Path
) -> None:
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    async with opened(folder, state) as sandbox:
        done = await bash(sandbox, "echo one > file; git add -A; git status --short")
    assert done.out == "A  file\n"


SETTINGS = (
    "git config user.name evil",
    "git config core.fsmonitor evil",
    "git remote add evil https://example.org",
    "git worktree add ../other",
    "git init --separate-git-dir elsewhere",
)


async def test_what_would_change_gits_settings_fails(
    folder: Path, owner: int | None, state: Path
) -> None:
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    before = (folder / ".git" / "config").read_bytes()
    async with opened(folder, state) as sandbox:
        for command in SETTINGS:
            assert (await bash(sandbox, command)).code != 0, command
    assert (folder / ".git" / "config").read_bytes() == before


async def test_what_is_not_there_can_be_made_and_does_no_harm(folder: Path, state: Path) -> None:
    async with opened(folder, state) as sandbox:
        made = "git init -q; echo '[core]' >> .git/config; echo 'fsmonitor = evil' >> .git/config"
        done = await bash(
            sandbox, f"{made}; cp /bin/true .git/hooks/pre-commit; echo x > .bottega.toml"
        )
        assert (done.code, done.err) == (0, "")
        assert len(await sandbox.undone()) == 3
    assert "evil" not in (folder / ".git" / "config").read_text()
    assert not (folder / ".git" / "hooks" / "pre-commit").exists()
    assert os.listdir(folder) == [".git"]
    assert is_repository(folder)


async def test_a_workspace_that_becomes_a_repository_itself_has_no_settings_that_run_programs(
    folder: Path, state: Path
) -> None:
    planted = (
        "git init -q --bare other.git; cp -r other.git/. . ; git config -f config core.pager x"
    )
    async with opened(folder, state) as sandbox:
        await bash(sandbox, planted)
    assert "pager" not in (folder / "config").read_text()


async def test_nothing_of_ours_is_there_meanwhile_or_afterwards(
    folder: Path, owner: int | None, state: Path
) -> None:
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    before = everything(folder)
    async with opened(folder, state):
        assert everything(folder) == before
    assert everything(folder) == before


async def test_what_somebody_puts_there_meanwhile_stays(folder: Path, state: Path) -> None:
    async with opened(folder, state) as sandbox:
        git(folder, "init", "-q")
        assert await sandbox.undone() == ()
    assert (folder / ".git" / "config").exists()
    assert set(os.listdir(folder)) == {".git"}


async def test_what_is_planted_goes_when_each_of_two_sandboxes_closes(
    folder: Path, state: Path
) -> None:
    first, second = Local(state), Local(state)
    one = await first.open(Root(folder))
    other = await second.open(Root(folder))
    await bash(one, "echo x > .bottega.toml")
    await one.close()
    assert everything(folder) == set()
    await bash(other, "echo x > .bottega.toml")
    await other.close()
    assert everything(folder) == set()
    assert len(await other.undone()) == 2


async def test_sandboxes_open_and_close_at_the_same_time(folder: Path, state: Path) -> None:
    local = Local(state)

    async def once() -> int:
        async with opened(folder, state):
            pass
        sandbox = await local.open(Root(folder))
        done = await bash(sandbox, "echo x > .bottega.toml")
        await sandbox.close()
        return done.code

    assert not any(await asyncio.gather(*(once() for _ in range(4))))
    assert everything(folder) == set()


async def test_placeholders_that_an_earlier_version_left_are_taken_away(
    folder: Path, state: Path
) -> None:
    rooms.repository(folder)
    before = everything(folder)
    notes = state / "placeholders"
    notes.mkdir(parents=True)
    made = [folder / ".bottega", folder / "HEAD", folder / ".bottega.toml", folder / "mine"]
    for each in made:
        each.mkdir()
    (folder / "mine" / "file").touch()
    (folder / ".git" / "commondir").write_text(".\n")
    note = {
        "workspace": str(folder),
        "folders": [str(each) for each in made],
        "files": {str(folder / ".git" / "commondir"): ".\n", str(folder / ".git" / "HEAD"): ""},
    }
    (notes / "hold_1.json").write_text(json.dumps(note))
    (notes / "hold_2.json").write_text(json.dumps(note | {"workspace": "/elsewhere"}))
    (notes / "hold_3.json").write_text("{")
    async with opened(folder, state):
        assert everything(folder) == before | {"mine", "mine/file"}
    assert os.listdir(notes) == ["hold_2.json"]


async def test_a_worktrees_file_is_shielded(folder: Path, state: Path) -> None:
    (folder / ".git").write_text("gitdir: /somewhere/else\n")
    async with opened(folder, state) as sandbox:
        done = await bash(sandbox, "echo 'gitdir: evil' > .git; rm -f .git; mv .git away")
    assert done.code != 0
    assert (folder / ".git").read_text() == "gitdir: /somewhere/else\n"


@pytest.mark.parametrize("name", [".git", ".git/hooks", ".git/config", ".bottega", ".bottega.toml"])
async def test_a_link_that_cannot_be_shielded_is_refused(
    folder: Path, state: Path, name: str
) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to("elsewhere")
    with pytest.raises(Refused, match="symbolic link"):
        await Local(state).open(Root(folder))
    path.unlink()
    assert everything(folder) <= {".git"}


@pytest.mark.parametrize("name", ["config", "hooks/pre-commit"])
async def test_a_file_with_a_second_name_is_refused(folder: Path, state: Path, name: str) -> None:
    rooms.repository(folder)
    (folder / ".git" / name).write_text("x")
    os.link(folder / ".git" / name, folder / "second")
    with pytest.raises(Refused, match="second name"):
        await Local(state).open(Root(folder))


async def test_a_shield_that_was_lost_from_outside_ends_what_runs_and_holds_for_what_comes(
    folder: Path, owner: int | None, state: Path
) -> None:
    """Git outside replaces the file, and the kernel takes the mount away with it."""
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    pulse = Pulse(folder)
    async with opened(folder, state, bounds=Bounds(silence=0.5)) as sandbox:
        program = await sandbox.start(Launch(("bash", "-c", pulse.held + "echo up; sleep 600")))
        assert await line_of(program) == "up"
        git(folder, "config", "user.name", "B")
        assert await pulse.stops(5)
        dropped(program)
        assert (await bash(sandbox, "git config user.name")).out == "B\n"
        assert (await bash(sandbox, "echo x >> .git/config")).code != 0
    pulse.close()


async def test_a_shield_that_was_lost_is_put_back_before_the_next_command(
    folder: Path, owner: int | None, state: Path
) -> None:
    rooms.repository(folder)
    rooms.given_to(folder, owner)
    async with opened(folder, state) as sandbox:
        git(folder, "config", "user.name", "B")
        assert (await bash(sandbox, "echo x >> .git/config")).code != 0


@pytest.mark.parametrize("where", ["", "deep/home", "deep"])
async def test_neither_the_home_nor_what_holds_it_is_a_workspace(
    folder: Path, state: Path, where: str
) -> None:
    (folder / "deep" / "home").mkdir(parents=True)
    with pytest.raises(Refused, match="its own files"):
        await Local(state, hidden=[folder / "deep"]).open(Root(folder / where))


def test_an_empty_folder_in_the_place_of_a_projects_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / ".bottega.toml").mkdir()
    found = settings.load(home=tmp_path / "home", folder=tmp_path, environment={})
    assert found.ignored == ()
