"""Severity: high (F11). One person's repositories, each of which is shielded, take the server's descriptors; and where
none is left, what is planted is not seen.
"""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.errors import Problem
from bottega.server import serve
from bottega.workspaces.confine import Root
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.scan import Scanner
from tests.workspaces.sandbox import rooms

CONFIG = "[core]\n\trepositoryformatversion = 0\n"
EVIL = f"{CONFIG}\tfsmonitor = x\n"


@pytest.fixture
def base() -> Iterator[Path]:
    with rooms.open_folder() as base:
        yield base


def repository(at: Path) -> None:
    for name in ("objects", "refs", "hooks"):
        (at / name).mkdir(parents=True)
    (at / "HEAD").write_text("ref: refs/heads/main\n")
    (at / "config").write_text(CONFIG)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_guard_holds_the_outermost_of_what_is_mounted_and_no_more(base: Path) -> None:
    folder = base / "project"
    names = [".git", *(f".git/modules/m{number}" for number in range(60))]
    for name in names:
        repository(folder / name)
    paths = [f"{name}/{file}" for name in names for file in ("config", "hooks")]
    with Root(folder) as root:
        guards = [Guard(base / "state", root) for _ in range(4)]
        before = descriptors()
        for guard in guards:
            guard.open()
            guard.mounted(paths)
            guard.mounted(paths)  # the sandbox has begun anew
        assert descriptors() - before <= 4 * 17
        # What the person does to a file that is held stays, and nothing else may.
        (folder / ".git" / "config").write_text(EVIL)
        (folder / ".git" / "modules" / "m59" / "config").write_text(EVIL)
        guards[0].check()
        for guard in guards:
            guard.close()
        assert descriptors() == before
    assert (folder / ".git" / "config").read_text() == EVIL
    assert (folder / ".git" / "modules" / "m59" / "config").read_text() == CONFIG


def test_a_second_name_changes_nothing_in_a_folder_that_can_only_be_read(base: Path) -> None:
    folder = base / "project"
    repository(folder / ".git")
    repository(folder / ".git" / "modules" / "m")
    inner = folder / ".git" / "modules" / "m" / "config"
    os.link(inner, folder / "second")
    with Root(folder) as root:
        guard = Guard(base / "state", root)
        guard.open()
        guard.mounted([".git/config", ".git/modules"])
        (folder / "second").write_text(EVIL)
        guard.close()
    assert inner.read_text() == CONFIG


def test_a_look_without_descriptors_takes_nothing_for_looked_at(base: Path) -> None:
    repository(base / "project" / "n" / ".git")
    scanner = Scanner()
    time.sleep(0.06)  # only what has not just changed is remembered, and not read again
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Root(base / "project") as root:
        known = scanner.scan(root)
        for spare in range(1, 7):
            held = _all_but(spare, limit)
            try:
                found = scanner.scan(root)
                unseen = found.whole and found != known
            except (OSError, Problem):
                unseen = False
            finally:
                for each in held:
                    os.close(each)
                resource.setrlimit(resource.RLIMIT_NOFILE, limit)
            assert not unseen, spare
            scanner.scan(root)


def test_a_guard_without_descriptors_forgets_nothing(base: Path) -> None:
    repository(base / "project" / "n" / ".git")
    config = base / "project" / "n" / ".git" / "config"
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Root(base / "project") as root:
        guard = Guard(base / "state", root)
        guard.open()
        config.write_text(EVIL)
        for spare in range(1, 9):
            held = _all_but(spare, limit)
            try:
                with suppress(OSError, Problem):
                    guard.check()
            finally:
                for each in held:
                    os.close(each)
                resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        guard.close()
    assert config.read_text() == CONFIG


def _all_but(spare: int, limit: tuple[int, int]) -> list[int]:
    """Take all descriptors but these."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors() + 64, limit[1]))
    held: list[int] = []
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        for _ in range(spare):
            os.close(held.pop())
    return held


def test_the_server_takes_the_descriptors_that_the_system_has_for_it() -> None:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, limit[1]))
        serve.raise_descriptor_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(limit[1], 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
