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


LIE = """
import glob, hashlib, os, struct, subprocess, zlib

def git(*words, **more):
    command = ["git", "-c", "core.hooksPath=/", *words]
    return subprocess.run(command, capture_output=True, check=True, **more).stdout

evil = b"#!/bin/sh\\ntouch {canary}/ran\\ncat\\n"
name = git("rev-parse", ":{hook}").decode().strip()
way = "{way}"
if way in ("loose", "packed") or way.startswith("elsewhere"):
    for pack in glob.glob(".git/objects/pack/*.pack"):
        raw = open(pack, "rb").read()
        for each in glob.glob(pack[:-5] + ".*"):
            os.unlink(each)
        git("unpack-objects", "-q", input=raw)
fresh = git("hash-object", "-w", "--stdin", input=evil).decode().strip()
place = ".git/objects/" + name[:2] + "/" + name[2:]
if way.startswith("replace"):
    git("replace", name, fresh)
    if way != "replace":
        git("pack-refs", "--all")
        sign = {"tab": "\\t", "return": "\\r"}.get(way.rpartition(" ")[2], " ")
        table = open(".git/packed-refs", newline="").read()
        open(".git/packed-refs", "w", newline="").write(table.replace(" refs/replace", sign + "refs/replace"))
elif way.startswith("elsewhere"):
    other = way.partition(" in ")[2] or "other"
    os.unlink(place)
    git("init", "-q", other)
    open(".git/objects/info/alternates", "w").write(os.getcwd() + "/" + other + "/.git/objects\\n")
    place = other + "/" + place
if way == "loose" or way.startswith("elsewhere"):
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.exists(place):
        os.chmod(place, 0o644)
    open(place, "wb").write(zlib.compress(b"blob %d\\0" % len(evil) + evil))
elif way.startswith("packed"):
    git("pack-objects", ".git/objects/pack/pack", input=fresh.encode())
    tables = glob.glob(".git/objects/pack/*.idx")
    (table,) = [each for each in tables if bytes.fromhex(fresh) in open(each, "rb").read()]
    raw = bytearray(open(table, "rb").read())
    for first in range(256):
        struct.pack_into(">I", raw, 8 + first * 4, first >= int(name[:2], 16))
    raw[1032:1052] = bytes.fromhex(name)
    raw[-20:] = hashlib.sha1(raw[:-20]).digest()
    os.chmod(table, 0o644)
    open(table, "wb").write(raw)
    for each in glob.glob(table[:-4] + ".rev"):
        os.unlink(each)
    if os.path.exists(place):
        os.unlink(place)
    if way.endswith("many"):
        git("multi-pack-index", "write")
raw = bytearray(open(".git/index", "rb").read())
at = raw.index(b"{hook}") - 62
raw[at : at + 16] = bytes(16)
raw[at + 60] |= 0x80
raw[-20:] = hashlib.sha1(raw[:-20]).digest()
open(".git/index", "wb").write(raw)
"""


@pytest.mark.parametrize(
    "way",
    [
        *(
            "replace",
            "replace in a line",
            "replace behind a tab",
            "replace behind a return",
            "loose",
            "packed",
            "packed in many",
            "elsewhere",
        ),
        "elsewhere in ..lend",
    ],
)
def test_the_objects_that_an_index_names_are_what_their_names_say(scene: Scene, way: str) -> None:
    """The index and the files are as they were; what git would write for them is something else."""
    script = LIE.replace("{canary}", str(scene.canary)).replace("{hook}", HOOK)
    (scene.base / "lie.py").write_text(script.replace("{way}", way))
    told = planted(scene, f"python3 {scene.base}/lie.py && touch {scene.base}/done")
    assert (scene.base / "done").exists()
    scene.outside("git -c safe.directory='*' reset -q --hard || true")
    assert os.listdir(scene.canary) == []
    assert "Undone" in told
    hook = scene.folder / HOOK
    assert not hook.exists() or "touch" not in hook.read_text()
    assert "refs/replace" not in scene.git("for-each-ref")


def test_a_replacement_that_was_there_before_stays(scene: Scene) -> None:
    scene.outside(
        "git -c core.hooksPath=/ replace HEAD $(git commit-tree -m x HEAD^{tree}); git pack-refs --all"
    )
    before = scene.git("for-each-ref", "refs/replace")
    told = planted(scene, "$G replace -f HEAD:file HEAD:a.c; $G tag one; $G pack-refs --all")
    assert scene.git("for-each-ref", "refs/replace") == before != ""
    assert scene.git("tag") == "one\n"
    assert "packed-refs' held a reference that makes git take one object for another" in told


@pytest.mark.parametrize("way", ["packs", "unpacks"])
def test_a_replacement_that_git_moves_stays(scene: Scene, way: str) -> None:
    scene.outside(
        "git -c core.hooksPath=/ commit -q --allow-empty -m other; git replace HEAD~1 HEAD~2"
    )
    if way == "unpacks":
        scene.outside("git pack-refs --all")
    before = scene.git("replace", "-l")
    moves = (
        "$G replace -d HEAD~1; $G replace HEAD~1 HEAD~2"
        if way == "unpacks"
        else "$G pack-refs --all"
    )
    told = planted(scene, moves)
    assert scene.git("replace", "-l") == before != ""
    assert "replace" not in told


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


BARE = """
add() { $G update-index --add --cacheinfo 100644,$(printf "$2" | $G hash-object -w --stdin),$1; }
settings='[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "touch {canary}/ran; false"\n'
mkdir docs; echo a > docs/a; $G add docs/a
"""
PARTS = {
    "docs/HEAD": "ref: refs/heads/main\\n",
    "docs/objects/x": "",
    "docs/refs/x": "",
    "docs/config": "$settings",
}


@pytest.mark.parametrize(
    "on_disk", [(), *((each,) for each in PARTS), ("docs/config", "docs/HEAD")]
)
@pytest.mark.parametrize("folder", ["docs", "Docs"])
def test_an_index_makes_no_repository_of_plain_files(
    scene: Scene, folder: str, on_disk: tuple[str, ...]
) -> None:
    script = BARE.replace("{canary}", str(scene.canary))
    for name, content in PARTS.items():
        if name in on_disk:
            script += f'mkdir -p $(dirname {name}); printf "{content}" > {name}\n'
        else:
            script += f'add {name} "{content}"\n'
    told = planted(scene, script.replace("docs", folder))
    assert (scene.folder / folder / "a").exists()
    command = ["git", "-c", "safe.directory=*", "status"]
    subprocess.run(command, cwd=scene.folder / folder, check=False, capture_output=True)
    assert os.listdir(scene.canary) == []
    assert "config" in told
