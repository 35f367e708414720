"""Severity: critical (H1, links where git writes). An agent puts a link to a file outside, or a second name of one,
where git writes in its own folder: the person's next `git stash` appends the agent's words to their `~/.bashrc`.
"""

import os
from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.corrections import MOST
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import bash

WHERE = (
    *("logs/refs/stash", "logs/HEAD", "COMMIT_EDITMSG", "packed-refs", "FETCH_HEAD", "MERGE_MSG"),
    *("SQUASH_MSG", "ORIG_HEAD", "info/exclude", "info/refs", "rr-cache/ab/preimage"),
    *("addp-hunk-edit.diff", "index.lock", "refs/heads/x", "invented/later", "objects/ab/x"),
    *("objects/pack/tmp", "worktrees/w/logs/HEAD", "modules/m/COMMIT_EDITMSG", "svn/x"),
    *("refs/heads/deep/x", "description", "modules/n/logs/HEAD"),
)
REPOSITORIES = (".git", "sub/.git", "bare.git")
MAKE = """git init -q sub; git init -q --bare bare.git
for r in {repositories}; do for w in {where}; do
    mkdir -p "$(dirname "$r/$w")" 2>/dev/null; rm -f "$r/$w"; {link} "$r/$w"
done; done; true"""


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        (base / "bashrc").write_text("# mine\n")
        yield Scene(base)


async def plants(scene: Scene, script: str, kind: str = "bubblewrap") -> str:
    sandbox = await scene.local(kind).open(Root(scene.folder))
    await bash(sandbox, script)
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    return undone


def script(link: str) -> str:
    return MAKE.format(repositories=" ".join(REPOSITORIES), where=" ".join(WHERE), link=link)


@needs_bubblewrap
async def test_the_persons_stash_writes_nothing_elsewhere(scene: Scene) -> None:
    link = f"mkdir -p .git/logs/refs; ln -s {scene.base}/bashrc .git/logs/refs/stash"
    undone = await plants(
        scene, f"git commit -q --allow-empty -m 'fix; touch {scene.canary}/ran #'; {link}"
    )
    scene.outside("echo more >> file; git stash -q")
    assert (scene.base / "bashrc").read_text() == "# mine\n"
    assert ".git/logs/refs/stash" in undone


@needs_bubblewrap
async def test_no_new_link_stays_anywhere_in_a_repository(scene: Scene) -> None:
    assert await plants(scene, script(f"ln -s {scene.base}/bashrc"))
    for repository in REPOSITORIES:
        links = [
            os.path.join(at, each)
            for at, folders, files in os.walk(scene.folder / repository)
            for each in (*folders, *files)
            if os.path.islink(os.path.join(at, each))
        ]
        assert links == [], repository
    assert (scene.base / "bashrc").read_text() == "# mine\n"


@needs_bubblewrap
async def test_no_new_link_to_a_folder_and_no_pipe_stays(scene: Scene) -> None:
    (scene.base / "target").mkdir()
    undone = await plants(
        scene,
        f"git init -q sub; rm -rf sub/.git/logs .git/logs; ln -s {scene.base}/target sub/.git/logs;"
        f"ln -s {scene.base}/target .git/logs; ln -s {scene.base}/target .git/rr-cache;"
        "mkfifo .git/FETCH_HEAD sub/.git/ORIG_HEAD",
    )
    scene.outside("echo more >> file; git commit -qam more")
    assert not os.listdir(scene.base / "target")
    for path in ("sub/.git/logs", ".git/logs", ".git/rr-cache", ".git/FETCH_HEAD"):
        assert repr(path) in undone, path
    assert not (scene.folder / "sub/.git/ORIG_HEAD").exists()


@needs_bubblewrap
@pytest.mark.parametrize("way", ["linked", "moved and linked back", "a file of state"])
async def test_a_hook_has_no_second_name_where_git_writes(scene: Scene, way: str) -> None:
    """Its content is the same as before, until git writes a message to its other name."""
    scene.outside("mkdir .githooks; printf '#!/bin/sh\\n' > .githooks/post-commit")
    hook = scene.folder / ".githooks" / "post-commit"
    hook.chmod(0o755)
    name = ".git/BISECT_LOG" if way == "a file of state" else ".git/COMMIT_EDITMSG"
    sandbox = await scene.local("none").open(Root(scene.folder))
    if way == "moved and linked back":
        await bash(sandbox, f"mv -f .githooks/post-commit {name}")
        await sandbox.undone()
        await bash(sandbox, f"ln {name} .githooks/post-commit")
    else:
        await bash(sandbox, f"ln -f .githooks/post-commit {name}")
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    scene.outside("git commit -q --allow-empty -m 'echo > ran'")
    assert not hook.exists() or hook.read_text() == "#!/bin/sh\n"
    assert not hook.exists() or hook.stat().st_nlink == 1
    assert way == "moved and linked back" or repr(name) in undone


@needs_bubblewrap
async def test_what_was_linked_before_stays(scene: Scene) -> None:
    scene.outside(
        "mkdir new; cd new; mkdir .git; cp ../.git/HEAD .git/; for e in refs objects packed-refs info; do"
        " ln -s ../../.git/$e .git/$e; done; git -C .. branch old; cd ..; ln .git/logs/HEAD kept;"
        "mkdir .git/svn; mkfifo .git/svn/pipe"
    )
    undone = await plants(
        scene, "git -C new status; git commit -q --allow-empty -m more; echo x > plain"
    )
    assert undone == ""
    assert (scene.folder / "new/.git/objects").is_symlink()
    assert (scene.folder / ".git/svn/pipe").exists()
    assert (scene.folder / ".git/logs/HEAD").stat().st_nlink == 2
    assert "more" in (scene.folder / "kept").read_text()


@needs_bubblewrap
async def test_a_link_that_was_there_leads_nowhere_else_now(scene: Scene) -> None:
    scene.outside("mkdir -p .git/rr-cache; ln -s ../../file .git/rr-cache/mine")
    undone = await plants(scene, f"ln -sfn {scene.base}/bashrc .git/rr-cache/mine")
    assert ".git/rr-cache/mine" in undone
    assert not (scene.folder / ".git/rr-cache/mine").is_symlink()


CLONES = """set -e
git gc -q; git clone -q . copy; git clone -q --bare . store.git; echo n > n; git add n; git commit -qm n
git clone -q . again; git -C store.git worktree add -q tree main; ln -s file store.git/tree/alias
mkdir -p work; ln -s ../file work/alias; ln work/alias work/other; ln file second
git -C copy -c protocol.file.allow=always submodule --quiet add ../again module
"""


@needs_bubblewrap
async def test_clones_share_objects_and_work_trees_may_hold_links(scene: Scene) -> None:
    sandbox = await scene.local().open(Root(scene.folder))
    done = await bash(sandbox, CLONES)
    assert done.code == 0, done.err
    undone = [each for each in await sandbox.undone() if "link" in each or "name" in each]
    await sandbox.close()
    assert undone == []
    assert (scene.folder / "store.git/tree/alias").is_symlink()
    shared = (
        each.stat().st_nlink for each in (scene.folder / "again/.git/objects").rglob("*.pack")
    )
    assert max(shared) > 1
    assert scene.outside("git -C again fsck && git -C copy fsck") is not None


@needs_bubblewrap
async def test_a_head_that_is_a_link_becomes_a_file_that_says_the_same(scene: Scene) -> None:
    undone = await plants(scene, "ln -sf refs/heads/main .git/HEAD")
    assert ".git/HEAD" in undone
    assert (scene.folder / ".git/HEAD").read_text() == "ref: refs/heads/main\n"
    assert not (scene.folder / ".git/HEAD").is_symlink()


HIDDEN = """
for at in .git/refs .git/logs/refs/heads; do mkdir -p $at/objects $at/refs $at/x; echo ref: refs/heads/main > $at/HEAD
    echo gitdir: ../../../.git > $at/x/.git; {link} $at/x/plant; done
mkdir -p .git/logs/refs/heads/objects/ab; {link} .git/logs/refs/heads/objects/ab/cd
"""


@needs_bubblewrap
@pytest.mark.parametrize("link", ["ln -s {}/bashrc", "ln file"])
async def test_what_looks_like_a_work_tree_or_like_objects_in_a_folder_of_gits_is_none(
    scene: Scene, link: str
) -> None:
    await plants(scene, HIDDEN.format(link=link.format(scene.base)), "none")
    for path in (
        *(".git/refs/x/plant", ".git/logs/refs/heads/x/plant"),
        ".git/logs/refs/heads/objects/ab/cd",
    ):
        file = scene.folder / path
        assert not file.is_symlink(), path
        assert not file.exists() or file.stat().st_nlink == 1, path


BEHIND = """git init -q r; ln -s {outside}/sub r/L; mkdir -p lib w/refs w/objects n
echo 'gitdir: ../r/L/../.git' > lib/.git; echo 'gitdir: ../r/.git' > n/.git
echo ref: refs/heads/main > w/HEAD; echo ../r/L/../.git > w/commondir"""


@needs_bubblewrap
async def test_no_step_back_behind_a_link_leads_to_a_repository_elsewhere(scene: Scene) -> None:
    """By its letters `r/L/../.git` is `r/.git`; to git it is what lies beside the link's target."""
    (scene.base / "other" / "sub").mkdir(parents=True)
    undone = await plants(scene, BEHIND.format(outside=scene.base / "other"))
    assert not (scene.folder / "lib/.git").exists()
    assert not (scene.folder / "w/commondir").exists()
    assert (scene.folder / "n/.git").exists()
    assert "lib/.git" in undone
    assert "w/commondir" in undone


MANY = "truncate -s {size} .git/x0; for i in $(seq {count}); do ln .git/x0 .git/x$i; done"


@needs_bubblewrap
@pytest.mark.parametrize(("size", "count"), [("1500M", 2), ("4M", 40)])
async def test_second_names_of_a_hole_fill_no_disk(scene: Scene, size: str, count: int) -> None:
    undone = await plants(scene, MANY.format(size=size, count=count))
    made = [each.stat() for each in (scene.folder / ".git").glob("x*")]
    assert sum(each.st_blocks * 512 for each in made) <= MOST
    assert all(each.st_nlink == 1 for each in made)
    assert len(made) >= 1, "one of its names stays"
    assert "its other ones stay" in undone
