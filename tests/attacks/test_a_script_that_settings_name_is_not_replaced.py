"""Severity: high (H1, its kind). The person's settings of git name a script of the project, as a filter, an alias or
what watches files: an agent that rewrites the script runs outside with the next `git status`.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git import outside
from bottega.workspaces.git.config import is_safe, mentioned, programs
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.proposed import danger
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

SCRIPTS = ("tools/clean.sh", "tools/watch.sh", "conv.py", "later.sh")
MINE = "#!/bin/sh\ncat\n"


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        scene = Scene(base)
        (scene.folder / "tools").mkdir()
        for path in SCRIPTS[:-1]:
            (scene.folder / path).write_text(MINE)
            (scene.folder / path).chmod(0o755)
        scene.outside(
            "git config filter.f.clean ./tools/clean.sh; echo '* filter=f' > .gitattributes;"
            "git config core.fsmonitor 'sh tools/watch.sh'; git config diff.f.textconv 'python3 -u conv.py';"
            "git config alias.x '!sh -c \"./later.sh; true\"'; git config commit.template tools/message;"
            "git config alias.y '!cat README.md'"
        )
        yield scene


def test_what_a_command_writes_there_is_undone(scene: Scene) -> None:
    (scene.folder / "README.md").write_text("old")
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        for path in (*SCRIPTS, "tools/message", "README.md", "tools/other.sh"):
            (scene.folder / path).write_text(f"#!/bin/sh\ntouch {scene.canary}/ran\n")
            (scene.folder / path).chmod(0o755)
        guard.close()
    command = ["git", "-c", "safe.directory=*", "status"]
    subprocess.run(command, cwd=scene.folder, check=False, capture_output=True)
    subprocess.run([*command[:-1], "x"], cwd=scene.folder, check=False, capture_output=True)
    assert not list(scene.canary.iterdir())
    told = " ".join(guard.reports())
    for path in SCRIPTS[:-1]:
        assert (scene.folder / path).read_text() == MINE, path
        assert path in told, path
    assert not (scene.folder / "later.sh").exists()
    for path in ("tools/message", "README.md", "tools/other.sh"):
        assert "ran" in (scene.folder / path).read_text(), path


def test_a_tool_asks_before_it_writes_there(scene: Scene) -> None:
    with Root(scene.folder) as root:
        for path in SCRIPTS:
            assert "git would run" in danger(root, [path]), path
        for path in ("tools/message", "README.md", "tools/other.sh"):
            assert danger(root, [path]) == "", path


NAMED = {
    "!sh tools/x.sh a": "tools/x.sh",
    "!f() { ./a/b.sh; }; f": "./a/b.sh",
    "sh -c './tools/m.sh %O %A'": "./tools/m.sh",
    '!"$(git rev-parse --show-toplevel)/tools/z.sh"': "tools/z.sh",
    '!bash -c "tools/q.sh; true"': "tools/q.sh",
    "A=b env -i ./x.sh": "./x.sh",
    "/usr/bin/env python3 tools/f.py": "tools/f.py",
    "env sh x": "x",
    "exec sh x": "x",
    "timeout 9 ./x": "./x",
    "nice -n 5 tools/x": "tools/x",
    "bash -o pipefail x": "x",
    "python3 -X utf8 x": "x",
    "if test -x ./x; then ./x; fi": "./x",
    "if true; then sh x; fi": "x",
    "uv run x.py": "x.py",
    "node --require=./x.js y": "./x.js",
    "node -r./x.js y": "./x.js",
    "BASH_ENV=./x bash -c true": "./x",
    "sh <x.sh": "x.sh",
    "cat x.sh | sh": "x.sh",
    "!cd tools && sh x": "tools/x",
    "./tools/refresh": "./tools/refresh",
    "bisect run ./x": "./x",
    "-c core.fsmonitor=./x status": "./x",
}


@pytest.mark.parametrize("value", NAMED)
def test_scripts_are_found_however_they_are_called(value: str) -> None:
    assert NAMED[value] in {*programs(("alias.x", value))}
    for harmless in ("less -R", "status -sb", "git-lfs clean -- %f", "!cat README.md"):
        assert [*programs(("alias.x", harmless))] == []
    assert [*programs(("commit.template", str(Path("tools/message"))))] == []


DATA = {
    "branch.main.description": "what docs/notes.md says",
    "lfs.fetchinclude": "assets/a.bin",
    "diff.orderfile": "tools/order",
    "format.signaturefile": "docs/signature",
    "core.excludesfile": ".ignored",
    "core.attributesfile": "tools/attributes",
    "mailmap.file": ".people",
    "http.https://example.org/.sslcert": "keys/cert.pem",
    "safe.directory": "./vendor",
    "url.https://example.org/.insteadof": "vendor/x.git",
    "alias.d": "diff -- package.json",
}


@pytest.mark.parametrize("key", DATA)
def test_what_git_only_reads_is_no_program(key: str) -> None:
    assert [*programs((key, DATA[key])), *mentioned((key, DATA[key]))] == []


@pytest.mark.parametrize(
    "line", ["make -sf rules", "awk -f rules", "make -frules", "if a; then b rules; fi"]
)
def test_a_file_that_any_word_names_is_guarded(scene: Scene, line: str) -> None:
    """By whichever program it is run; where there is no such file, the word is only a word."""
    (scene.folder / "rules").write_text(MINE)
    scene.outside(
        f"git config filter.g.smudge '{line}'; git config filter.lfs.clean 'git-lfs clean -- %f'"
    )
    with Root(scene.folder) as root:
        assert "git would run" in danger(root, ["rules"])
        assert danger(root, ["make"]) == ""
        guard = Guard(scene.base / "state", root)
        guard.open()
        (scene.folder / "rules").write_text("evil")
        (scene.folder / "clean").write_text("a new file")
        guard.close()
    assert (scene.folder / "rules").read_text() == MINE
    assert (scene.folder / "clean").exists()


FLAGS = {
    ("commit.gpgsign", "false"): ("commit.gpgsign", "true"),
    ("core.fsmonitor", "false"): ("core.fsmonitor", "true"),
    ("core.fsmonitor", "0"): ("core.fsmonitor", None),
    ("core.untrackedcache", "keep"): ("core.untrackedcache", "./x"),
    ("core.splitindex", "true"): ("core.splitindex", "x"),
    ("core.longpaths", "true"): ("core.longpaths", "x"),
    ("remote.origin.promisor", "true"): ("remote.-x.promisor", "true"),
    ("remote.origin.partialclonefilter", "blob:none"): (
        "remote.origin.partialclonefilter",
        "--upload-pack=x",
    ),
    ("remote.up.partialclonefilter", "blob:limit=1m"): (
        "remote.up.partialclonefilter",
        "sparse:oid=x y",
    ),
}


@pytest.mark.parametrize("good", FLAGS)
def test_a_flag_that_runs_nothing_may_stay(good: tuple[str, str]) -> None:
    assert is_safe(good)
    assert not is_safe(FLAGS[good])


def test_who_changes_branches_is_told_how_to_get_the_commits_hook(scene: Scene) -> None:
    """A project keeps its hooks among its files: those of another branch are put back, too."""
    (scene.folder / ".husky").mkdir()
    (scene.folder / ".husky/pre-commit").write_text(MINE)
    scene.outside("git config core.hooksPath .husky")
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        (scene.folder / ".husky/pre-commit").write_text("of another branch")
        (scene.folder / ".git/hooks").mkdir(exist_ok=True)
        (scene.folder / ".git/hooks/pre-push").write_text("evil")
        guard.close()
    reports = guard.reports()
    for told in reports:
        assert ("git checkout -f" in told) == (".husky" in told), told
    assert "git checkout -f" in " ".join(reports)


HOMES = ("$HOME/project/{}", "${{HOME}}/project/{}", "sh -c '$HOME/project/{}'", "$UP/project/{}")
DEEP = (
    "cd $HOME/project && ./{}",
    "${{X:-$HOME/y}}/project/{}",
    "~/project/{}",
    '"$(cd ..; pwd)"/project/{}',
)


@pytest.mark.parametrize("spelled", [*HOMES, *DEEP])
def test_a_script_is_guarded_whatever_variable_leads_to_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    monkeypatch.setattr(outside, "_named", {"HOME": str(scene.base)})
    (scene.folder / "tools/fmt.sh").write_text(MINE)
    value = spelled.format("tools/fmt.sh").replace("\\", "\\\\").replace('"', '\\"')
    (scene.base / ".gitconfig").write_text(f'[filter "own"]\n\tclean = "{value}"\n')
    with Root(scene.folder) as root:
        assert "git would run" in danger(root, ["tools/fmt.sh"])
        guard = Guard(scene.base / "state", root)
        guard.open()
        (scene.folder / "tools/fmt.sh").write_text("evil")
        guard.close()
    assert (scene.folder / "tools/fmt.sh").read_text() == MINE


OFF = "[core]\n\tfsmonitor = mine\n[core]\n\tfsmonitor = false\n[alias]\n\tx = !y\n[user]\n\tname = P\n"
REARRANGED = {
    "a line that switches off": OFF.replace("[core]\n\tfsmonitor = false\n", ""),
    "the order": OFF.replace("= mine", "= x")
    .replace("= false", "= mine")
    .replace("= x", "= false"),
    "the same again": f"{OFF}[core]\n\tfsmonitor = mine\n",
    "all of it": OFF.replace("[core]\n\tfsmonitor = mine\n[core]\n\tfsmonitor = false\n", ""),
}


@pytest.mark.parametrize("way", REARRANGED)
def test_what_the_person_switched_off_stays_off(scene: Scene, way: str) -> None:
    scene.outside("git init -q nested")
    settings = scene.folder / "nested/.git/config"
    settings.write_text(OFF)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        settings.write_text(REARRANGED[way])
        guard.check()
        assert settings.read_text() == OFF
        fine = OFF.replace("[alias]\n\tx = !y\n", "").replace("= P", "= Q")
        settings.write_text(fine)
        guard.close()
    assert settings.read_text() == fine
