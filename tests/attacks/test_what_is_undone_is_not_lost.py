"""Severity: high. While an agent's command runs, a person works with git in the same folder: the guard undoes what
could be a plant of the agent's, and nobody's work is lost by that."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.guard import Guard
from tests.workspaces.sandbox import rooms

BEGIN = """
git init -qb main; for each in 1 2 3; do seq $each 50 > f$each; git add .; git commit -qm c$each; done
git branch b HEAD~1; git checkout -q b; echo q > f3; git add .; git commit -qm q
"""
PLACES = {
    "nothing else": "",
    "another stash": "echo older >> f2; git stash -q",
    "packed references": "echo older >> f2; git stash -q; git pack-refs --all",
    "a linked work tree": "git checkout -q main; git worktree add -q tree b; cd tree",
}
CONFLICT = "echo precious >> f1; ! git rebase --autostash main"
MERGE = "echo precious >> f1; ! git merge --autostash main"
GO_ON = "echo r > f3; git add f3; GIT_EDITOR=true git {} --continue"


class Project:
    """A person's repository with two branches that are in conflict."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.folder = base / "project"
        self.folder.mkdir()
        self.at = self.folder
        self.works(BEGIN)

    def works(self, script: str) -> str:
        """What the person does in a plain shell."""
        who = (f"-c user.{key} -c safe.directory=*" for key in ("name=P", "email=p@example.org"))
        head = f'git() {{ command git {" ".join(who)} "$@"; }}\nset -e\n'
        command = ["bash", "-c", head + script]
        done = subprocess.run(command, cwd=self.at, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return done.stdout

    def during(self, *steps: Callable[[], object]) -> str:
        """What is told of what happens while a command of an agent's runs; a look follows each step."""
        with Root(self.folder) as root:
            guard = Guard(self.base / "state", root)
            guard.open()
            for step in steps:
                step()
                guard.check()
            guard.close()
            assert not guard.unfinished
        return " ".join(guard.reports())


@pytest.fixture
def project() -> Iterator[Project]:
    with rooms.open_folder() as base:
        yield Project(base)


@pytest.mark.parametrize("verb", ["rebase", "merge"])
@pytest.mark.parametrize("place", PLACES)
def test_an_autostash_is_found_among_the_stashes(project: Project, place: str, verb: str) -> None:
    project.works(PLACES[place])
    project.at = project.folder / "tree" if "tree" in place else project.folder
    before = project.works("git stash list").splitlines()
    conflict = CONFLICT if verb == "rebase" else MERGE
    told = project.during(
        lambda: project.works(conflict), lambda: project.works(GO_ON.format(verb))
    )
    assert "git stash pop" in told
    after = project.works("git stash list").splitlines()
    assert after[0] == "stash@{0}: autostash"
    assert [each.partition(": ")[2] for each in after[1:]] == [
        each.partition(": ")[2] for each in before
    ]
    project.works("git fsck --strict; git stash pop")
    assert (project.at / "f1").read_text().endswith("precious\n")
    assert project.works("git stash list").splitlines() == before


def test_an_autostash_that_comes_again_is_there_once(project: Project) -> None:
    def again() -> None:
        project.works("git rev-parse stash@{0} > .git/rebase-merge/autostash")

    project.during(lambda: project.works(CONFLICT), again, again)
    assert len(project.works("git stash list").splitlines()) == 1


STASH = "cp ../stash .git/MERGE_AUTOSTASH;"
ODD = {
    "references in tables": f"{STASH} mkdir .git/reftable",
    "a reference to another one": f"{STASH} echo 'ref: refs/heads/main' > .git/refs/stash",
    "a list elsewhere": f"{STASH} mkdir -p .git/logs/refs; ln -sf ../../../f1 .git/logs/refs/stash",
    "somebody at work": f"{STASH} touch .git/refs/stash.lock",
    "no such commit": "echo 0123456789012345678901234567890123456789 > .git/MERGE_AUTOSTASH",
    "no stash": "git rev-parse HEAD > .git/MERGE_AUTOSTASH",
}


@pytest.mark.parametrize("what", ODD)
def test_where_anything_is_odd_it_is_only_told(project: Project, what: str) -> None:
    project.works("echo precious >> f1; git stash create > ../stash")
    told = project.during(lambda: project.works(ODD[what]))
    assert "git stash store" in told
    assert not (project.folder / ".git/MERGE_AUTOSTASH").exists()
    for each in (".git/logs/refs/stash", ".git/refs/stash", "f1"):
        file = project.folder / each
        assert not file.exists() or "autostash" not in file.read_text()


def test_settings_that_run_nothing_stay_where_others_go(project: Project) -> None:
    before = (project.folder / ".git/config").read_text()
    told = project.during(
        lambda: project.works(
            "git branch -u main; git remote add origin ../o; git config core.hooksPath .husky;"
            "git config core.fsmonitor ./evil"
        )
    )
    after = (project.folder / ".git/config").read_text()
    assert "core.fsmonitor" in told
    assert after.startswith(before)
    assert project.works("git config branch.b.merge; git config remote.origin.url").split() == [
        "refs/heads/main",
        "../o",
    ]
    assert "evil" not in after
    assert "husky" not in after


def test_settings_that_switch_something_on_again_do_not_stay(project: Project) -> None:
    project.works("git config core.fsmonitor ./mine; git config --add core.fsmonitor false")
    before = (project.folder / ".git/config").read_text()
    project.during(
        lambda: project.works(
            "git config --unset-all core.fsmonitor; git config core.fsmonitor ./mine; git config alias.st '!evil'"
        )
    )
    assert (project.folder / ".git/config").read_text() == before


def test_a_long_script_is_kept_whole(project: Project) -> None:
    script = "#!/bin/sh\n" + "echo a line of a long script\n" * 7_000
    hook = project.folder / ".git/hooks/pre-commit"
    told = project.during(lambda: hook.write_text(script))
    place = re.search(r"sandbox/(quarantine/\S+)\.", told)
    assert place is not None
    assert (project.base / "state" / place[1]).read_text() == script
