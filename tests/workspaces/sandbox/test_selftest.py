"""The self-test: what leaks is named, what held is remembered, and allow mode waits for it."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox import selftest
from bottega.workspaces.sandbox.inside import leaks
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.selftest import SelfTest
from tests.workspaces.sandbox.needs import needs_bubblewrap


@needs_bubblewrap
async def test_a_sandbox_that_holds_is_trusted_and_that_is_remembered(tmp_path: Path) -> None:
    assert await Local(tmp_path).trusted() == ""
    (about,) = json.loads((tmp_path / "selftest.json").read_text())
    version = Local(tmp_path).bubblewrap
    assert version is not None
    assert version.version in about

    async def never(folder: str) -> Opened:
        raise AssertionError(f"opened again on {folder}")

    assert await SelfTest(tmp_path, version.version, never).leaks() == ()


@needs_bubblewrap
async def test_another_version_is_tested_anew(tmp_path: Path) -> None:
    opened: list[Root] = []
    local = Local(tmp_path)

    async def count(root: Root) -> Opened:
        opened.append(root)
        return await local.open(root)

    for version in ("1", "1", "2"):
        assert await SelfTest(tmp_path, version, count).leaks() == ()
    assert len(opened) == 2


async def test_what_is_not_sandboxed_leaks_by_the_same_test(tmp_path: Path) -> None:
    """The tries get through where nothing holds them: they can fail."""
    local = Local(tmp_path / "state", best="none", unsandboxed=True)
    found = await SelfTest(tmp_path, "none", local.open).leaks()
    assert "files outside can be read" in found
    assert "this machine's ports can be reached" in found
    assert "git's hooks can be written" in found
    assert "sockets in the workspace can be reached" in found
    assert "datagrams reach sockets in the workspace" in found
    assert len(found) >= 6
    assert not (tmp_path / "selftest.json").exists()


@needs_bubblewrap
async def test_a_leak_turns_allow_mode_off_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = Local(tmp_path)
    bare = Local(tmp_path, best="none", unsandboxed=True)
    local._test = SelfTest(tmp_path, "x", bare.open)
    said = await local.trusted()
    assert said.startswith("Allow mode is off: the sandbox leaks on this machine (files outside")


async def test_whoever_asks_meanwhile_waits_for_the_same_test(tmp_path: Path) -> None:
    opened: list[Root] = []
    local = Local(tmp_path / "state", best="none", unsandboxed=True)

    async def count(root: Root) -> Opened:
        opened.append(root)
        return await local.open(root)

    test = SelfTest(tmp_path, "none", count)
    first, second = await asyncio.gather(test.leaks(), test.leaks())
    assert first == second
    assert len(opened) == 1


async def test_a_test_that_cannot_run_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(folder: str) -> Opened:
        raise OSError(28, f"no room for {folder}")

    (found,) = await SelfTest(tmp_path, "1", fails).leaks()
    assert "did not run" in found
    local = Local(tmp_path / "state", best="none", unsandboxed=True)
    monkeypatch.setattr(selftest.interpreter, "choose", lambda *_: interpreter_of("/bin/false"))
    (found,) = await SelfTest(tmp_path, "1", local.open).leaks()
    assert "did not run" in found


def interpreter_of(path: str) -> object:
    return selftest.interpreter.Interpreter(path)


def test_the_tests_program_runs_by_itself() -> None:
    """As it is sent in: without Bottega, without site packages."""
    source = Path(leaks.__file__).read_text()
    facts = {
        "workspace": "/nonexistent",
        "secret": "/etc/hostname",
        "port": 1,
        "abstract": "nobody",
        "pid": 1,
        "disks": [],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", source, json.dumps(facts)],
        capture_output=True,
        text=True,
        check=True,
        env={},
    )
    assert "files outside can be read" in json.loads(done.stdout)
