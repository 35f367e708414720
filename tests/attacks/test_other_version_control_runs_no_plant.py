"""Severity: medium (F12). A program writes settings of Mercurial or Jujutsu, which the person's next command runs."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents.mercurial import is_harmless
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.proposed import danger
from tests.attacks.test_a_planted_repository_runs_nothing import KINDS, Scene
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.rooms import bash

SETTINGS = (
    *(".hg/hgrc", ".hg/hgrc-not-shared", ".jj/repo/config.toml", ".jj/workspace-config.toml"),
    ".jj/repo/workspace-config.toml",
)
MINE = "# the person's\n"


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


def put(folder: Path) -> None:
    for name in SETTINGS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(MINE)


PLANT = r"""for at in . there new/deep; do mkdir -p $at/.hg $at/.jj/repo
for f in SETTINGS; do echo planted > $at/$f; mv $at/$f $at/$f.x; echo planted > $at/$f; done; done
mkdir -p evil/{a,d,e,f,g}/.hg evil/b evil/{c,h}/.jj deep/er; echo planted > evil/hgrc
echo ../../ > evil/a/.hg/sharedpath
ln -s .. evil/b/.hg; ln -s .. evil/b/.jj; printf ../../store > evil/c/.jj/repo
mkdir evil/d/.hg$'\r'; printf '../.hg\r\n' > evil/d/.hg/sharedpath
ln -s ../../../deep/er evil/e/.hg/on; printf "$PWD/evil/e/.hg/on/../../evil/e/.hg/on/.." > evil/e/.hg/sharedpath
printf '../../there/.hg/on/..' > evil/f/.hg/sharedpath; ln -s ../../hgrc evil/g/.hg/hgrc
echo ../../there/.jj/repo > evil/h/.jj/repo
mkdir -p fine/.hg fine/.jj; echo ../../there/.hg > fine/.hg/sharedpath; printf ../../there/.jj/repo > fine/.jj/repo
mkdir -p clone/.hg; printf '# a note\n[paths]\ndefault = https://example.org/x\n\n[ui]\n# none\n' > clone/.hg/hgrc
true""".replace("SETTINGS", " ".join(SETTINGS))
GONE = (
    *("a/.hg/sharedpath", "b/.hg", "b/.jj", "c/.jj/repo", "d/.hg/sharedpath", "e/.hg/sharedpath"),
    *("f/.hg/sharedpath", "g/.hg/hgrc", "h/.jj/repo"),
)


@pytest.mark.parametrize("kind", KINDS)
async def test_settings_are_put_back_and_new_ones_go(scene: Scene, kind: str) -> None:
    put(scene.folder)
    put(scene.folder / "there")
    sandbox = await scene.local(kind).open(Root(scene.folder))
    await bash(sandbox, f"exec 2>/dev/null; {PLANT}")
    told = " ".join(await sandbox.undone())
    await sandbox.close()
    for name in SETTINGS:
        assert (scene.folder / name).read_text() == MINE, name
        assert (scene.folder / "there" / name).read_text() == MINE, name
        assert not (scene.folder / "new" / "deep" / name).exists(), name
    for name in GONE:
        assert not os.path.lexists(scene.folder / "evil" / name), name
    for name in (".hg/sharedpath", ".jj/repo"):
        assert (scene.folder / "fine" / name).exists(), name
    assert (scene.folder / "clone" / ".hg" / "hgrc").exists()
    assert "Mercurial or Jujutsu" in told


@pytest.mark.parametrize("before", [None, b"v1\nmine\n"])
def test_a_state_that_is_a_pickle_goes_and_one_that_is_text_stays(
    scene: Scene, before: bytes | None
) -> None:
    """Mercurial unpickles what `hg histedit` left behind, if it does not begin with its version."""
    state = scene.folder / ".hg" / "histedit-state"
    state.parent.mkdir()
    if before is not None:
        state.write_bytes(before)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        state.write_bytes(b"v1\nrules\n")
        guard.check()
        assert state.read_bytes() == b"v1\nrules\n"
        state.write_bytes(b"cos\nsystem\n(S'evil'\ntR.")
        guard.close()
    assert (state.read_bytes() if state.exists() else None) in (None, b"v1\nrules\n")
    assert "histedit-state" in " ".join(guard.reports())


LISTS = ("journal.backupfiles", "undo.backupfiles")
USUAL = b"2\n\x00phaseroots\x00undo.backup.phaseroots\x000\nplain\x00dirstate\x00undo.backup.dirstate\x000\n"


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("file", [b"hgrc", b"HGRC", b"x/../hgrc", b"/a/.hg/hgrc", b"sharedpath"])
def test_a_transaction_left_open_puts_no_settings_in_place(
    scene: Scene, name: str, file: bytes
) -> None:
    """`hg recover` and `hg rollback` put back what these lists name."""
    listed = scene.folder / ".hg" / "store" / name
    listed.parent.mkdir(parents=True)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        listed.write_bytes(USUAL)
        guard.check()
        assert listed.read_bytes() == USUAL
        listed.write_bytes(b"2\nplain\0" + file + b"\0journal.backup.x\x000\n")
        guard.check()
        assert not listed.exists() or listed.read_bytes() == USUAL
        listed.parent.rename(scene.folder / "elsewhere")
        listed.parent.symlink_to("../elsewhere")
        guard.close()
    assert not listed.parent.is_symlink()
    assert name in " ".join(guard.reports())


@pytest.mark.parametrize("path", [*SETTINGS, "sub/.HG/hgrc"])
def test_a_file_tool_asks_before_it_writes_them(scene: Scene, path: str) -> None:
    with Root(scene.folder) as root:
        assert "Mercurial or Jujutsu" in danger(root, [path])
        assert danger(root, ["src/hgrc"]) == ""


@pytest.mark.parametrize(
    "raw",
    [
        b"[hooks]\nupdate = touch x\n",
        b"[paths]\ndefault = https://example.org/x\n[hooks]\nupdate = x\n",
        b"[paths]\ndefault = /x\r[hooks]\rupdate = touch x\n",
        b"# a note\r[hooks]\rupdate = touch x\n",
        b"[paths]\n%include /x/hgrc\n",
        b"[paths]\ndefault = ssh://-oProxyCommand=x/y\n",
        b"[paths]\ndefault:pushurl = ext::x\n",
        b"[paths]\ndefault = $HOME/x\n",
        b"[paths]\ndefault = /x\n  more\n",
        b"[ui]\neditor = /x/run\n",
        b"\xef\xbb\xbf[hooks]\nupdate = x\n",
        b"default = /x\n",
    ],
)
def test_new_settings_stay_only_where_they_can_name_nothing_but_addresses(raw: bytes) -> None:
    assert not is_harmless(raw)
    assert is_harmless(b"# a note\n[paths]\ndefault = ssh://me@example.org:22/x\n[ui]\n")


@pytest.mark.skipif(shutil.which("hg") is None, reason="Mercurial is not installed")
async def test_the_next_command_of_mercurial_runs_nothing(scene: Scene) -> None:
    scene.outside("hg init")
    sandbox = await scene.local("none").open(Root(scene.folder))
    hook = f"[hooks]\npre-status = touch {scene.canary}/ran\n"
    await bash(sandbox, f"printf '{hook}' > .hg/hgrc; printf '{hook}' > .hg/hgrc-not-shared")
    await sandbox.close()
    scene.outside("hg status")
    assert os.listdir(scene.canary) == []
