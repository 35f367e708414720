"""The hunt for a way out of the workspace through the tools: generated paths, and a thief who swaps links.

What lies outside says `canary`, in its text and among its names: no answer of a tool may, and no edit may lead there.
Beside each figure stands what a check that only compares paths would have let through.
"""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Problem
from bottega.tools.builtin import builtin_registry
from bottega.tools.tool import Tool
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.edit import Change
from bottega.workspaces.fence import Fence
from tests.descriptors import descriptors, given_back
from tests.hunt import SEED, examples
from tests.processes import running
from tests.tools.contexts import Workbench
from tests.workspaces.test_confine_hunt import CANARY, build, placed
from tests.workspaces.test_onlooker import needs_landlock

TOOLS = builtin_registry()
SHARDS = 8
PATHS = examples(200, 1_000_000 // SHARDS)
"""Paths in each shard, every one of them tried by several tools."""
RACES = examples(500, 100_000)
PER_TREE = 100

NAMES = ("a", "b", "c")
STEPS = (*NAMES, *NAMES, "..", "..", ".", "", "out", "ws", "secret")
TARGETS = (
    *("/", "/etc/passwd", "OUTSIDE", "OUTSIDE/secret", "OUTSIDE/secret", "INSIDE", "INSIDE/a"),
    *(
        "../out",
        "../out/secret",
        "../../out",
        "../../out/secret",
        "..",
        "../..",
        ".",
        "../ws/../out",
    ),
    *("/proc/self/root", "/proc/self/cwd", "/dev/fd/0", "nowhere", "a", "b", "c", "../a", "a/b"),
)
TRICKS = (
    *("..%2fout/secret", "%2e%2e/out/secret", "..\\out\\secret", "．．/out/secret", "․․/out"),
    *("..\u200b/out/secret", "\u202e../out", "a\0/../../out/secret", "~/secret", "$HOME", "`pwd`"),
    *("file:///etc/passwd", "OUTSIDE/secret", "OUTSIDE", "INSIDE-evil/secret", "//INSIDE/../out"),
    *(
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/../out",
        "/dev/fd/0",
        "a/" * 2100,
        "-rf",
        "\ud800",
    ),
)


class Hunt:
    """One shard: its dice, and what it has seen."""

    def __init__(self, shard: int) -> None:
        self.dice = random.Random(f"{SEED} {shard}")  # noqa: S311
        self.seen: Counter[str] = Counter()
        self.places: list[str] = []

    def tree(self) -> list[tuple[list[str], str]]:
        found = [(self.place(), "file") for _ in range(3)]
        found += [(self.place(), self.node()) for _ in range(self.dice.randint(4, 14))]
        self.places = ["/".join(place) for place, _ in found]
        return found

    def place(self) -> list[str]:
        return self.dice.choices(NAMES, k=self.dice.randint(1, 3))

    def node(self) -> str:
        kind = self.dice.random()
        if kind < 0.25:
            return "file"
        return "folder" if kind < 0.4 else f"-> {self.dice.choice(TARGETS)}"

    def path(self) -> str:
        kind = self.dice.random()
        if kind < 0.08:
            return self.dice.choice(TRICKS)
        steps = "/".join(self.dice.choices(STEPS, k=self.dice.randint(0, 5)))
        if kind > 0.6:
            steps = "/".join(filter(None, (self.dice.choice(self.places), steps)))
        if kind > 0.9:
            return self.dice.choice(self.places)
        return f"INSIDE/{steps}" if kind < 0.2 else steps

    async def tried(self, name: str, arguments: dict[str, Any], bench: Workbench) -> Change | None:
        """One call; whatever the model would be told is searched for the canary."""
        change, told = await answered(TOOLS.get(name), arguments, bench)
        assert CANARY not in told, (name, arguments, told)
        self.seen[name if told.startswith(("{", "Change")) else "refused"] += 1
        return change


async def answered(
    tool: Tool, arguments: dict[str, Any], bench: Workbench
) -> tuple[Change | None, str]:
    try:
        touched = tool.touched(arguments, bench.root)
        for each in touched.reads + touched.writes:
            assert not each.startswith("/")
            assert ".." not in each.split("/")
        if tool.plan is not None:
            change = await tool.plan(arguments, bench)
            return change, f"Change {change}"
        assert tool.run is not None
        outcome = await tool.run(arguments, bench)
        if outcome.error is not None:
            return None, outcome.error.message
        return None, outcome.to_text()
    except (Problem, OSError) as problem:
        return None, str(problem)


@contextmanager
def forest(hunt: Hunt) -> Iterator[tuple[Path, Workbench]]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as made:
        base = Path(os.path.realpath(made))
        build(base, hunt.tree())
        (base / "out" / f"{CANARY}-name").touch()
        (base / "ws-evil").mkdir()
        (base / "ws-evil" / "secret").write_text(CANARY)
        if not os.path.lexists(base / "ws" / "pipe"):
            os.mkfifo(base / "ws" / "pipe")
        bench = Workbench(base / "ws")
        try:
            yield base, bench
        finally:
            bench.root.close()


def inside(change: Change, base: Path) -> None:
    """Every edit leads into the workspace, by a path without links, from bytes of the workspace."""
    for edit in change.edits:
        assert os.path.realpath(base / "ws" / edit.path) == f"{base}/ws/{edit.path}"
        assert CANARY.encode() not in (edit.before or b"")


def naive(base: Path, path: str) -> bool:
    """Whether a check that compares letters (join, normalise, begins with) lets the canary out."""
    try:
        joined = os.path.normpath(os.path.join(base / "ws", path))
        if not joined.startswith(str(base / "ws")):
            return False
        return os.path.isfile(joined) and CANARY in Path(joined).read_text()
    except (OSError, ValueError):
        return False


@pytest.mark.fuzz
@pytest.mark.requirement("A35")
@pytest.mark.parametrize("shard", range(SHARDS))
async def test_no_generated_path_leads_out_through_any_tool(shard: int) -> None:
    hunt = Hunt(shard)
    opened = descriptors()
    escapes = left = 0
    for start in range(0, PATHS, PER_TREE):
        with forest(hunt) as (base, bench):
            for number in range(start, min(start + PER_TREE, PATHS)):
                path = placed(hunt.path(), base)
                escapes += naive(base, path)
                await every_tool(hunt, bench, base, path, number)
                left += 1
    print(f"\nshard {shard}, seed {SEED}: {left:,} paths, 0 escapes; by letters {escapes:,}")
    print(dict(hunt.seen))
    assert left == PATHS
    await given_back(opened + 2)
    for name in ("read_file", "list_dir", "glob", "grep", "write_file", "refused"):
        assert hunt.seen[name], f"{name} never succeeded: the hunt would prove nothing"


async def every_tool(hunt: Hunt, bench: Workbench, base: Path, path: str, number: int) -> None:
    patch = {"patches": [{"old_text": "", "new_text": "x"}, {"old_text": "x", "new_text": "y"}]}
    await hunt.tried("read_file", {"file_path": path}, bench)
    await hunt.tried("list_dir", {"path": path, "depth": 2}, bench)
    planned = [await hunt.tried("write_file", {"path": path, "content": "new"}, bench)]
    if number % 2:
        planned.append(await hunt.tried("patch_file", {"path": path, **patch}, bench))
    else:
        other = placed(hunt.path(), base)
        edits = [{"path": path, **patch}, {"path": other, **patch}]
        planned.append(await hunt.tried("multi_edit", {"edits": edits}, bench))
    for change in filter(None, planned):
        inside(change, base)
    if number % 100 == 0:
        everything = {"hidden": True, "ignored": True}
        await hunt.tried("glob", {"pattern": "**", **everything}, bench)
        await hunt.tried("grep", {"pattern": "[a-z]", **everything}, bench)
    if number % 100 == 50:
        await hunt.tried("glob", {"pattern": "*", "path": path}, bench)
        await hunt.tried("grep", {"pattern": ".", "path": path}, bench)


THIEF = """
import ctypes, os, random, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
swap = ctypes.CDLL(None, use_errno=True).renameat2
print("begun", flush=True)
while True:
    if swap(folder, b"room", folder, b"link", 2):
        sys.exit(os.strerror(ctypes.get_errno()))
    for _ in range(random.randrange(4_000)):
        pass
"""


@pytest.fixture
def raced() -> Iterator[Path]:
    """A workspace in which another process swaps the folder `room` and a link to the outside, all the time."""
    where = "/dev/shm" if os.path.isdir("/dev/shm") else None
    base = Path(tempfile.mkdtemp(dir=where))
    (base / "ws" / "room").mkdir(parents=True)
    (base / "ws" / "room" / "file").write_text("inside")
    (base / "out").mkdir()
    (base / "out" / "file").write_text(CANARY)
    (base / "ws" / "link").symlink_to("../out")
    with running(THIEF, base / "ws") as thief:
        yield base
        assert thief.poll() is None, "the thief gave up: nothing was proved"
    shutil.rmtree(base)


def naive_read(base: Path) -> str:
    """The usual check: resolve the path, compare, then open it."""
    try:
        if not os.path.realpath(base / "ws" / "room" / "file").startswith(f"{base}/ws/"):
            return "refused"
        return (base / "ws" / "room" / "file").read_text()
    except OSError as problem:
        return type(problem).__name__


@pytest.mark.fuzz
@pytest.mark.requirement("A35")
async def test_a_thief_gets_nothing_read(raced: Path) -> None:
    bench = Workbench(raced / "ws")
    seen: Counter[str] = Counter()
    usual = Counter(naive_read(raced) for _ in range(RACES))
    count = 0
    while count < RACES or not {"inside", "refused"} <= seen.keys():
        count += 1
        assert count < 50 * RACES
        path = ("room/file", "room/../room/file")[count % 2]
        _, told = await answered(TOOLS.get("read_file"), {"file_path": path}, bench)
        assert CANARY not in told
        seen["inside" if '"inside"' in told else "refused"] += 1
    bench.root.close()
    print(f"\n{count:,} reads raced, 0 escapes ({dict(seen)}); resolve-then-open {usual[CANARY]:,}")


@pytest.mark.fuzz
@pytest.mark.requirement("A35")
async def test_a_thief_gets_nothing_written(raced: Path) -> None:
    bench, fence = Workbench(raced / "ws"), Fence(raced / "state")
    outside = {path.name: path.read_bytes() for path in (raced / "out").iterdir()}
    seen: Counter[str] = Counter()
    count = 0
    while count < RACES or not {"written", "refused"} <= seen.keys():
        count += 1
        assert count < 50 * RACES
        given = {"path": ("room/file", "room/new")[count % 2], "content": f"{count}"}
        change, _ = await answered(TOOLS.get("write_file"), given, bench)
        try:
            if change is not None:
                apply(bench.root, change, fence)
            seen["written" if change else "refused"] += 1
        except (Problem, OSError):
            seen["refused"] += 1
        if count % 100 == 0:
            assert [path.name for path in (raced / "out").iterdir()] == list(outside)
    bench.root.close()
    found = {path.name: path.read_bytes() for path in (raced / "out").iterdir()}
    assert found == outside
    print(f"\n{count:,} writes raced, 0 escapes ({dict(seen)})")


@needs_landlock
@pytest.mark.fuzz
@pytest.mark.requirement("A35")
async def test_a_thief_gets_nothing_found(raced: Path) -> None:
    bench = Workbench(raced / "ws")
    rg = os.path.join(os.path.dirname(sys.executable), "rg")
    usual = 0
    for _ in range(examples(30, 3_000)):
        done = await asyncio.to_thread(
            subprocess.run, [rg, CANARY, "."], cwd=raced / "ws", capture_output=True, check=False
        )
        usual += CANARY.encode() in done.stdout
        _, told = await answered(TOOLS.get("grep"), {"pattern": "canar[y]|inside"}, bench)
        assert CANARY not in told
        _, told = await answered(TOOLS.get("glob"), {"pattern": "**", "sort": "path"}, bench)
        assert CANARY not in told
    bench.root.close()
    print(f"\nsearches raced, 0 escapes; without a guard {usual:,}")
