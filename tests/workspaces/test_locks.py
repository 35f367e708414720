"""Writers of a file wait for each other, readers share it, and nobody waits for ever."""

import asyncio
import random
from collections import Counter

import pytest

from bottega.workspaces.locks import Locks
from tests.hunt import SEED, examples

HERE = "/home/me/project"


class Visits:
    """Who is inside, and in what order they came."""

    def __init__(self) -> None:
        self.locks = Locks()
        self.inside: set[str] = set()
        self.came: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(
        self, name: str, *, reads: str = "", writes: str = "", folder: str = HERE
    ) -> None:
        """Begin a visit that lasts until `go`; returns once it is inside or waits."""
        gate = self.gates[name] = asyncio.Event()

        async def visit() -> None:
            async with self.locks.hold(folder, reads=reads.split(), writes=writes.split()):
                self.inside.add(name)
                self.came.append(name)
                try:
                    await gate.wait()
                finally:
                    self.inside.discard(name)

        self.tasks[name] = asyncio.create_task(visit())
        await settle()

    async def go(self, *names: str) -> None:
        for name in names:
            self.gates[name].set()
            await self.tasks[name]
        await settle()

    async def cancel(self, name: str) -> None:
        self.tasks[name].cancel()
        await asyncio.gather(self.tasks[name], return_exceptions=True)
        await settle()


async def settle() -> None:
    """Let every task run as far as it can: none of them waits for anything but another."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.requirement("A32", "C20")
async def test_writers_of_a_file_wait_for_each_other_and_readers_share_it() -> None:
    visits = Visits()
    await visits.come("w1", writes="a.txt")
    await visits.come("w2", writes="a.txt")
    await visits.come("other", writes="b.txt")
    assert visits.inside == {"w1", "other"}
    await visits.go("w1")
    assert visits.inside == {"w2", "other"}
    await visits.go("w2")
    await visits.come("r1", reads="a.txt")
    await visits.come("r2", reads="a.txt")
    assert visits.inside == {"other", "r1", "r2"}


@pytest.mark.requirement("A32")
async def test_waiters_do_not_wake_together_and_nobody_drops_anothers_lock() -> None:
    visits = Visits()
    for name in ("1", "2", "3", "4"):
        await visits.come(name, writes="a.txt")
    for name in ("1", "2", "3", "4"):
        assert visits.inside == {name}
        await visits.go(name)
    assert visits.came == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("src", "src/deep/a.txt", True),
        (".", "a.txt", True),
        ("src/", "src", True),
        ("src", "srcs/a.txt", False),
        ("src/a", "src/b", False),
        ("a", "A", False),
    ],
)
async def test_a_folder_stands_for_everything_beneath_it(one: str, other: str, apart: bool) -> None:
    for first, second in ((one, other), (other, one)):
        visits = Visits()
        await visits.come("first", writes=first)
        await visits.come("second", reads=second)
        assert visits.inside == ({"first"} if apart else {"first", "second"})


async def test_the_same_folder_seen_from_another_root_is_the_same() -> None:
    visits = Visits()
    await visits.come("project", writes="web/a.txt")
    await visits.come("scoped", writes="a.txt", folder=f"{HERE}/web")
    await visits.come("elsewhere", writes="web/a.txt", folder="/home/me/other")
    assert visits.inside == {"project", "elsewhere"}


async def test_a_writer_is_not_starved_by_readers_that_come_after_it() -> None:
    visits = Visits()
    await visits.come("r1", reads="a.txt")
    await visits.come("w", writes="a.txt")
    await visits.come("r2", reads="a.txt")
    assert visits.inside == {"r1"}
    await visits.go("r1")
    assert visits.inside == {"w"}
    await visits.go("w")
    assert visits.inside == {"r2"}


async def test_all_paths_of_a_call_are_taken_at_once() -> None:
    visits = Visits()
    await visits.come("a", writes="a")
    await visits.come("b", writes="b")
    await visits.come("ab", writes="a b")
    await visits.come("ba", writes="b a")
    await visits.come("c", writes="c")
    assert visits.inside == {"a", "b", "c"}
    await visits.go("a")
    assert visits.inside == {"b", "c"}
    await visits.go("b")
    assert visits.inside == {"ab", "c"}
    await visits.go("ab")
    assert visits.inside == {"ba", "c"}


async def test_a_call_that_reads_and_writes_the_same_file_does_not_wait_for_itself() -> None:
    visits = Visits()
    await visits.come("both", reads="a .", writes="a")
    assert visits.inside == {"both"}


async def test_one_that_is_cancelled_while_it_waits_holds_nobody_up() -> None:
    visits = Visits()
    await visits.come("w1", writes="a")
    await visits.come("w2", writes="a")
    await visits.come("w3", writes="a")
    await visits.cancel("w2")
    assert visits.inside == {"w1"}
    await visits.cancel("w1")
    assert visits.inside == {"w3"}


async def test_one_that_is_cancelled_in_the_moment_of_its_turn_passes_it_on() -> None:
    visits = Visits()
    async with visits.locks.hold(HERE, writes=["a"]):
        await visits.come("w2", writes="a")
        await visits.come("w3", writes="a")
    # No other task has run since: w2 has its turn, and does not know it yet.
    visits.tasks["w2"].cancel()
    await settle()
    assert visits.inside == {"w3"}
    assert "w2" not in visits.came


async def test_a_failure_inside_lets_go() -> None:
    locks = Locks()
    with pytest.raises(ValueError, match="inside"):
        async with locks.hold(HERE, writes=["a"]):
            raise ValueError("inside")
    async with asyncio.timeout(30), locks.hold(HERE, writes=["a"]):
        pass


@pytest.mark.fuzz
@pytest.mark.requirement("A32", "C20")
@pytest.mark.parametrize("hunt", range(examples(3, 60)))
async def test_no_two_that_conflict_are_ever_inside_together(hunt: int) -> None:
    """Hundreds of tasks with random paths, some of which are cancelled: all end, and none meets a rival."""
    dice = random.Random(SEED * 1000 + hunt)
    locks = Locks()
    paths = [".", "a", "a/x", "a/y", "b", "b/x", "b/x/deep", "c"]
    reading: Counter[str] = Counter()
    writing: Counter[str] = Counter()
    done: list[int] = []

    def covers(one: str, other: str) -> bool:
        return one in (other, ".") or other.startswith(f"{one}/")

    def meets(path: str, held: Counter[str]) -> bool:
        return any(n and (covers(path, p) or covers(p, path)) for p, n in held.items())

    async def task(number: int) -> None:
        reads = dice.sample(paths, dice.randrange(3))
        writes = dice.sample(paths, dice.randrange(3))
        for _ in range(dice.randrange(5)):
            await asyncio.sleep(0)
        async with locks.hold(HERE, reads=reads, writes=writes):
            assert not any(meets(path, writing) for path in (*reads, *writes))
            assert not any(meets(path, reading) for path in writes)
            reading.update(reads)
            writing.update(writes)
            try:
                for _ in range(dice.randrange(4)):
                    await asyncio.sleep(0)
            finally:
                reading.subtract(reads)
                writing.subtract(writes)
        done.append(number)

    tasks = [asyncio.create_task(task(number)) for number in range(300)]
    doomed = dice.sample(range(300), 60)
    for number in doomed:
        await asyncio.sleep(0)
        tasks[number].cancel()
    async with asyncio.timeout(30):
        ended = await asyncio.gather(*tasks, return_exceptions=True)

    assert [each for each in ended if isinstance(each, Exception)] == []
    assert set(range(300)) - set(doomed) <= set(done)
    async with asyncio.timeout(30), locks.hold(HERE, writes=["."]):
        pass
