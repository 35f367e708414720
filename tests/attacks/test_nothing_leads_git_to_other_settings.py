"""Severity: high. A `.git` file, a `commondir` or a second spelling of them leads git to settings of the person's, and
so to a folder in which nobody looked for the hooks, filters and scripts that these settings name.
"""

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.leading import Leading, leads
from bottega.workspaces.git.proposed import danger
from bottega.workspaces.git.scan import Scanner
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

GIT = ("git", "-c", "safe.directory=*")


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


def planted(scene: Scene, script: str) -> str:
    """What is told of what a command did; the person then looks at the state of the project, there and beneath."""
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        filled = f"canary={scene.canary}\n{HOOK}\n{script}"
        subprocess.run(["bash", "-c", filled], cwd=scene.folder, check=False, capture_output=True)
        for left in os.listdir(scene.canary):
            os.unlink(scene.canary / left)
        guard.close()
    for folder in (scene.folder, scene.folder / "x", scene.folder / "tree", scene.base / "wt"):
        for verb in ("status", "add -A"):
            command = [*GIT, "-C", str(folder), *verb.split()]
            subprocess.run(command, check=False, capture_output=True)
    return " ".join(guard.reports())


HOOK = r"""
hooks() { mkdir -p $1; for hook in post-index-change pre-commit reference-transaction; do
    printf '#!/bin/sh\ntouch %s/%s\n' $canary $hook > $1/$hook; done; chmod +x $1/*; }
script() { mkdir -p $(dirname $1); printf '#!/bin/sh\ntouch %s/script\ncat\n' $canary > $1; chmod +x $1; }
G="git -c core.hooksPath=/dev/null"; H=$($G rev-parse HEAD)
linked() { $G update-index --add --cacheinfo 160000,$H,x; touch -d 2020-01-01 x/*; }
"""
WAYS = {
    "a folder with commondir": """
        mkdir -p x/.git; echo $H > x/.git/HEAD; echo ../../.git > x/.git/commondir; hooks x/.githooks
        cp file x; (cd x; $G read-tree HEAD; $G status); linked""",
    "a file to a folder with commondir": """
        mkdir wt x; echo $H > wt/HEAD; echo ../.git > wt/commondir; echo gitdir: ../wt > x/.git
        cp file x; (cd x; $G read-tree HEAD); echo '* filter=f' > x/.gitattributes
        script x/tools/fmt.sh; hooks x/.githooks; linked""",
    "a file to the project's own": """
        mkdir x; echo gitdir: ../.git > x/.git; cp file x; hooks x/.githooks; script x/tools/fmt.sh; linked""",
    "a work tree of its own": """
        $G worktree add -q x -b x; hooks x/.githooks; script x/tools/fmt.sh; echo a >> x/file
        echo '* filter=f' > x/.gitattributes""",
    "one of many spellings": """
        mkdir -p x other; cp file x; hooks x/.githooks; for each in .GIT .Git .gIt .giT .GIt .GiT .gIT .git; do
        echo "gitdir: $PWD/../elsewhere/.git" > x/$each; done; linked""",
    "blanks behind a path": """
        mkdir x; cp file x; git init -q --bare wt; ln -s ../elsewhere/.git 'wt '; printf 'gitdir: ../wt ' > x/.git
        hooks x/.githooks; linked""",
}


@pytest.mark.parametrize("way", WAYS)
def test_the_persons_settings_hold_in_no_folder_with_a_plant(scene: Scene, way: str) -> None:
    scene.outside("git config core.hooksPath .githooks; git config filter.f.clean tools/fmt.sh")
    scene.outside("git init -q ../elsewhere; git -C ../elsewhere config core.hooksPath .githooks")
    told = planted(scene, WAYS[way])
    assert os.listdir(scene.canary) == []
    assert "'x/" in told


def test_hooks_in_a_work_tree_of_a_repository_elsewhere_are_guarded(scene: Scene) -> None:
    """The workspace holds work trees only, as people keep them side by side."""
    scene.outside(
        "git init -q ../main; cd ../main; git config core.hooksPath .githooks; git config user.name P;"
        "git config user.email p@e; git commit -q --allow-empty -m 1; git worktree add -q ../project/tree"
    )
    told = planted(scene, "hooks tree/.githooks; echo 1 > tree/new; touch -d 2020-01-01 tree/new")
    assert os.listdir(scene.canary) == []
    assert "tree/.githooks/pre-commit" in told
    with Root(scene.folder) as root:
        assert danger(root, ("tree/.githooks/pre-push",))


def test_hooks_in_the_work_tree_that_settings_name_are_guarded(scene: Scene) -> None:
    scene.outside(
        "git init -q --bare ../store; git -C ../store config core.bare false; mkdir files;"
        f"git -C ../store config core.worktree {scene.folder}/files; mv ../store store;"
        "git -C store config core.hooksPath .githooks"
    )
    told = planted(scene, "hooks files/.githooks")
    assert "files/.githooks/pre-commit" in told


def test_every_spelling_of_a_git_file_is_found(tmp_path: Path) -> None:
    names = {"".join(each) for each in itertools.product(".", "gG", "iI", "tT")}
    for name in names:
        (tmp_path / name).write_text("gitdir: ..\n")
    with Root(tmp_path) as root:
        assert Scanner().scan(root).pointers == names


def test_a_work_tree_keeps_the_hooks_that_the_project_has(scene: Scene) -> None:
    """`git worktree add` writes the project's own hooks into it, of which nothing is new."""
    scene.outside(
        "mkdir -p .githooks; printf '#!/bin/sh\\n' > .githooks/pre-commit; chmod +x .githooks/*;"
        "git -c core.hooksPath=/ add .; git -c core.hooksPath=/ commit -qm hooks"
    )
    assert planted(scene, "$G worktree add -q x -b x") == ""
    assert (scene.folder / "x" / ".githooks" / "pre-commit").exists()
    told = planted(scene, "mv x/.githooks/pre-commit x/.githooks/post-checkout")
    assert "x/.githooks/post-checkout" in told


ENDS = ("", "\n", "\r\n", "\n\n", " ", " \n", "\t", "\t\n", "\v", "\f\n", "/", "\r", "\0\n", "\0x")
STARTS = ("gitdir: ", "gitdir:", "gitdir:  ", "gitdir:\t", " gitdir: ", "GITDIR: ", "gitdir: ./")


def _of_git(folder: Path, question: str) -> str:
    """Where the real git gets to; empty: nowhere."""
    command = [*GIT, "rev-parse", "--path-format=absolute", question]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True)
    return os.fsdecode(done.stdout.removesuffix(b"\n")) if not done.returncode else ""


def _repositories(base: Path) -> None:
    """A plain one, and others in its neighbourhood whose names differ in what some readers pass over."""
    source = base / "source"
    subprocess.run(["git", "init", "-q", "--bare", str(source)], check=True)
    for name in ("wt", " wt", *(f"wt{end}" for end in (" ", "\t", "\v", "\f", " \n", "\r"))):
        (base / name).symlink_to(source) if name != "wt" else source.rename(base / name)
        source = base / "wt"


@pytest.mark.parametrize("kind", ["pointer", "commondir"])
def test_a_path_is_read_as_git_reads_it(tmp_path: Path, kind: Leading) -> None:
    _repositories(tmp_path)
    folder = tmp_path / "x"
    place = folder if kind == "pointer" else folder / ".git"
    place.mkdir(parents=True)
    file = ".git" if kind == "pointer" else "commondir"
    paths = ("../wt", "../ wt") if kind == "pointer" else ("../../wt", "../../ wt", "../../wt ")
    starts = STARTS if kind == "pointer" else ("", " ", "\n")
    if kind == "commondir":
        (place / "HEAD").write_text("ref: refs/heads/main\n")
    plain = 0
    with Root(tmp_path) as root:
        for start, path, end in itertools.product(starts, paths, ENDS):
            content = f"{start}{path}{end}".encode()
            (place / file).write_bytes(content)
            asked = "--git-dir" if kind == "pointer" else "--git-common-dir"
            led = leads(root, f"{place.relative_to(tmp_path)}/{file}", kind, content)
            reached = _of_git(folder, asked)
            if led != [".."] and reached:
                assert [os.path.relpath(reached, tmp_path)] == led, content
                plain += 1
    assert plain >= 5


@pytest.mark.parametrize("quoted", ['"../../other/objects"', '"..\\057..\\057x"y/objects'])
def test_a_quoted_path_to_objects_leads_nowhere(tmp_path: Path, quoted: str) -> None:
    """Git takes the quotes away, and escapes in them for what they stand for."""
    with Root(tmp_path) as root:
        path = "x/.git/objects/info/alternates"
        assert leads(root, path, "alternates", quoted.encode()) == [".."]
