"""What a `.gitignore` leaves out is what git leaves out, and no pattern can make it slow."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bottega.workspaces.confine import Root
from bottega.workspaces.watch.ignore import Effort, Ignore
from bottega.workspaces.watch.walk import walk
from tests.hunt import examples

NAMES = ["a", "b", "ab", "a.b", "b.a", "aab", "[a]", "a b", "!a", "#a"]
names = st.sampled_from(NAMES)
pieces = st.sampled_from(
    [
        *NAMES,
        "*",
        "?",
        "[ab]",
        "[!a]",
        "[a-b]*",
        "*.b",
        "a*",
        "*a*",
        "**",
        "***",
        "\\*",
        "\\!a",
        "\\#a",
    ]
)
patterns = st.builds(
    lambda no, start, steps, end: no + start + "/".join(steps) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(pieces, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "  ", "\\ ", "/**"]),
)
files = st.lists(patterns, max_size=5).map("\n".join)
trees = st.lists(st.lists(names, min_size=1, max_size=3), min_size=4, max_size=14)


def found(folder: Path) -> set[str]:
    with Root(folder) as root:
        return set(walk(root, 10_000).files)


def by_git(folder: Path) -> set[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    command = [
        "git",
        "-c",
        "core.excludesFile=",
        "ls-files",
        "-z",
        "--others",
        "--exclude-standard",
    ]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=True, timeout=20
    )
    return {name for name in done.stdout.decode().split("\0") if name and not name.endswith("/")}


@pytest.mark.fuzz
@pytest.mark.skipif(not shutil.which("git"), reason="git says what is right")
@settings(
    max_examples=examples(40, 3_000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(tree=trees, top=files, inner=files)
def test_the_same_files_are_left_out_as_by_git(tree: list[list[str]], top: str, inner: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        subprocess.run(["git", "init", "-q", folder], check=True, capture_output=True)
        for parts in tree:
            at = folder.joinpath(*parts)
            if at.exists() or any(p.is_file() for p in at.parents):
                continue
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text("x")
        (folder / ".gitignore").write_text(top)
        if (folder / "a").is_dir():
            (folder / "a" / ".gitignore").write_text(inner)
        assert found(folder) == by_git(folder), (top, inner)


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 100 + "b",
        "**/" * 60 + "b",
        "**/a/" * 100 + "b",
        "\n".join(f"**/a/**/a/**/a/z{n}" for n in range(1000)),
        "\n".join(["**/" + "a/" * 250 + "b"] * 128),
        "\n".join(["*a" * 30 + f"b{n}" for n in range(1000)]),
        "*a*/**/*a*/**/*a*/**/b",
        "\n".join("**/" + "a/" * 250 + f"z{n}" for n in range(120)),
        "\n".join("*" + "a" * 500 + f"{n}" for n in range(120)),
        "[" * 500,
        "?" * 500,
        "[a-" * 100,
        "[z-a]",
        "a" * 100_000,
    ],
)
def test_no_pattern_makes_it_slow(pattern: str) -> None:
    started = time.thread_time()
    ignore = Ignore(pattern)
    long = ("/".join(["a"] * 500), "/".join(["aaaa"] * 64), "/".join(["a" * 60] * 60))
    for path in ("a" * 255, *long):
        ignore.verdict(path, folder=False)
    assert time.thread_time() - started < 0.5


def test_a_walk_has_so_many_seconds_for_all_patterns_that_it_meets() -> None:
    effort = Effort(0.2)
    asked, slow = 0, "\n".join("*a" * 200 + f"{n}" for n in range(400))
    started = time.thread_time()
    while Ignore(slow, effort).verdict("a" * 255, folder=True) is None and asked < 1000:
        asked += 1
    assert time.thread_time() - started < 2.0
    assert Ignore("a", effort).verdict("a", folder=False) is None, "nothing more is said"


def test_a_list_of_patterns_that_is_no_plain_file_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "one" / ".gitignore").symlink_to("/dev/zero")
    (tmp_path / "two" / ".gitignore").mkdir()
    for name in ("one/a", "two/b"):
        (tmp_path / name).write_text("x")
    assert found(tmp_path) == {"one/a", "two/b"}
