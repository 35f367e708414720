"""Severity: high (H1). Settings outside of the workspace lead back into it, by an include, by a link or by a
variable, and what they name is planted there; or a pipe takes the place of a file that is read for them.
"""

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git import outside
from bottega.workspaces.git.proposed import danger
from bottega.workspaces.git.scan import Scanner
from bottega.workspaces.git.sensitive import targets
from bottega.workspaces.sandbox.local import Local
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import bash

HOOKS = "[core]\n\thooksPath = .teamhooks\n"


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setattr(outside, "_named", {})
    with rooms.open_folder() as base:
        yield Scene(base)


def _included(scene: Scene) -> dict[str, str]:
    (scene.base / "team").write_text(HOOKS)
    (scene.base / "middle").write_text('[includeIf "onbranch:none"]\n\tpath = team\n')
    scene.git("config", "include.path", f"{scene.base}/middle")
    return {}


def _leading_back(scene: Scene) -> dict[str, str]:
    """From outside to a file in the workspace, which names the hooks."""
    (scene.folder / "team").write_text(HOOKS)
    (scene.base / "middle").write_text(f"[include]\n\tpath = {scene.folder}/team\n")
    scene.git("config", "include.path", f"{scene.base}/middle")
    return {}


def _linked(scene: Scene) -> dict[str, str]:
    """The person's own settings are a link into the workspace, as people keep them in a repository."""
    (scene.folder / "gitconfig").write_text(HOOKS)
    (scene.base / "home").mkdir()
    (scene.base / "home" / ".gitconfig").symlink_to(scene.folder / "gitconfig")
    return {"HOME": str(scene.base / "home")}


def _of_home(scene: Scene) -> dict[str, str]:
    (scene.base / "home").mkdir()
    (scene.base / "home" / "work").write_text(HOOKS)
    text = f'[includeIf "gitdir:{scene.base}/"]\n\tpath = ~/work\n'
    (scene.base / "home" / ".gitconfig").write_text(text)
    return {"HOME": str(scene.base / "home")}


def _xdg(scene: Scene) -> dict[str, str]:
    (scene.base / "xdg" / "git").mkdir(parents=True)
    (scene.base / "xdg" / "git" / "config").write_text(HOOKS)
    return {"XDG_CONFIG_HOME": str(scene.base / "xdg")}


def _named(scene: Scene) -> dict[str, str]:
    (scene.base / "mine").write_text(HOOKS)
    return {"GIT_CONFIG_GLOBAL": str(scene.base / "mine")}


WAYS: dict[str, Callable[[Scene], dict[str, str]]] = {
    each.__name__[1:]: each for each in (_included, _leading_back, _linked, _of_home, _xdg, _named)
}


def commits(scene: Scene, environment: dict[str, str]) -> None:
    command = ["git", "-c", "user.name=P", "-c", "user.email=p@e", "commit", "-qm", "x"]
    plain = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    subprocess.run([*command, "--allow-empty"], cwd=scene.folder, env=plain, check=False)


@needs_bubblewrap
@pytest.mark.parametrize("way", WAYS)
async def test_hooks_that_settings_outside_name_cannot_be_planted(scene: Scene, way: str) -> None:
    scene.outside("git config --unset core.hooksPath; mkdir .teamhooks")
    (scene.folder / ".teamhooks" / "commit-msg").write_text("#!/bin/sh\n")
    environment = WAYS[way](scene)
    local = Local(scene.base / "state", environment=environment)
    plant = f"printf '#!/bin/sh\\ntouch {scene.canary}/ran\\n' >"
    sandbox = await local.open(Root(scene.folder))
    await bash(sandbox, f"{plant} .teamhooks/commit-msg")
    await bash(sandbox, f"{plant} .teamhooks/pre-commit; chmod +x .teamhooks/*; true")
    await sandbox.undone()
    await sandbox.close()
    commits(scene, environment)
    assert not list(scene.canary.iterdir())
    assert os.listdir(scene.folder / ".teamhooks") == ["commit-msg"]
    assert (scene.folder / ".teamhooks" / "commit-msg").read_text() == "#!/bin/sh\n"


def _global(scene: Scene, text: str) -> Local:
    (scene.base / "mine").write_text(text)
    named = {"GIT_CONFIG_GLOBAL": str(scene.base / "mine")}
    return Local(scene.base / "state", environment=named)


@needs_bubblewrap
async def test_hooks_of_a_bare_repository_that_settings_outside_name_cannot_be_planted(
    scene: Scene,
) -> None:
    sandbox = await _global(scene, HOOKS).open(Root(scene.folder))
    hook = "bare.git/.teamhooks/reference-transaction"
    await bash(sandbox, f"git init -q --bare bare.git; mkdir bare.git/.teamhooks; echo x > {hook}")
    assert hook in " ".join(await sandbox.undone())
    await sandbox.close()
    assert not (scene.folder / hook).exists()


@needs_bubblewrap
@pytest.mark.parametrize("spelled", ["{}/template", "template"])
async def test_a_template_for_new_repositories_gets_no_plant(scene: Scene, spelled: str) -> None:
    """Every `git init` and `git clone` of the person's copies it."""
    (scene.folder / "template" / "hooks").mkdir(parents=True)
    local = _global(scene, f"[init]\n\ttemplateDir = {spelled.format(scene.folder)}\n")
    sandbox = await local.open(Root(scene.folder))
    hook, settings = "template/hooks/post-checkout", "template/config"
    await bash(sandbox, f"cp /bin/true {hook}; printf '[core]\n\tfsmonitor = x\n' > {settings}")
    undone = " ".join(await sandbox.undone())
    await sandbox.close()
    assert settings in undone
    assert not (scene.folder / hook).exists()
    assert "fsmonitor" not in (scene.folder / settings).read_text()
    with Root(scene.folder) as root:
        for path in (hook, settings, "template/hooks/shared.sh"):
            assert danger(root, (path,)), path
        assert not danger(root, ("template.txt",))


SWAP = """
import ctypes, os, sys
os.chdir(sys.argv[1])
swap = ctypes.CDLL(None).renameat2
while True:
    for _ in range(1000):
        swap(-100, b".git", -100, b"pipe", 2)
"""


def test_a_pipe_swapped_with_the_file_that_names_the_repository_holds_nothing_up(
    tmp_path: Path,
) -> None:
    if not hasattr(ctypes.CDLL(None), "renameat2"):
        pytest.skip("the C library cannot exchange two names")
    (tmp_path / ".git").write_text("gitdir: g\n")
    os.mkfifo(tmp_path / "pipe")
    swapping = subprocess.Popen([sys.executable, "-c", SWAP, str(tmp_path)])
    ended = threading.Event()

    def look() -> None:
        until = time.monotonic() + 1.0
        with Root(tmp_path) as root:
            found = Scanner().scan(root)
            while time.monotonic() < until:
                targets(root, found)
        ended.set()

    threading.Thread(target=look, daemon=True).start()
    try:
        assert ended.wait(10), "it waits for somebody to write into the pipe"
    finally:
        swapping.kill()
        swapping.wait()
