"""Severity: medium. However much lies in the repositories of a folder, a look at them keeps copies of bounded size."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git.guard import Guard
from tests.workspaces.sandbox import rooms

MANY, EACH = 300, 1_000_000
MOST = 200_000_000
"""Bytes: what one baseline holds, and what it takes to write it."""


@pytest.fixture
def base() -> Iterator[Path]:
    with rooms.open_folder() as base:
        repository = base / "work" / ".git"
        for name in ("objects", "refs", "hooks"):
            (repository / name).mkdir(parents=True)
        (repository / "HEAD").write_text("ref: refs/heads/main\n")
        for n in range(MANY):
            with (repository / "hooks" / f"h{n}").open("wb") as hook:
                hook.truncate(EACH)
        yield base


def test_copies_of_many_files_are_not_all_in_memory(base: Path) -> None:
    (base / "state").mkdir(exist_ok=True)
    with Root(base / "work") as root:
        guard = Guard(base / "state", root)
        tracemalloc.start()
        try:
            guard.open()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        guard.close()
    assert peak < MOST
