"""Severity: high (H1). A sandboxed agent plants settings or hooks, and the person's next git command runs them."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git import config
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.sandbox import Launch
from tests import processes
from tests.attacks import git_plants
from tests.attacks.git_plants import APART, RUNS, WAYS
from tests.hunt import LONG, examples
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock
from tests.workspaces.sandbox.rooms import bash, line_of

KINDS = [
    pytest.param("bubblewrap", marks=needs_bubblewrap),
    pytest.param("landlock", marks=needs_landlock),
    "none",
]
MOST = KINDS if LONG else KINDS[:1]
"""In the short hunt the others have their share in what no mount guards."""


class Scene:
    """A person's repository, and a folder in which nothing may ever appear."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.folder = base / "project"
        self.canary = base / "canary"
        self.folder.mkdir()
        self.canary.mkdir()
        git_plants.repository(self.folder)

    def local(self, kind: str = "bubblewrap") -> Local:
        return Local(self.base / "state", best=kind, unsandboxed=kind == "none")  # pyright: ignore[reportArgumentType]

    @property
    def plants(self) -> str:
        return git_plants.plants(self.folder, self.canary)

    def person_works(self, *, every: bool = False) -> list[str]:
        """What ran of what was planted, once the person has used git everywhere."""
        git_plants.person(self.folder, self.base / "home", every=every)
        return sorted(os.listdir(self.canary))

    def outside(self, script: str) -> str:
        """What the person does in a plain shell."""
        command = ["bash", "-c", script]
        return subprocess.run(
            command, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def git(self, *arguments: str) -> str:
        command = ["git", "-c", "safe.directory=*", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


SOME = {"linked", "hooked", "bare", "submodule"}


def test_the_plants_would_run_if_nobody_undid_them() -> None:
    ran: set[str] = set()
    together = set(WAYS).difference(*APART)
    tried = (together, *APART) if LONG else (SOME,)
    for ways in tried:
        with rooms.open_folder() as base:
            scene = Scene(base)
            script = git_plants.plants(scene.folder, scene.canary, ways)
            subprocess.run(["bash", "-c", script], cwd=scene.folder, check=False)
            ran |= {name.partition("-")[0] for name in scene.person_works()}
    assert ran == set[str]().union(*tried) - {"remotes"}, "which only leads to another one"


@pytest.mark.parametrize("kind", KINDS[:2] if LONG else KINDS[:1])
async def test_every_verb_in_every_folder_runs_nothing_that_was_planted_in_any_way(
    scene: Scene, kind: str
) -> None:
    sandbox = await scene.local(kind).open(Root(scene.folder))
    await bash(sandbox, scene.plants)
    undone = await sandbox.undone()
    for left in os.listdir(scene.canary):  # where there is no sandbox the agent ran some itself
        os.unlink(scene.canary / left)
    await sandbox.close()
    assert scene.person_works(every=LONG) == []
    told = " ".join(undone)
    for path in ("sub/.git/config", "bare.git/config", ".githooks/pre-commit", ".gitconfig-local"):
        assert path in told, path
    assert "core.fsmonitor" in told
    assert scene.git("log", "-1", "--format=%s", "topic") == "two\n"


def _documented() -> list[str]:
    """Every key that this git knows, with something in the place of what it leaves open."""
    said = subprocess.run(["git", "help", "--config"], check=True, capture_output=True, text=True)
    keys = [line.strip() for line in said.stdout.splitlines() if "." in line and " " not in line]
    return [key.replace("*", "x").replace("<name>", "x") for key in keys]


def test_no_documented_key_may_hold_a_command() -> None:
    keys = _documented()
    assert len(keys) > 400
    for key in (*keys, *RUNS, "brand.new", "core.inventedLater"):
        section, _, rest = key.lower().partition(".")
        for value in ("touch /tmp/canary; false", "!touch x", "/bin/sh", "ext::sh -c x", "-x"):
            if config.is_safe((f"{section}.{rest}", value)):
                assert key.lower() in _WORDS or value == "/bin/sh" and key.lower() in _PLACES, key


_WORDS = {"user.name", "user.email", "submodule.active"}
"""They may be any text; git runs none of it."""
_PLACES = {"remote.x.url", "remote.evil.url", "remote.x.pushurl", "submodule.x.url"} | {
    *("core.abbrev", "core.eol", "core.safecrlf", "core.autocrlf", "core.checkstat"),
    *("core.sharedrepository", "init.defaultbranch", "pull.ff", "push.default"),
    *("merge.conflictstyle", "remote.x.fetch", "remote.x.push", "remote.x.tagopt"),
    *("branch.x.merge", "submodule.x.branch", "submodule.x.ignore", "remote.pushdefault"),
    *("branch.x.remote", "branch.x.pushremote"),
}
"""Names of branches and addresses: what lies there is no program to git."""


@needs_bubblewrap
async def test_what_is_planted_by_a_program_left_in_the_background_goes_while_it_runs_and_in_the_end(
    scene: Scene,
) -> None:
    hook = scene.folder / ".githooks" / "pre-commit"
    script = """mkdir -p .githooks
        while :; do [ -e .githooks/pre-commit ] || { echo x > .githooks/pre-commit; echo again; }; done"""
    sandbox = await scene.local().open(Root(scene.folder))
    program = await sandbox.start(Launch(("bash", "-c", script)))
    assert await line_of(program) == "again"
    assert await line_of(program) == "again", "it was taken away, with nobody asking for it"
    await sandbox.close()
    rooms.dropped(program)
    assert not hook.exists()


CRASH = """
    import asyncio, os, signal, sys
    from pathlib import Path
    from bottega.workspaces.confine import Root
    from bottega.workspaces.sandbox.local import Local
    from tests.workspaces.sandbox.rooms import bash

    async def main():
        sandbox = await Local(Path(sys.argv[2])).open(Root(sys.argv[1]))
        await bash(sandbox, sys.argv[3])
        os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(main())
"""
QUICK = """mkdir .githooks; cp /bin/true .githooks/pre-commit
git init -q sub; git config -f sub/.git/config core.fsmonitor x"""


@needs_bubblewrap
@pytest.mark.parametrize("by", ["the next opening", "the next start", "the session", "a look"])
async def test_a_kill_in_the_middle_leaves_nothing_for_git_to_run(scene: Scene, by: str) -> None:
    done = processes.run(CRASH, scene.folder, scene.base / "state", QUICK)
    assert done.returncode == -signal.SIGKILL
    assert (scene.folder / ".githooks" / "pre-commit").exists()
    told: tuple[str, ...] = ("core.fsmonitor",)
    if by == "the next opening":
        sandbox = await scene.local().open(Root(scene.folder))
        told = await sandbox.undone()
        await sandbox.close()
    elif by == "the next start":
        assert await scene.local().recover_all(last=False) == 1
        assert await scene.local().recover_all(last=True) == 1
        assert await scene.local().recover_all(last=True) == 0
    elif by == "a look":
        told = await scene.local().recover_left(str(scene.folder / "sub"))
    else:
        told = await scene.local().recover(Root(scene.folder))
    assert "core.fsmonitor" in " ".join(told)
    assert not (scene.folder / ".githooks" / "pre-commit").exists()
    assert "fsmonitor" not in (scene.folder / "sub" / ".git" / "config").read_text()


OWN = """
set -e
git config core.pager 'less -R'; git config alias.st status; printf '#!/bin/sh\\n' > .git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
git init -q nested; git -C nested config core.editor vi; printf '#!/bin/sh\\n' > nested/.git/hooks/pre-push
mkdir .githooks; printf '#!/bin/sh\\n' > .githooks/commit-msg
git init -q --bare store.git; git -C store.git config core.fsmonitor false
"""


@pytest.mark.parametrize("kind", MOST)
async def test_what_the_person_had_before_stays_to_the_byte(scene: Scene, kind: str) -> None:
    scene.outside(OWN)
    before = everything(scene.folder)
    sandbox = await scene.local(kind).open(Root(scene.folder))
    during = everything(scene.folder)
    await bash(sandbox, "git status; git log HEAD; git diff HEAD; ls -A")
    assert await sandbox.undone() == ()
    await sandbox.close()
    assert during == before
    assert everything(scene.folder) == before
    assert await sandbox.undone() == ()


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if path.name != "index"
    }


@pytest.mark.parametrize("kind", ["landlock", "none"])
async def test_hooks_and_settings_that_no_mount_guards_are_put_back(
    scene: Scene, kind: str
) -> None:
    scene.outside(OWN)
    before = everything(scene.folder)
    sandbox = await scene.local(kind).open(Root(scene.folder))
    await bash(
        sandbox,
        "for file in .git/hooks/pre-commit nested/.git/hooks/pre-push .githooks/commit-msg;"
        " do echo evil >> $file; done;"
        "git config core.fsmonitor evil; git -C nested config core.editor evil; echo x > .git/hooks/post-commit",
    )
    undone = await sandbox.undone()
    await sandbox.close()
    assert everything(scene.folder) == before
    told = " ".join(undone)
    for path in (
        ".git/config",
        "nested/.git/config",
        ".git/hooks/post-commit",
        ".githooks/commit-msg",
    ):
        assert repr(path) in told, path


@needs_bubblewrap
async def test_what_the_person_changes_where_programs_cannot_write_stays(scene: Scene) -> None:
    sandbox = await scene.local().open(Root(scene.folder))
    with (scene.folder / ".git" / "config").open("a") as file:
        file.write("[alias]\n\tmine = status\n")
    hook = scene.folder / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n")
    assert await sandbox.undone() == ()
    await sandbox.close()
    assert "mine" in (scene.folder / ".git" / "config").read_text()
    assert hook.exists()


@needs_bubblewrap
async def test_a_link_in_the_place_of_settings_makes_nobody_write_or_delete_elsewhere(
    scene: Scene,
) -> None:
    outside = scene.base / "outside"
    scene.outside("git init -q ../outside; git -C ../outside config alias.x '!y'")
    (outside / ".git" / "hooks" / "pre-commit").write_text("mine")
    before = everything(outside)
    sandbox = await scene.local().open(Root(scene.folder))
    await bash(
        sandbox,
        f"ln -s {outside} linked; mkdir a b c d; ln -s {outside}/.git a/.git; echo 'gitdir: {outside}/.git' > b/.git;"
        f"git init -q c; rm -rf c/.git/hooks c/.git/config; ln -s {outside}/.git/hooks c/.git/hooks;"
        f"ln -s {outside}/.git/config c/.git/config;"
        "mkfifo d/HEAD .gitconfig-local; mkdir d/objects d/refs; mkfifo d/config",
    )
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    assert everything(outside) == before
    for path in (
        "a/.git",
        "b/.git",
        "c/.git/hooks",
        "c/.git/config",
        "d/config",
        ".gitconfig-local",
    ):
        assert repr(path) in undone, path
        assert not (scene.folder / path).is_symlink(), path
    assert not (scene.folder / "d" / "config").exists()


WORK = """
set -e
git status; git diff HEAD; git log HEAD; git show HEAD; git rev-parse --show-toplevel
echo 2 >> file; git add file; git commit -qm two; git checkout -qb mine; echo 3 >> file; git stash -q; git stash pop -q
git commit -qam three; git checkout -q main; git merge -q mine; git checkout -q topic; git rebase -q main
git worktree add -q tree; cd tree; echo 4 > four; git add four; git commit -qm four; cd ..; git branch -a
git init -q fresh; git clone -q . copy; cd copy; git log --format=%an:%ae -1
"""


@pytest.mark.parametrize("kind", MOST)
async def test_git_works_inside(scene: Scene, kind: str) -> None:
    (scene.folder / ".gitconfig-local").write_text("[core]\n\tabbrev = 12\n")
    sandbox = await scene.local(kind).open(Root(scene.folder))
    done = await bash(sandbox, WORK)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("P:p@example.org\n")
    assert await sandbox.undone() == ()
    await sandbox.close()
    assert scene.git("log", "--format=%s", "main").split() == ["three", "two", "one"]
    assert scene.outside("git -c safe.directory=* -C copy status --short") == ""
    assert sorted(os.listdir(scene.folder)) == sorted(
        [".git", ".gitconfig-local", "file", "other", "tree", "fresh", "copy"]
    )


@needs_bubblewrap
async def test_who_plants_again_while_it_is_undone_has_nothing_in_the_end(scene: Scene) -> None:
    """Whatever comes between judging and writing down is never taken for the person's."""
    script = """git init -q sub; mkdir -p .githooks; echo up
        while :; do
            printf '[core]\\n\\tfsmonitor = evil\\n' > c; ln -sf ../../c sub/.git/config; echo x > .githooks/pre-commit
            printf '[core]\\n\\tfsmonitor = evil\\n' > .gitconfig-local
            cp c sub/.git/d; mv -f sub/.git/d sub/.git/config
        done"""
    sandbox = await scene.local().open(Root(scene.folder))
    program = await sandbox.start(Launch(("bash", "-c", script)))
    assert await line_of(program) == "up"
    for _ in range(examples(10, 40)):
        await sandbox.undone()
    await sandbox.close()
    rooms.dropped(program)
    for path in ("sub/.git/config", ".gitconfig-local"):
        file = scene.folder / path
        assert not file.is_symlink()
        assert "evil" not in (file.read_text() if file.exists() else "")
    assert not (scene.folder / ".githooks" / "pre-commit").exists()


COPY = """
git init -q sub; cp .githooks/pre-commit sub/.git/hooks/; mkdir sub/.git/hooks/_
printf 'touch {canary}/ran\\n' > sub/.git/hooks/_/husky.sh
git worktree add -q tree -b tree
"""


def test_a_copy_of_a_hook_calls_nothing_else_in_another_repository(scene: Scene) -> None:
    hook = '. "$(dirname -- "$0")/_/husky.sh"'
    scene.outside(
        f"mkdir -p .githooks/_; touch .githooks/_/husky.sh; printf '%s\\n' '#!/bin/sh' '{hook}' > .githooks/pre-commit"
        "; chmod +x .githooks/pre-commit; git add -A; git commit -qm hooks"
    )
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        scene.outside(COPY.format(canary=scene.canary))
        guard.close()
        told = " ".join(guard.reports())
    scene.outside("cd sub; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x")
    assert os.listdir(scene.canary) == []
    assert "sub/.git/hooks/pre-commit" in told
    assert "tree/" not in told, "a work tree has the project's own"
