"""Severity: high (H1). An agent plants what git runs with tools that write files, and so without any sandbox."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.agents.agent import Agent
from bottega.approvals.mode import Mode
from bottega.errors import Refused
from bottega.projects.files.files import Files
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.session import HOST
from bottega.studio import Studio
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.git.accepting import meant_by
from bottega.workspaces.sandbox.local import Local
from tests.hunt import LONG
from tests.workers.test_acting import SAY, call, results, told
from tests.workers.test_ends import whole
from tests.workspaces.sandbox.needs import needs_bubblewrap

EVIL = "#!/bin/sh\ntouch canary\n"
HOOK = "#!/bin/sh\necho mine\n"
WAYS = {
    "a hook that is there and may be run": ".githooks/pre-commit",
    "a hook that is not there yet": ".githooks/post-checkout",
    "what a hook calls from beside it": ".githooks/shared.sh",
    "another spelling of a hook": "notes/../.githooks/./commit-msg",
    "a hook through a folder that is a link": "linked/commit-msg",
    "a hook in other letters": ".GitHooks/pre-commit",
    "the file that a hook is a link to": "scripts/push.sh",
    "what husky's own hooks run": "web/.husky/pre-commit",
    "an included file that is not there": ".gitconfig-local",
    "a file that an included one includes": "deep/more",
    "the settings of a bare repository": "store.git/config",
    "a hook of a bare repository": "store.git/hooks/post-update",
    "a repository elsewhere that a folder is led to": "evil/dir/config",
    "the last file of a bare repository": "almost/HEAD",
    "the last folder of a bare repository": "nearly/refs/heads/main",
    "a repository that takes its settings elsewhere": "worktree/commondir",
    "Bottega's settings of the folder": ".bottega.toml",
    "Bottega's settings of a folder beneath": "notes/.bottega.toml",
}
REFUSED = (".git/hooks/pre-commit", "sub/.git", "sub/.git/config", ".GIT/config")
FREE = (
    "notes/plain.txt",
    "scripts/other.sh",
    "HEAD",
    "notes/config",
    "web/.husky/readme",
    "objects/x",
)
SET_UP = """
set -e
git init -q -b main; git config core.hooksPath .githooks; git config include.path ../.gitconfig-first
mkdir .githooks notes scripts deep almost almost/objects almost/refs nearly nearly/objects worktree evil sub
printf '#!/bin/sh\\necho mine\\n' | tee .githooks/pre-commit scripts/push.sh > /dev/null
chmod +x .githooks/pre-commit scripts/push.sh; ln -s ../scripts/push.sh .githooks/pre-push; ln -s .githooks linked
printf '[include]\\npath = .gitconfig-local\\npath = deep/more\\n' > .gitconfig-first
git init -q web; git -C web config core.hooksPath .husky/_; mkdir -p web/.husky/_
git init -q --bare store.git; rm -r store.git/hooks
git init -q --bare evil/dir; mkdir pointed; echo 'gitdir: ../evil/dir' > pointed/.git
echo 'ref: refs/heads/main' | tee nearly/HEAD worktree/HEAD > /dev/null
"""


def _write(path: str, content: str) -> dict[str, Any]:
    return call("write_file", file_path=path, content=content)


def _patches(folder: Path, path: str, content: str) -> list[dict[str, str]]:
    file = folder / path
    return [{"old_text": file.read_text() if file.is_file() else "", "new_text": content}]


def _patch(folder: Path, path: str, content: str) -> dict[str, Any]:
    return call("patch_file", file_path=path, patches=_patches(folder, path, content))


def _edits(folder: Path, path: str, content: str) -> dict[str, Any]:
    """Hidden behind a harmless one."""
    harmless = {"file_path": "notes/todo", "patches": [{"old_text": "", "new_text": "x"}]}
    edit = {"file_path": path, "patches": _patches(folder, path, content)}
    return call("multi_edit", edits=[harmless, edit])


_MODES: tuple[Mode, ...] = ("allow", "ask") if LONG else ("allow",)
TOOLS: dict[str, Callable[[Path, str, str], dict[str, Any]]] = {
    "write_file": lambda _, path, content: _write(path, content),
    "patch_file": _patch,
    "multi_edit": _edits,
}


@pytest.fixture
def project(folder: Path) -> Path:
    subprocess.run(["sh", "-c", SET_UP], cwd=folder, check=True, capture_output=True)
    return folder


def _everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _paths(ask: Ask) -> list[str]:
    return [each["file_path"] for each in ask.input.get("edits", [ask.input])]


class Person:
    """Answers every ask alike, and remembers what was asked."""

    def __init__(self, word: Any) -> None:
        self.asked: list[Ask] = []
        self._word = word

    def __call__(self, ask: Ask) -> Reply:
        if ask.kind == "plan":
            return Reply("discard")
        self.asked.append(ask)
        return Reply(self._word)

    @property
    def reasons(self) -> list[str]:
        return [ask.asked.detail["reason"] for ask in self.asked]


async def _done(
    home: Path, project: Path, model: str, person: Person, mode: Mode = "allow", **more: Any
) -> list[Any]:
    agents = more.pop("agents", ())
    async with Studio(home, agents=agents) as studio:
        session = await studio.start(model=model, folder=project, mode=mode, **more)
        await session.prompt("go", on_approval=person)
        return results(await whole(session))


@pytest.mark.parametrize(
    ("tool", "mode"), [*((tool, mode) for tool in TOOLS for mode in _MODES), ("write_file", "plan")]
)
async def test_every_way_by_every_tool_is_asked_about_in_every_mode_with_the_reason(
    home: Path, project: Path, scripted: Any, tool: str, mode: Mode
) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[[rules]]\nverdict = "allow"\ntool = "*"\n')
    before = _everything(project)
    calls = [TOOLS[tool](project, path, EVIL) for path in (*WAYS.values(), *REFUSED)]
    person = Person("deny")
    found = await _done(home, project, scripted(calls, SAY), person, mode)
    assert all(each.is_error for each in found)
    assert _everything(project) == before
    if mode == "plan":
        assert person.asked == []
        return
    assert len(person.asked) == len(WAYS)
    for way, path in WAYS.items():
        (reason,) = [ask.asked.detail["reason"] for ask in person.asked if path in _paths(ask)]
        assert reason.startswith("Bottega would" if "Bottega" in way else "git would"), way
    assert not any(ask.asked.detail["offers"] for ask in person.asked)


async def test_what_is_nothing_to_git_is_written_unasked(
    home: Path, project: Path, scripted: Any
) -> None:
    person = Person("deny")
    calls = [_write(path, "x") for path in FREE]
    found = await _done(home, project, scripted(calls, SAY), person)
    assert person.reasons == []
    assert [told(each)["status"] for each in found] == ["success"] * len(FREE)


async def test_files_that_an_agent_saves_in_one_pass_are_asked_about(
    home: Path, project: Path, scripted: Any
) -> None:
    before = _everything(project)
    text = "".join(
        f'```sh title="{path}"\n{EVIL}```\n' for path in (".githooks/shared.sh", ".gitconfig-local")
    )
    person = Person("deny")
    writer = Agent(slug="writer", type="StreamAgent", prompt="Write.")
    model = scripted([{"do": "say", "text": text}])
    await _done(home, project, model, person, agents=(writer,), agent="writer")
    assert len(person.reasons) == 2
    assert _everything(project) == before


async def test_what_was_allowed_for_the_session_is_asked_about_all_the_same(
    home: Path, project: Path, scripted: Any
) -> None:
    person = Person("allow_all")
    calls = [[_write(".githooks/pre-commit", f"{EVIL}{number}")] for number in range(3)]
    await _done(home, project, scripted(*calls, SAY), person)
    assert len(person.reasons) == 3


async def test_pieces_of_a_repository_that_are_written_at_once_are_not_one_unasked(
    home: Path, project: Path, scripted: Any
) -> None:
    paths = ("new/HEAD", "new/objects/x", "new/refs/x")
    person = Person("deny")
    await _done(home, project, scripted([_write(each, "x") for each in paths], SAY), person)
    assert not all((project / each).exists() for each in paths)


BEGUN_IN = {
    ".githooks": "pre-commit",
    "deep": "more",
    "store.git": "config",
}


@pytest.mark.parametrize("inside", BEGUN_IN)
async def test_a_session_that_is_begun_deep_inside_is_asked_all_the_same(
    home: Path, project: Path, scripted: Any, inside: str
) -> None:
    before = _everything(project)
    person = Person("deny")
    model = scripted([_write(BEGUN_IN[inside], EVIL)], SAY)
    await _done(home, project / inside, model, person)
    assert [reason.startswith("git would") for reason in person.reasons] == [True]
    assert _everything(project) == before


@pytest.mark.parametrize("inside", [".git", ".git/hooks", "store.git/hooks", "store.git/objects"])
async def test_no_session_is_begun_in_what_a_repository_is_made_of(
    home: Path, project: Path, scripted: Any, inside: str
) -> None:
    (project / inside).mkdir(exist_ok=True)
    async with Studio(home) as studio:
        with pytest.raises(Refused, match="decides what git runs"):
            await studio.start(model=scripted(SAY), folder=project / inside, mode="allow")


async def test_without_an_answer_nothing_is_written(
    home: Path, project: Path, scripted: Any
) -> None:
    async with Studio(home) as studio:
        model = scripted([_write(".githooks/pre-commit", EVIL)], SAY)
        session = await studio.start(model=model, folder=project, mode="allow")
        answer = session.prompt("go")
        async for event in answer:
            if event.type == "approval_required":
                await answer.cancel()
    assert (project / ".githooks" / "pre-commit").read_text() == HOOK


MINE = "#!/bin/sh\necho approved\n"
PLANT = "echo evil >> {path}; chmod +x {path}; cat {path}; true"
APPROVED = (".gitconfig-local", "web/.husky/pre-commit", "store.git/hooks/update", ".bottega.toml")


@needs_bubblewrap
async def test_what_a_person_approved_outlives_open_and_later_sandboxes_and_no_program_changes_it(
    home: Path, project: Path, scripted: Any
) -> None:
    steps: list[list[dict[str, Any]]] = [[call("bash_exec", command="true")]]
    for path in (*APPROVED, "fresh.git/HEAD"):
        steps.append([_write(path, MINE)])
    steps.append([call("bash_exec", command="true")])
    steps += [[call("bash_exec", command=PLANT.format(path=path))] for path in APPROVED]
    person = Person("allow_once")
    found = await _done(home, project, scripted(*steps, SAY), person)
    assert len(person.asked) == len(APPROVED)
    assert "note" not in told(found[len(APPROVED) + 2])["result"], "nothing was undone"
    for path in APPROVED:
        assert (project / path).read_text() == MINE, path
        assert not os.access(project / path, os.X_OK), path
    again = [[call("bash_exec", command=PLANT.format(path=path))] for path in APPROVED]
    await _done(home, project, scripted(*again, SAY, name="again"), person)
    for path in APPROVED:
        assert (project / path).read_text() == MINE, path


@needs_bubblewrap
async def test_what_a_person_does_in_the_studio_while_a_sandbox_is_open_stays(
    home: Path, project: Path, scripted: Any
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted([call("shell_open")], SAY), folder=project, mode="allow"
        )
        await session.prompt("go")
        (opened,) = studio.opened.hands.shells.list(str(project), HOST)
        runtime = studio.runtime
        files = Files(
            runtime.folders,
            studio.opened.hands.locked,
            runtime.database.home.workspace,
            runtime.sandboxes.accepting,
        )
        owned = runtime.folders.project_of(session.row)
        await files.write(owned, ".gitconfig-local", "[alias]\n\tx = !y\n", "")
        made = await files.upload(owned, "store.git/hooks/update", "", _chunks())
        draft = await files.write(owned, "draft", MINE, "")
        await files.move(owned, "draft", "web/.husky/commit-msg", draft.version)
        await files.make_folder(owned, "store.git/hooks/kept")
        await opened.shell.run("echo evil >> store.git/hooks/update", 10)
        looked = await runtime.sandboxes.open(runtime.folders.open(session.row))
        undone = await looked.undone()
        await looked.close()
        assert made.created
        assert not any("gitconfig" in each or "husky" in each for each in undone)
    assert (project / ".gitconfig-local").read_text() == "[alias]\n\tx = !y\n"
    assert (project / "store.git/hooks/update").read_text() == MINE
    assert (project / "web/.husky/commit-msg").read_text() == MINE


@needs_bubblewrap
async def test_an_old_hook_is_put_back_by_hand_only(
    home: Path, project: Path, scripted: Any
) -> None:
    """Nobody can tell whether it was the person's, or was written while it was no hook yet."""
    path = "web/.husky/pre-commit"
    (project / path).write_text(HOOK)
    async with Studio(home) as studio:
        model = scripted([_write(path, MINE)], [call("shell_open")], SAY)
        session = await studio.start(model=model, folder=project, mode="allow")
        await session.prompt("go", on_approval=Person("allow_once"))
        for force in (False, True):
            undone = await session.revert(force=force)
            assert undone.paths == ()
            assert "git would run" in undone.refused[path]
    assert (project / path).read_text() == MINE


@needs_bubblewrap
async def test_a_program_that_is_quicker_than_the_acceptance_is_undone(
    tmp_path: Path, project: Path
) -> None:
    local = Local(tmp_path / "state")
    with Root(project) as root:
        sandbox = await local.open(root)
        hook = project / "web/.husky/pre-push"
        change = Change((Edit("web/.husky/pre-push", None, MINE.encode()),))
        with local.accepting(root, ("web/.husky/pre-push",), meant_by(change)):
            hook.write_text(MINE)
            hook.write_text(EVIL)
        assert "pre-push" in " ".join(await sandbox.undone())
        await sandbox.close()
    assert hook.read_text() == MINE


async def _chunks() -> Any:
    await asyncio.sleep(0)
    yield MINE.encode()
