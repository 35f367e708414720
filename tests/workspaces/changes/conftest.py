"""A folder to change, opened in both ways, and the fence around it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.workspaces.changes.apply import apply
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Fence

Apply = Callable[..., None]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    inside = tmp_path / "ws"
    (inside / "src").mkdir(parents=True)
    (inside / "a.txt").write_bytes(b"one\n")
    (inside / "src" / "b.txt").write_bytes(b"two\n")
    (tmp_path / "outside.txt").write_bytes(b"canary")
    return inside


@pytest.fixture(params=["openat2", "walking"])
def root(place: Path, request: pytest.FixtureRequest) -> Iterator[Root]:
    with Root(place, walking=request.param == "walking") as opened:
        yield opened


@pytest.fixture
def fence(tmp_path: Path) -> Fence:
    return Fence(tmp_path / "state")


@pytest.fixture
def change(root: Root, fence: Fence) -> Apply:
    """Make edits, given as edits or as (path, before, after)."""

    def made(*edits: Edit | tuple[str, bytes | None, bytes | None]) -> None:
        listed = tuple(each if isinstance(each, Edit) else Edit(*each) for each in edits)
        apply(root, Change(listed), fence)

    return made


def tree(folder: Path) -> dict[str, bytes]:
    """Every file beneath a folder, those that only pass included."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
