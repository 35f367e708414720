"""The hunt for a path that escapes: generated trees full of links, and a thief who swaps links."""

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bottega.workspaces.beneath import openat2
from bottega.workspaces.confine import PathOutsideWorkspace, Root
from tests.hunt import LONG

CANARY = "canary"

names = st.sampled_from(["a", "b", "c"])
steps = st.sampled_from(["a", "b", "c", "..", ".", "", "out"])
targets = st.one_of(
    st.lists(steps, min_size=1, max_size=4).map("/".join).filter(bool),
    st.sampled_from(["/", "/etc/passwd", "OUTSIDE", "OUTSIDE/secret", "INSIDE/a", "../out/secret"]),
)
nodes = st.one_of(st.just("file"), st.just("folder"), targets.map(lambda target: f"-> {target}"))
trees = st.lists(st.tuples(st.lists(names, min_size=1, max_size=3), nodes), max_size=8)
paths = st.one_of(
    st.lists(steps, max_size=6).map("/".join),
    st.lists(steps, max_size=4).map(lambda parts: "INSIDE/" + "/".join(parts)),
    st.text(max_size=20),
)


def build(base: Path, tree: list[tuple[list[str], str]]) -> None:
    inside = base / "ws"
    inside.mkdir()
    (base / "out").mkdir()
    (base / "out" / "secret").write_text(CANARY)
    for name in "abc":
        (base / "out" / name).write_text(CANARY)
        (base / name).write_text(CANARY)
    for parts, node in tree:
        at = inside.joinpath(*parts)
        parents = [inside.joinpath(*parts[:depth]) for depth in range(1, len(parts))]
        if at.is_symlink() or at.exists() or any(p.is_symlink() or p.is_file() for p in parents):
            continue
        at.parent.mkdir(parents=True, exist_ok=True)
        if node == "file":
            at.write_text(str(at.relative_to(inside)))
        elif node == "folder":
            at.mkdir()
        else:
            at.symlink_to(placed(node[3:], base))


def placed(path: str, base: Path) -> str:
    return path.replace("OUTSIDE", str(base / "out")).replace("INSIDE", str(base / "ws"))


def verdict(root: Root, path: str) -> tuple[str, ...]:
    try:
        with os.fdopen(root.open_file(path)) as file:
            opened = ("opened", file.read())
    except Exception as problem:
        opened = (type(problem).__name__, str(problem))
    try:
        with os.fdopen(root.open_file(path, follow=False)) as file:
            unlinked = ("opened without a link", file.read())
    except Exception as problem:
        unlinked = (type(problem).__name__, str(problem))
    try:
        listed = ("listed", *(entry.name for entry in root.list(path).entries))
    except Exception as problem:
        listed = (type(problem).__name__, str(problem))
    try:
        stated = ("stated", str(root.stat(path).st_ino))
    except Exception as problem:
        stated = (type(problem).__name__, str(problem))
    return (*opened, *unlinked, *listed, *stated)


@pytest.mark.fuzz
@pytest.mark.requirement("A35")
@settings(
    max_examples=20_000 if LONG else 150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(tree=trees, asked=st.lists(paths, min_size=1, max_size=8))
def test_no_generated_path_escapes_and_both_ways_agree(
    tree: list[tuple[list[str], str]], asked: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as made:
        base = Path(os.path.realpath(made))
        build(base, tree)
        with Root(base / "ws") as root, Root(base / "ws", walking=True) as walking:
            for path in (placed(each, base) for each in asked):
                found = verdict(root, path)
                assert found == verdict(walking, path)
                assert CANARY not in found
                if found[0] == "opened":
                    real = os.path.realpath(base / "ws" / path)
                    assert real.startswith(f"{base}/ws/")


@pytest.fixture
def swapped(tmp_path: Path) -> Iterator[Path]:
    """A root in which a thief swaps the folder `room` for a link to the outside and back."""
    inside = tmp_path / "ws"
    (inside / "room").mkdir(parents=True)
    (inside / "room" / "file").write_text("inside")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "file").write_text(CANARY)
    (inside / "link").symlink_to("../out")
    done = threading.Event()

    def swap() -> None:
        folder = os.open(inside, os.O_RDONLY)
        while not done.is_set():
            for old, new in (
                ("room", "aside"),
                ("link", "room"),
                ("room", "link"),
                ("aside", "room"),
            ):
                os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
        os.close(folder)

    thief = threading.Thread(target=swap)
    thief.start()
    yield inside
    done.set()
    thief.join()
    shutil.rmtree(inside)


@pytest.mark.chaos
@pytest.mark.requirement("A35")
@pytest.mark.parametrize("walking", [False, True], ids=["openat2", "walking"])
def test_a_thief_who_swaps_links_never_gets_the_canary(swapped: Path, walking: bool) -> None:
    if not walking and openat2() is None:
        pytest.skip("no openat2 here")
    seen: dict[str, int] = {}
    least = 100_000 if LONG else 2_000
    with Root(swapped, walking=walking) as root:
        for count in range(50 * least):
            # Without an escape tried and a file read, the thief would have proved nothing.
            if count >= least and {"inside", "refused"} <= seen.keys():
                break
            try:
                with os.fdopen(
                    root.open_file(("room/file", "room/../room/file")[count % 2])
                ) as file:
                    found = file.read()
            except PathOutsideWorkspace:
                found = "refused"
            except Exception as problem:
                found = type(problem).__name__
            seen[found] = seen.get(found, 0) + 1
    assert CANARY not in seen
    assert seen.get("inside")
    assert seen.get("refused")
