"""Severity: high. An index, which is no branch, holds another version of a hook, a filter's script or settings:
`git restore .`, with which a person throws an agent's work away, writes it and runs it at once.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents import index as indexes
from bottega.workspaces.git.contents.staged import changed
from bottega.workspaces.git.guard import Guard
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

HOOK = ".githooks/post-checkout"
PERSON = """
git config core.hooksPath .githooks; git config filter.f.smudge tools/fmt.sh; git config include.path ../settings
mkdir .githooks tools; for each in .githooks/post-checkout tools/fmt.sh; do printf '#!/bin/sh\\ncat\\n' > $each; done
chmod +x .githooks/* tools/*; echo '*.c filter=f' > .gitattributes; echo a > a.c; echo '[alias]' > settings
git -c core.hooksPath=/ add -A; git -c core.hooksPath=/ commit -qm all
"""


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        scene = Scene(base)
        scene.outside(PERSON)
        yield scene


def planted(scene: Scene, script: str) -> str:
    """What is told of what a command did; the person then throws it away, in the project and in a work tree."""
    begin = f"""G="git -c core.hooksPath=/ -c filter.f.smudge=cat"
        evil() {{ printf '#!/bin/sh\\ntouch {scene.canary}/ran\\ncat\\n' | $G hash-object -w --stdin; }}
        stage() {{ $G update-index --add --cacheinfo $1,$(evil),$2; }}
        """
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        command = ["bash", "-c", begin + script]
        subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
        guard.check()
        guard.close()
    for folder in (scene.folder, scene.folder / "tree"):
        for verb in ("checkout .", "restore .", "status"):
            command = ["git", "-c", "safe.directory=*", "-C", str(folder), *verb.split()]
            subprocess.run(command, check=False, capture_output=True)
    return " ".join(guard.reports())


WAYS = {
    "a hook": f"stage 100755 {HOOK}",
    "a new hook": "stage 100755 .githooks/post-index-change",
    "a script": "stage 100755 tools/fmt.sh; rm a.c",
    "a link for the folder": (
        "mkdir planted; printf '#!/bin/sh\\ntouch {canary}/ran\\n' > planted/post-checkout; chmod +x planted/*;"
        " $G rm -rq --cached .githooks; B=$(printf planted | $G hash-object -w --stdin);"
        " $G update-index --add --cacheinfo 120000,$B,.githooks"
    ),
    "other letters": "stage 100755 .GITHOOKS/post-checkout",
    "a conflict": (
        f"printf '100755 %s %d\\t{HOOK}\\n' $(evil) 1 $(evil) 2 | $G update-index --index-info"
    ),
    "another version": f"$G update-index --index-version 4; stage 100755 {HOOK}",
    "two indexes": f"$G update-index --split-index; stage 100755 {HOOK}",
    "two indexes, in the first": f"stage 100755 {HOOK}; $G update-index --split-index",
    "a work tree": f"$G worktree add -q tree -b tree; cd tree; stage 100755 {HOOK}",
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_person_throws_away_runs_nothing(scene: Scene, way: str) -> None:
    script = "echo 2 > other; $G add other;" + WAYS[way].replace("{canary}", str(scene.canary))
    told = planted(scene, script)
    assert os.listdir(scene.canary) == []
    assert "index' held versions of files that git would run" in told
    assert "other" in scene.git("diff", "--cached", "--name-only"), "the rest stays as it was added"
    assert scene.git("fsck", "--no-dangling") == ""
    held = ("diff", "--cached", "--name-only", "--diff-filter=d", "--", ".githooks", "tools")
    assert scene.git(*held) == "", "as it was before, or gone"


def test_included_settings_do_not_come_from_an_index(scene: Scene) -> None:
    planted(
        scene,
        f"B=$(printf '[core]\\n\\tfsmonitor = touch {scene.canary}/ran\\n' | $G hash-object -w --stdin);"
        "$G update-index --cacheinfo 100644,$B,settings",
    )
    assert os.listdir(scene.canary) == []


ORDINARY = """
echo 2 >> file; $G add -A; $G commit -qm two; $G worktree add -q tree; $G checkout -q -b other; echo 3 > a.c
$G stash -q; $G stash pop -q; $G commit -qam three; $G checkout -q main; $G merge -q other
$G update-index --split-index; $G clone -q . copy
"""


def test_ordinary_work_changes_no_index(scene: Scene) -> None:
    assert planted(scene, ORDINARY) == ""
    assert scene.git("status", "--short") == "?? copy/\n?? tree/\n"


def test_what_is_on_the_disk_may_be_added(scene: Scene) -> None:
    """The person has written the hook, and the agent commits it."""
    (scene.folder / HOOK).write_text("#!/bin/sh\n# mine\n")
    assert planted(scene, f"$G add {HOOK}") == ""
    assert scene.git("diff", "--cached", "--name-only") == f"{HOOK}\n"


FORMS = {
    "2": "",
    "3": "echo n > new; git add -N new",
    "4": "git update-index --index-version 4",
    "based": (
        "git update-index --split-index; echo 1 > one; git rm -q --cached two; echo x > three; git add one three"
    ),
    "conflict": "printf '100644 %s 1\\tq\\n100644 %s 2\\tq\\n' $B $B | git update-index --index-info",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_an_index_that_is_written_anew_is_the_same_to_git(
    tmp_path: Path, form: str, hashes: str
) -> None:
    script = f"""git init -q --object-format={hashes}; mkdir a
        for each in two three a/four; do echo $each > $each; done; git add .; B=$(git hash-object two); {FORMS[form]}"""

    def run(script: str) -> bytes:
        command = ["bash", "-ec", script]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout

    run(script)
    shown = "git ls-files --stage --debug | sed 's,flags:.*,,'; git status --short"
    before = run(shown)
    with Root(tmp_path) as root:
        index = indexes.read(root, ".git")
    assert index is not None
    assert bool(index.base) == (form == "based")
    held = (0o100755, "ab" * index.size)
    (tmp_path / ".git/index").write_bytes(changed(index, (), {}))
    assert run(shown) == before
    (tmp_path / ".git/index").write_bytes(changed(index, ["a/four"], {"a/four": held, "z": held}))
    listed = run("git ls-files --stage").decode()
    assert f"100755 {held[1]} 0\ta/four\n" in listed
    assert f"100755 {held[1]} 0\tz\n" in listed
    assert listed.count("\n") == before.decode().count("ctime:") + 1
