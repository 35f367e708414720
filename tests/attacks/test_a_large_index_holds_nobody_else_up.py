"""Severity: medium. While the index of one person's repository is read, another's is read as well."""

import asyncio
from pathlib import Path

import pytest

from bottega.fairness import acting_for
from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents.index import misleading
from tests.attacks.indexes import entry, whole

LARGE, HUGE = 120_000, 450_000
"""Entries: of an index that nobody reads two of at once, and of one that takes several times as long."""


def repository(at: Path, entries: int) -> Path:
    at.mkdir()
    (at / "HEAD").write_text("ref: refs/heads/main\n")
    (at / "index").write_bytes(whole(entry(b"f%09d" % n, mode=0o100644) for n in range(entries)))
    return at


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("large")
    repository(place / "huge", HUGE)
    repository(place / "large", LARGE)
    return place


def read(folder: Path, person: int) -> None:
    with Root(folder) as root, acting_for(person):
        assert list(misleading(root, "")) == []


async def test_who_has_a_smaller_one_does_not_wait_for_who_has_a_huge_one(place: Path) -> None:
    huge = asyncio.create_task(asyncio.to_thread(read, place / "huge", 1))
    await asyncio.sleep(0.05)  # it is being read
    await asyncio.to_thread(read, place / "large", 2)
    assert not huge.done()
    await huge
